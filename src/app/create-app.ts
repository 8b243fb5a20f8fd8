/** The app: the functions that `:` commands and front ends use. */
import { randomBytes } from 'node:crypto';
import { constants, existsSync, statSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  discover,
  type Found,
  isAddress,
  isSameServer,
  lookAtAddress,
  type Preset,
  presetInfo,
  probeServer,
  silenceOf,
} from '../broker/index.ts';
import type { App, RulesPort, ScreenPort } from '../commands/app.ts';
import { type CompleteShell, completeLine } from '../commands/complete.ts';
import { FleetDesk } from '../commands/fleet-desk.ts';
import { Waits } from '../commands/waits.ts';
import {
  type Config,
  changeConfig,
  type ModelConfig,
  ofDirectory,
  placesOf,
  writeModelChoice,
} from '../config/index.ts';
import type { AttachmentsPort } from '../contracts/lines.ts';
import type { PresetsPort, SetupOffer, SetupPort, SetupProblem } from '../contracts/models.ts';
import type { Engine } from '../engine/engine.ts';
import type { Forms } from '../engine/forms.ts';
import { ForegroundJob, ShellQueue } from '../engine/shell-queue.ts';
import {
  completeShell,
  editText,
  isIncomplete,
  processEnvironment,
  shellName,
  type UserShell,
} from '../executor/index.ts';
import { classify, isAffirmation } from '../router/index.ts';
import { hostOf } from '../session/place.ts';
import { isLocked, journalPath, listSessions, oldSessions, readEnding, removeSessions } from '../store/index.ts';
import { makeDirectory, readBeginning } from '../text/files.ts';
import { clean, plainText } from '../text/sanitize.ts';
import { quotedName } from './attachments/read.ts';
import type { Environment } from './environment.ts';
import { gitBranch } from './git-branch.ts';
import { openInBrowser } from './open-address.ts';
import { configOf, isUnasked, UNASKED } from './presets.ts';
import { treeAround } from './project-tree.ts';
import type { AppServices } from './services.ts';

/** Programs on PATH offered by Tab. */
const MAX_OFFERED_PROGRAMS = 200;

/** The shell after its startup files; undefined if it fails to start or `end` aborts. */
function loaded(shell: Promise<UserShell>, end: AbortSignal): Promise<UserShell | undefined> {
  return new Promise((resolve) => {
    end.addEventListener('abort', () => resolve(undefined), { once: true });
    shell.then(resolve, () => resolve(undefined));
  });
}

export function createApp(
  environment: Environment,
  services: AppServices,
  engine: Engine,
  forms: Forms,
  notices: readonly string[],
): App {
  const { options, config, session, sessions, index } = environment;
  const { shell, hosts, front, here, words, history, jobs, memory, costs, safety, mcpPort, network, patch, undoPort } =
    services;
  const quitListeners = new Set<(code: number) => void>();
  let screen: ScreenPort | undefined;
  let next: App['sessions']['next'];
  const shellCompletion: CompleteShell = (line, cursor, signal) =>
    completeShell(
      line,
      cursor,
      {
        cwd: engine.shellCwd,
        ask: async (question, end) => {
          const facts = await (front() ?? (await loaded(hosts.front ?? shell.ready, end)))?.complete(question, end);
          // On a remote host, this machine's files and programs say nothing about a line.
          return hostOf(engine.shellCwd) === undefined ? facts : (facts ?? []);
        },
        executables: (start) => index.startingWith(start, MAX_OFFERED_PROGRAMS),
      },
      signal,
    );
  const leaveFor = (other: NonNullable<App['sessions']['next']>): string | undefined => {
    if (engine.conversation.phase.kind !== 'idle') return 'the model is running: stop it first';
    if (app.shell.busy) return 'a command runs: end it first';
    if (app.fleet.run) return 'a fleet is running: :fleet stop ends it';
    if (jobs.running().length > 0) return 'background jobs are still running and would end: :jobs lists them';
    next = other;
    app.quit();
    return undefined;
  };
  let completeness = { line: '', program: front()?.program, incomplete: false };
  const app: App = {
    engine,
    notices,
    shell: new ShellQueue(engine, () => hosts.front ?? shell.ready),
    front: new ForegroundJob(engine),
    waits: new Waits(() => engine.changed()),
    classify(line) {
      const route = classify(line, words);
      // After the model has asked a question, a short "yes" answers it.
      return !route.forced && isAffirmation(line) && asksBack(engine)
        ? { ...route, kind: 'ai', why: 'an answer' }
        : route;
    },
    rememberRoute({ unsure, kind }) {
      if (unsure !== undefined && kind !== 'meta') services.choices.add(unsure, kind);
    },
    words: services.wordFacts,
    shellName: async () => shellName((await shell.ready).program),
    viKeys: () => front()?.state.vi ?? false,
    setTerminalFacts(facts) {
      shell.facts = facts;
    },
    ownSearch: (line, size, onData) => front()?.search(line, size, onData),
    incomplete(line) {
      const program = front()?.program;
      // Both Enter and the code that runs the line ask whether it is complete, so the last answer is reused.
      if (line !== completeness.line || program !== completeness.program) {
        completeness = { line, program, incomplete: isIncomplete(line, program) };
      }
      return completeness.incomplete;
    },
    complete: (line, cursor, signal) => completeLine(app, line, cursor, signal, shellCompletion),
    openAddress: (address) => openInBrowser(address, process.env),
    async edit(text) {
      const env = (await shell.current?.environment()) ?? processEnvironment();
      // The editor runs in the real terminal, not in the shell's.
      return editText(text, { env: { ...env, TERM: process.env.TERM ?? 'xterm' }, cwd: here() });
    },
    keepOutput: (text) => keepOutput(services.dataDir, text),
    async programs() {
      const env = (await shell.current?.environment()) ?? processEnvironment();
      return { pager: env.PAGER ?? 'less -R', editor: env.VISUAL ?? env.EDITOR ?? 'vi' };
    },
    saveOutput: (command, text, file) => saveOutput(here(), command, text, file),
    readOutput: (file) => readFile(file, 'utf8'),
    saveNew: (name, text) => saveNew(here(), name, text),
    history,
    attachments: lazyAttachments(() => app, services.dataDir),
    memory,
    cost: costs,
    info() {
      return {
        // Reads files; therefore a getter.
        get branch() {
          return hostOf(engine.shellCwd) === undefined ? gitBranch(engine.shellCwd) : undefined;
        },
        get surroundings() {
          return surroundings(front()?.state.env ?? {});
        },
        shellPrompt: config.ui.prompt === 'shell' ? (front()?.state.prompt ?? '') : '',
        jobs: jobs.running().length,
        sandbox: engine.conversation.settings.sandbox,
        unsaved: services.unsaved(),
        withoutOpinion: services.withoutOpinion(),
        withoutUndo: services.withoutUndo(),
        changed: services.changed(),
        sessionId: session.id,
        version: options.version,
      };
    },
    presets: presetsPort(environment, services, engine),
    setup: setupPort(environment),
    safety,
    rules: rulesPort({ ...environment, cwd: process.cwd() }),
    mcp: mcpPort,
    network,
    fleets: services.fleets,
    fleet: new FleetDesk(engine, services.fleets),
    hosts,
    forms,
    undo: undoPort,
    async changesTold() {
      await services.undo.looking;
    },
    patches: patch,
    sessions: {
      async list() {
        const all = await listSessions(sessions);
        const others = all.filter(({ id }) => id !== session.id);
        return others.map((each) => ({ ...each, open: isLocked(join(sessions, each.id)) }));
      },
      ending: (id) => readEnding(journalPath(sessions, id)),
      resume: ({ id, cwd }, fork) => leaveFor({ id, fork, cwd }),
      again: (model) => leaveFor({ id: session.id, fork: false, cwd: engine.shellCwd, model }),
      get next() {
        return next;
      },
      days: config.disk.days,
      old: () => oldSessions(sessions, config.disk.days, Date.now()),
      remove: (old) => removeSessions(sessions, old),
    },
    async doctor() {
      const lines: string[] = [];
      const { examine, examinedLine } = await import('./doctor.ts');
      await examine(options.global, (examined) => lines.push(examinedLine(examined)));
      return lines;
    },
    ui: config.ui,
    keys: config.keys,
    get screen() {
      return screen;
    },
    attachScreen(port) {
      screen = port;
      return () => {
        if (screen === port) screen = undefined;
      };
    },
    onQuit(listener) {
      quitListeners.add(listener);
      return () => quitListeners.delete(listener);
    },
    quit(code = 0) {
      for (const listener of quitListeners) listener(code);
    },
  };
  // Runs after the end of the last command, which belongs to the session.
  void shell.left.then(async (code) => {
    await app.shell.idle;
    app.quit(code);
  });
  return app;
}

function asksBack({ conversation }: Engine): boolean {
  const last = conversation.turns.at(-1);
  return last?.kind === 'assistant' && last.text.trimEnd().endsWith('?');
}

function presetsPort({ presets, config }: Environment, { broker }: AppServices, engine: Engine): PresetsPort {
  return {
    list: () => broker.presets(),
    async probe(name, signal) {
      const info = broker.presets().find((preset) => preset.name === name);
      if (info && isUnasked(presets, info, engine.conversation.preset)) return UNASKED;
      const { window = broker.window(name), ...probe } = await broker.probe(name, signal);
      return window === undefined ? probe : { ...probe, window };
    },
    async problem(name, signal) {
      const preset = presets.list.find((each) => each.name === name);
      if (!preset || !presetInfo(preset).local || config.models[name]?.serve !== undefined) return undefined;
      return silenceOf(preset, signal);
    },
    learnedWindow: (name) => broker.learnedWindow(name),
    forgetWindows: () => broker.forgetWindows(),
    keep(name) {
      const model = presets.found[name];
      if (!model)
        return `${name} was not detected automatically; write it into the configuration by hand (docs/config.md)`;
      const path = placesOf(process.env).config;
      return writeModelChoice(path, name, model) ?? `${name} is saved in ${path}`;
    },
  };
}

// Saves the output of a command when the user asks for it.

/** How many file names to try before giving up. */
const MAX_NAMES = 100;

/**
 * Writes an output to a new file with mode 0600, named after the command. Returns its path. Never overwrites a file.
 * @param file the file of the full output, if `text` is only a part
 */
async function saveOutput(folder: string, command: string, text: string, file?: string): Promise<string> {
  const name = (/[\w.-]+/.exec(command)?.[0] ?? 'output').replace(/^[.-]+/, '') || 'output';
  for (let count = 1; count <= MAX_NAMES; count += 1) {
    const path = join(folder, count === 1 ? `${name}.out.txt` : `${name}.out.${count}.txt`);
    try {
      if (file === undefined) await writeFile(path, text === '' ? '' : `${text}\n`, { mode: 0o600, flag: 'wx' });
      else await copyFile(file, path, constants.COPYFILE_EXCL);
      return path;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  throw new Error(`all names like ${name}.out.txt are taken`);
}

/** Creates a file of this name with mode 0600. Returns its path. Rejects with one line if that fails. */
async function saveNew(folder: string, name: string, text: string): Promise<string> {
  const path = resolve(folder, name);
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return path;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new Error(`${path} is there already`);
    throw error;
  }
}

/** Writes a text beside the session's full outputs, with mode 0600. Returns its path. */
async function keepOutput(folder: string, text: string): Promise<string> {
  const path = join(folder, `last-${randomBytes(6).toString('hex')}.txt`);
  makeDirectory(folder);
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  return path;
}

// Loads `find.ts` with the first `@`, so that the start does not wait for it.

/** The path that a terminal pastes when the user drops a file on it. */
const DROPPED = /^(?:'[^'\n]+'|"[^"\n]+"|(?:file:\/\/|~?\/)(?:\\.|[^\s\\])+)$/;
const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;

/** @param keep the folder for images */
function lazyAttachments(app: () => App, keep: string): AttachmentsPort {
  const port = async () => (await import('./attachments/find.ts')).attachmentsOf(app(), keep);
  return {
    find: async (question) => (await port()).find(question),
    take: async (question) => (await port()).take(question),
    complete: async (start) => (await port()).complete(start),
    pasted(text) {
      const word = text.trim();
      if (!DROPPED.test(word)) return undefined;
      const bare = word.startsWith('file:')
        ? pathOf(word)
        : word.replace(/^(['"])(.*)\1$/, '$2').replace(/\\(.)/g, '$1');
      return bare !== undefined && IMAGE.test(bare) && existsSync(bare) ? `@${quotedName(bare)}` : undefined;
    },
  };
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

// `:setup`: finds local servers and API keys, tests a model, and saves the preset after the user's yes (BR-6).

/** Local servers may be slow to answer, and only the user who asked waits. In ms. */
const DISCOVERY_TIMEOUT_MS = 1500;
/** The same for an address that may be remote. In ms. */
const ADDRESS_TIMEOUT_MS = 3500;

type Offered = {
  readonly offer: SetupOffer;
  readonly preset: Preset;
  readonly model: ModelConfig;
  /** The settings to save in the configuration under the preset’s name. */
  readonly change: Partial<ModelConfig>;
};

function setupPort({ config, configFile, presets }: Environment): SetupPort {
  const offered = async (found: readonly Found[], wanted?: string): Promise<readonly Offered[]> => {
    const taken = new Set(Object.keys(config.models));
    const known = await Promise.all(found.map((each) => presetAt(config, each, wanted)));
    return found.map((each, at) => {
      const own = known[at];
      const name = own?.name ?? freeName(each, taken);
      taken.add(name);
      const id = own ? modelOf(own.model, each) : each.preset.model;
      // Address, key, window and policy belong together: take all four from one preset.
      const preset = { ...(presets.list.find((one) => own && one.name === name) ?? each.preset), model: id };
      const model = { ...(own?.model ?? configOf(each)), model: id };
      const { kind, label, keyVariable } = each;
      const offer: SetupOffer = {
        ...{ name, kind, label, model: id, address: preset.baseUrl },
        ...(keyVariable === undefined ? {} : { key: keyVariable }),
        ...(own ? { known: true } : {}),
        ...(preset.apiKey || presetInfo(preset).local ? {} : { unproven: true }),
      };
      return { offer, preset, model, change: own ? { model: id } : model };
    });
  };
  const look = async (wanted?: string) =>
    offered(await discover({ env: process.env, timeoutMs: DISCOVERY_TIMEOUT_MS }), wanted);
  /** Match the list before trying an address: a name like `qwen2.5` looks like an address. */
  const named = async (wanted: string, signal: AbortSignal): Promise<Offered | SetupProblem> => {
    const configured = Object.hasOwn(config.models, wanted);
    const problem = configured
      ? `${wanted} is configured, and was not found on this machine: :model ${wanted} uses it`
      : `nothing called ${wanted} was found; :setup lists what was`;
    if (configured || !isAddress(wanted))
      return (await look(wanted)).find(({ offer }) => offer.name === wanted) ?? { problem };
    const seen = await lookAtAddress(wanted, { signal, timeoutMs: ADDRESS_TIMEOUT_MS });
    return 'problem' in seen ? seen : ((await offered([seen]))[0] ?? { problem });
  };
  return {
    file: configFile,
    found: presets.notice,
    find: async () => (await look()).map(({ offer }) => offer),
    async test(wanted, signal) {
      const one = await named(wanted, signal);
      if ('problem' in one) return one;
      const { offer, preset, change } = one;
      const probe = await probeServer(preset, signal);
      return { offer, probe, written: JSON.stringify({ [offer.name]: change }, null, 2) };
    },
    async write(wanted, signal) {
      const one = await named(wanted, signal);
      if ('problem' in one) return one;
      const { name } = one.offer;
      const problem = writeModelChoice(configFile, name, one.model);
      return problem === undefined ? { name } : { problem };
    },
  };
}

/** The configured preset of the server that was found: the one called `wanted`, else the first. */
async function presetAt(
  { models }: Environment['config'],
  found: Found,
  wanted: string | undefined,
): Promise<{ readonly name: string; readonly model: ModelConfig } | undefined> {
  const look = { signal: AbortSignal.timeout(ADDRESS_TIMEOUT_MS), timeoutMs: DISCOVERY_TIMEOUT_MS };
  const all = Object.entries(models).map(([name, model]) => ({ name, model }));
  const same = await Promise.all(all.map(({ model }) => isSameServer(model.base_url, found, look)));
  const there = all.filter((_, at) => same[at]);
  return there.find(({ name }) => name === wanted) ?? there[0];
}

/** The preset's model, unless the server lists only others. */
function modelOf({ model }: ModelConfig, { kind, models, preset }: Found): string {
  const stays = model !== undefined && (kind === 'key' || models.length === 0 || models.includes(model));
  return stays ? model : preset.model;
}

/** The server's own name, unless the configuration already uses it for another address. */
function freeName({ preset, label }: Found, taken: ReadonlySet<string>): string {
  const own = label.toLowerCase().replace(/[^a-z0-9]+/g, '');
  const names = [preset.name, own, ...Array.from({ length: 20 }, (_, at) => `${own}${at + 2}`)];
  return names.find((name) => !taken.has(name)) ?? preset.name;
}

// The parts of the environment that change what a command does: Python's virtual environment, conda, kubectl's
// context.

const MAX_BYTES = 64 * 1024;
const MAX_NAME_CHARS = 24;

type Surroundings = Readonly<Record<string, string | undefined>>;

let kube: { readonly path: string; readonly changed: number; readonly context: string } | undefined;

/** Returns `venv api · k8s prod` from the exported environment of the user's shell, or '' if nothing applies. */
function surroundings(env: Surroundings): string {
  const venv = env.VIRTUAL_ENV_PROMPT ?? (env.VIRTUAL_ENV && basename(env.VIRTUAL_ENV));
  const parts = [
    ['venv', venv],
    ['conda', env.CONDA_DEFAULT_ENV],
    ['k8s', kubeContext(env)],
  ] as const;
  return parts.flatMap(([what, name]) => (name ? [`${what} ${short(name)}`] : [])).join(' · ');
}

/** Sanitize: variables and files may contain control characters. */
function short(name: string): string {
  const text = plainText(clean(name))
    .replace(/[()\s]+/g, ' ')
    .trim();
  return text.length > MAX_NAME_CHARS ? `${text.slice(0, MAX_NAME_CHARS - 1)}…` : text;
}

/** The current context of kubectl's first readable file, cached until the file changes. */
function kubeContext(env: Surroundings): string {
  const path = env.KUBECONFIG?.split(':')[0] || join(env.HOME ?? '/nonexistent', '.kube/config');
  try {
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (changed === undefined) return '';
    if (kube?.path !== path || kube.changed !== changed) {
      const context = /^current-context:\s*["']?([^"'\n]*)/m.exec(readBeginning(path, MAX_BYTES))?.[1]?.trim() ?? '';
      kube = { path, changed, context };
    }
    return kube.context;
  } catch {
    return '';
  }
}

// The user's allow rules for one directory: `projects.PATH.allow` in the configuration (AC-7).

type Place = {
  readonly config: Pick<Config, 'projects'>;
  readonly configFile: string;
  readonly cwd: string;
};

/** Saves rules under the configured directory around `cwd`, else under the project's root. */
export function rulesPort({ config, configFile, cwd }: Place): RulesPort {
  const tree = treeAround(cwd, homedir(), (directory) => existsSync(join(directory, '.git'))) ?? cwd;
  const found = ofDirectory(config.projects, cwd, 'allow');
  const name = found?.name ?? tree;
  let rules = found?.value ?? [];
  const write = (wanted: readonly string[], done: string): string => {
    const place = ['projects', name, 'allow'];
    const problem = changeConfig(configFile, [{ place, value: wanted.length > 0 ? wanted : undefined }]);
    if (problem !== undefined) return problem;
    rules = wanted;
    return `${done} in ${configFile}`;
  };
  return {
    keep: (rule) => write([...new Set([...rules, rule])], `${rule} is kept for ${name}`),
    drop: (rule) =>
      rules.includes(rule)
        ? write(
            rules.filter((one) => one !== rule),
            `${rule} is no longer kept for ${name}`,
          )
        : undefined,
  };
}
