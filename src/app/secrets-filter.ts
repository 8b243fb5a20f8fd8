/** The one secrets filter of this process, and the views of it that each side of the program gets. */

import { type Preset, secretsPolicy } from '../broker/index.ts';
import { type Config, variablesIn } from '../config/index.ts';
import type { Broker } from '../contracts/models.ts';
import type { RestoredAction, Secrets } from '../contracts/secrets.ts';
import {
  environmentSources,
  folderSources,
  handlesIn,
  homeSources,
  restoreCommand,
  SecretsFilter,
} from '../secrets/index.ts';
import type { Action } from '../session/action.ts';
import type { Message } from '../session/message.ts';
import { headerVariables } from './presets.ts';

type Environment = Readonly<Record<string, string | undefined>>;

let filter: SecretsFilter | undefined;

/** Creates the filter for the secrets of this machine. It reads its sources only when it filters the first text. */
export function processFilter(): SecretsFilter {
  if (filter) return filter;
  const made = new SecretsFilter();
  const { env } = process;
  made.learn(() => environmentSources(env));
  if (env.HOME) {
    const home = env.HOME;
    made.learn(() => homeSources(home));
  }
  made.learn(() => folderSources(process.cwd()));
  filter = made;
  return made;
}

/**
 * Whether a tool's arguments get the true values: our own `patch`, and MCP servers that run on this machine. A remote
 * server gets handles.
 */
function takesValues(name: string, { mcp }: Config): boolean {
  if (name === 'patch') return true;
  const server = mcp.servers[name.slice(0, Math.max(0, name.indexOf('__')))];
  return server !== undefined && 'command' in server;
}

/** The functions that the engine gets. */
export function engineSecrets(filter: SecretsFilter, config: Config): Secrets {
  const visited = new Set<string>();
  return {
    hide: (value, where, seenIn) => filter.hide(value, where, seenIn),
    lookThrough: (text) => filter.lookThrough(text),
    reveal: (value) => filter.reveal(value),
    hideEchoed(action, outcome) {
      if (!('result' in outcome)) return filter.hideValuesOf(action, outcome);
      // The other two fields are paths, and must stay usable.
      const { head, tail } = outcome.result;
      return { ...outcome, result: { ...outcome.result, ...filter.hideValuesOf(action, { head, tail }) } };
    },
    list: () => filter.list(),
    entered(cwd) {
      if (visited.has(cwd)) return;
      visited.add(cwd);
      filter.learn(() => folderSources(cwd));
    },
    restore(action, written) {
      const value = (handle: string) => (written ? filter.value(handle) : undefined);
      if (action.kind === 'command') return restoreAction(filter, action, written, value);
      // A sub-agent's task is text for a model: it keeps its handles.
      if (action.kind === 'delegate') return { kind: 'ready', judged: action, runs: action, env: {} };
      const own = written?.kind === 'tool' ? written : action;
      const args = takesValues(action.name, config) ? own.arguments : '';
      const unknown = handlesIn(args).flatMap(({ handle }) => (value(handle) === undefined ? [handle] : []));
      if (unknown.length > 0) return { kind: 'unknown', text: unknownText(unknown) };
      const runs = args === '' ? action : { ...action, arguments: filter.reveal({ arguments: args }).arguments };
      return { kind: 'ready', judged: runs, runs, env: {} };
    },
  };
}

type Command = Extract<Action, { kind: 'command' }>;

function restoreAction(
  filter: SecretsFilter,
  action: Command,
  written: Action | undefined,
  value: (handle: string) => string | undefined,
): RestoredAction {
  const restored = restoreCommand(
    written?.kind === 'command' ? written.command : action.command,
    value,
    (handle) => filter.seenIn(handle) === 'action',
  );
  if (restored.kind === 'unknown') return { kind: 'unknown', text: unknownText(restored.handles) };
  const { command, judged, env, unsafe } = restored;
  return {
    kind: 'ready',
    judged: { ...action, command: judged },
    runs: { ...action, command },
    env,
    ...(unsafe === undefined ? {} : { unsafe }),
  };
}

function unknownText(handles: readonly string[]): string {
  return `not run: nothing here knows the secret behind ${handles.join(', ')} any more; read it again from where it is kept, or ask the user for it`;
}

/** Registers the secrets of the configuration: variables that it names as keys, and values for other programs. */
export function learnConfig(filter: SecretsFilter, { models, mcp }: Config, env: Environment): void {
  const keys = Object.values(models).flatMap((model) => [model.api_key_env ?? [], headerVariables(model)].flat());
  filter.learn(() => environmentSources(Object.fromEntries(keys.map((name) => [name, env[name]])), keys));
  filter.learn(function* () {
    for (const { headers = {} } of Object.values(models)) yield* environmentSources(headers);
    for (const server of Object.values(mcp.servers)) {
      const given = ('command' in server ? server.env : server.headers) ?? {};
      yield* environmentSources(given);
      for (const [key, value] of Object.entries(given)) {
        // A variable in a header is a key, whatever its name; other variables, such as `HOME`, are none.
        const keys = 'url' in server ? [key] : [];
        for (const name of variablesIn(value)) yield* environmentSources({ [key]: env[name] }, keys);
      }
    }
  });
}

/** Returns the environment without the keys of the configured presets, except those in `sandbox.pass_keys`. */
export function withoutKeys(
  { models, sandbox: { pass_keys: passed } }: Pick<Config, 'models' | 'sandbox'>,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const keys = new Set(Object.values(models).map(({ api_key_env: name }) => name));
  const goes = (name: string) => keys.has(name) && passed !== true && !(passed || []).includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !goes(name)));
}

/** Registers the preset's key once it is fetched: the output of a key command is in no variable. */
export function learningKey(filter: SecretsFilter, preset: Preset): Preset {
  const { apiKey } = preset;
  if (!apiKey) return preset;
  return {
    ...preset,
    apiKey: async () => {
      const key = await apiKey();
      if (key !== undefined) filter.learn(() => environmentSources({ API_KEY: key }, ['API_KEY']));
      return key;
    },
  };
}

/** Registers the value of a login, which has no name. */
export function learnsToken(filter: SecretsFilter) {
  return (token: string): void => filter.learn(() => environmentSources({ MCP_TOKEN: token }, ['MCP_TOKEN']));
}

/** Registers the secrets of each environment that a command gets; an unchanged environment costs nothing. */
export function learnsEnvironment(filter: SecretsFilter) {
  const seen = new Map<string, string>();
  return (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
    const fresh = Object.entries(env).filter(([name, value]) => seen.get(name) !== value);
    for (const [name, value] of fresh) seen.set(name, value);
    if (fresh.length > 0) filter.learn(() => environmentSources(Object.fromEntries(fresh)));
    return env;
  };
}

type Prepared = { readonly messages: readonly Message[] } | { readonly refused: string; readonly final: true };

/** Applies the preset's secrets policy to the messages of a request (SE-1). */
export function preparedFor(filter: SecretsFilter, preset: Preset, messages: readonly Message[]): Prepared {
  const policy = secretsPolicy(preset);
  if (policy === 'off') return { messages: filter.reveal(messages) };
  const hidden = filter.hide(messages, `what was sent to ${preset.name}`);
  if (policy === 'scrub') return { messages: hidden };
  const handles = new Set(hidden.flatMap((message) => handlesIn(JSON.stringify(message)).map(({ handle }) => handle)));
  if (handles.size === 0) return { messages };
  const kinds = [...new Set([...handles].map(kindOf))].join(', ');
  return {
    refused: `${preset.name}: not sent, the conversation holds ${handles.size === 1 ? 'a secret' : `${handles.size} secrets`} (${kinds}) and "secrets" is "block" for it; :reset starts a new conversation, :model switches models`,
    final: true,
  };
}

function kindOf(handle: string): string {
  return handle.slice(1, handle.lastIndexOf('_'));
}

/** Counts tokens of the text that is sent: true values for a preset that gets them. */
export function countingTrueTexts(broker: Broker, filter: SecretsFilter, presets: readonly Preset[]): Broker {
  return {
    ...broker,
    measure(name, request) {
      const preset = presets.find((candidate) => candidate.name === name);
      return broker.measure(
        name,
        preset && secretsPolicy(preset) === 'off' ? { ...request, ...revealed(request) } : request,
      );
    },
  };

  function revealed({ head, texts }: { readonly head: string; readonly texts: readonly string[] }) {
    return { head: filter.reveal(head), texts: filter.reveal(texts) };
  }
}
