/**
 * The broker's presets from the configured models; without any, from detected servers and keys, or the demo (BR-6).
 */
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import { DEMO_PRESET, discover, type Found, type Preset } from '../broker/index.ts';
import { type Config, filledText, type ModelConfig, variablesIn } from '../config/index.ts';
import type { PresetInfo } from '../contracts/models.ts';
import { asArray, isJsonObject, type JsonObject } from '../text/json.ts';

/**
 * The longest time to look for servers, in ms: ports of this machine answer or refuse at once, unless a server hangs.
 */
const DISCOVERY_TIMEOUT_MS = 400;
const KEY_COMMAND_TIMEOUT_MS = 10_000;
/** Node fires a timer of more than 24 days at once. */
const MAX_TIMER_MS = 2_000_000_000;

/** Returns the environment variables used in a preset's headers. */
export function headerVariables({ headers = {} }: ModelConfig): readonly string[] {
  return Object.values(headers).flatMap(variablesIn);
}

export type Presets = {
  readonly list: readonly Preset[];
  readonly active: string;
  /** A line that tells the user where a detected model comes from. */
  readonly notice?: string;
  /** The detected models, in the form of the configuration. */
  readonly found: Readonly<Record<string, ModelConfig>>;
};

/** The state of a remote preset detected by its key: it is not contacted until the user chooses it. */
export const UNASKED = {
  reachable: false,
  unasked: true,
  detail: 'not contacted until you choose it',
} as const;

/** Whether the preset was only detected, is remote, and is not active. */
export function isUnasked({ found }: Presets, { name, local }: PresetInfo, active: string): boolean {
  return name in found && !local && name !== active;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @param wanted the preset from `--model`, which overrides the configured one */
export async function choosePresets(config: Config, env: Environment, wanted: string | undefined): Promise<Presets> {
  const configured = Object.entries(config.models).map(([name, model]) => presetOf(name, model, env));
  if (configured.length > 0) {
    const list = configured.some((preset) => preset.name === 'demo') ? configured : [...configured, DEMO_PRESET];
    return { list, active: wanted ?? config.model ?? configured[0]?.name ?? 'demo', found: {} };
  }
  // A user who names the demo gets it, even if servers run on this machine.
  if ((wanted ?? config.model) === 'demo') return { list: [DEMO_PRESET], active: 'demo', found: {} };
  const found = await discover({ env, timeoutMs: DISCOVERY_TIMEOUT_MS });
  const writable = Object.fromEntries(found.map((item) => [item.preset.name, configOf(item)]));
  // Prefer a local server: nothing leaves this machine unless the user has chosen a remote preset.
  const here = found.find((item) => item.kind === 'server');
  const active = wanted ?? here?.preset.name ?? 'demo';
  const list = [...found.map((item) => item.preset), DEMO_PRESET];
  return { list, active, found: writable, ...(found.length > 0 ? { notice: foundNotice(found, here) } : {}) };
}

function foundNotice(found: readonly Found[], here: Found | undefined): string {
  const keys = found.filter((item) => item.kind === 'key').map((item) => `:model ${item.preset.name} (${item.label})`);
  const used = here ? [`Using ${here.label}: ${here.detail} as "${here.preset.name}" (:model keep saves this).`] : [];
  const offered =
    keys.length > 0 ? [`Found a key for ${keys.join(', ')}; nothing is sent there until you choose it.`] : [];
  return [...used, ...offered].join(' ');
}

/** Saves the name of the key's variable, never the key. */
export function configOf({ preset, keyVariable }: Found): ModelConfig {
  const key = keyVariable === undefined ? {} : { api_key_env: keyVariable };
  return { base_url: preset.baseUrl, model: preset.model, ...key };
}

function presetOf(name: string, model: ModelConfig, env: Environment): Preset {
  const {
    base_url: baseUrl,
    model: id,
    api_key_env: variable,
    api_key_cmd: command,
    context,
    fallback,
    secrets,
    images,
    timeout,
    temperature,
    top_p,
    reasoning_effort,
    max_answer_tokens: maxAnswerTokens,
    headers = {},
    extra_body: body = {},
  } = model;
  const key =
    command !== undefined ? () => keyFrom(command) : variable !== undefined ? async () => env[variable] : undefined;
  return {
    name,
    baseUrl,
    model: id ?? name,
    ...(key === undefined ? {} : { apiKey: key }),
    ...(context === undefined ? {} : { context }),
    ...(timeout === undefined ? {} : { firstByteMs: Math.min(timeout * 1000, MAX_TIMER_MS) }),
    ...(maxAnswerTokens === undefined ? {} : { maxAnswerTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    fields: {
      ...(top_p === undefined ? {} : { top_p }),
      ...(reasoning_effort === undefined ? {} : { reasoning_effort }),
    },
    extras: () => ({
      headers: Object.fromEntries(
        Object.entries(headers).map(([key, value]) => [key, filledText(value, `models.${name}.headers.${key}`, env)]),
      ),
      body: filledIn(body, `models.${name}.extra_body`, env),
    }),
    ...(fallback === undefined ? {} : { fallback }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(typeof images === 'boolean' ? { capabilities: { images } } : {}),
  };
}

/** Replaces `${NAME}` by the environment's value. Throws if the variable is missing. */
function filledIn(values: JsonObject, place: string, env: Environment): JsonObject {
  const filled = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return filledText(value, `${place}.${key}`, env);
    if (Array.isArray(value)) return asArray(value).map((each) => filled(each, key));
    return isJsonObject(value) ? filledIn(value, `${place}.${key}`, env) : value;
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, filled(value, key)]));
}

/** Returns what a configured command prints. */
export async function keyFrom(command: string): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    // The home directory: the command must not pick up files of a project.
    cwd: homedir(),
    timeout: KEY_COMMAND_TIMEOUT_MS,
  });
  return stdout.trim() || undefined;
}
