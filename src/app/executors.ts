/** Runs commands: the model's in a fresh shell, the user's background commands in their own shell's environment. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type {
  AgentCommands,
  Connecting,
  LaunchOptions,
  Leftover,
  PreparedCommand,
  RunningCommand,
  UserCommands,
} from '../contracts/commands.ts';
import {
  createPrivateTmp,
  endedWith,
  lightArgv,
  projectArgv,
  sandboxArgv,
  sandboxEnvironment,
  supervisedArgv,
} from '../effects/sandbox/index.ts';
import {
  behindTrial,
  type ChangeStore,
  type Keeping,
  type TrialLaunch,
  type TrialStore,
} from '../effects/undo/index.ts';
import { type OutputSize, sizeForModel } from '../engine/live.ts';
import { ownedPrefix, prepareOnce, runForUser, runOnce, takePipe, type UserShell } from '../executor/index.ts';
import type { ProjectCache } from './project-caches.ts';
import type { SessionNetwork } from './session-network.ts';

export type AgentOptions = {
  /** The exported environment of the user's shell as of its last prompt. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** The folder for files of full output. */
  readonly dataDir: string;
  readonly size: () => OutputSize;
  /** Whether no user is there to type into a command. */
  readonly alone: boolean;
  /** The path of the sandbox launcher; undefined if the sandbox is unavailable. */
  readonly launcher?: string;
  /** Whether commands in Unrestricted run in the light sandbox. A string gives the reason why they can't. */
  readonly light: boolean | string;
  /** Project mode relies on Landlock alone, because this machine allows no namespaces. */
  readonly held: boolean;
  /** aish-tui's own directories, which no recorded command may change (MO-12). */
  readonly own: readonly string[];
  /** The network shared by all commands in Project mode. */
  readonly network: Pick<SessionNetwork, 'join' | 'began'>;
  /** Returns the directory for package caches of a project. */
  readonly cacheOf: (tree: string) => ProjectCache | undefined;
  /** Returns the directory that Project mode may write to at the moment; undefined if there is none (MO-9). */
  readonly projectTree: () => string | undefined;
  /** Records what commands in Unrestricted and Project change (EF-1), with the launcher at `supervisor`. */
  readonly keep: {
    readonly store: Pick<ChangeStore, 'keepCommand' | 'unavailable' | 'waiting' | 'takeBack'>;
    readonly supervisor: string;
    readonly warn: (text: string) => void;
    /** Called when a command runs without recording its changes. */
    readonly unseen: (cwd: string) => void;
  };
};

/** setuid programs and file capabilities have no effect below a supervisor, unless root started it. */
const GAINS_RIGHTS = /(?:^|[^\w.-])(?:sudo|su|doas|pkexec|run0|sg|newgrp|fusermount3?|ping|mount|umount)(?![\w-])/;

/** The notice for a command whose changes are not recorded. */
export const NOT_RECORDED = ':undo can’t cover commands that gain privileges (sudo, su, mount …)';

/** Returns whether a command would fail below a supervisor. In doubt true: then the command runs unrecorded. */
export function gainsRights(command: string, root: boolean): boolean {
  return !root && GAINS_RIGHTS.test(command);
}

/** The note for the model if background processes ended with their command. */
function endNote(statusFile: string | undefined): string | undefined {
  const count = statusFile === undefined ? 0 : endedWith(statusFile);
  if (count === 0) return undefined;
  const what = count === 1 ? 'its background process was' : `its ${count} background processes were`;
  return `${what} ended with it; a job (CMD&: or wait_seconds 0) stays`;
}

/** A command ready to start, with its recording and what to release afterwards. */
type Made = {
  readonly once: PreparedCommand;
  readonly kept?: Keeping | undefined;
  readonly dispose?: () => void;
  readonly isLight?: boolean;
};

/** Runs the model's commands, each in a fresh bash (EX-10), in Restricted behind the kernel sandbox (MO-2). */
export function agentCommands(options: AgentOptions): AgentCommands {
  const leftovers = new WeakMap<RunningCommand, Promise<Leftover | undefined>>();
  const keepings = new WeakMap<RunningCommand, Keeping>();
  const inLight = new WeakSet<RunningCommand>();
  let told = false;
  const connecting = new WeakMap<RunningCommand, Connecting>();
  const follow = (running: RunningCommand, kept: Keeping | undefined) => {
    const behind = kept && running.result.then(() => kept.end(true).catch(() => undefined));
    if (behind) leftovers.set(running, behind);
    if (kept) keepings.set(running, kept);
    return running;
  };
  const prepare = async (command: string, how: LaunchOptions): Promise<PreparedCommand> => {
    const { light, keep } = options;
    if (how.mode === 'unrestricted' && typeof light === 'string' && !told) {
      told = true;
      keep.warn(`commands in Unrestricted run without the light sandbox: ${light}`);
    }
    // Fail closed: an unknown mode gets the strictest sandbox.
    const inMode = how.mode === 'unrestricted' ? inUnrestricted : how.mode === 'project' ? inProject : inRestricted;
    const { once, kept, dispose, isLight } = await inMode(options, command, how);
    let over = false;
    return {
      begin() {
        over = true;
        const running = follow(once.begin(), kept);
        if (isLight) inLight.add(running);
        if (how.mode === 'project') connecting.set(running, options.network.began(running));
        if (dispose) void running.result.finally(dispose);
        return running;
      },
      drop() {
        if (over) return;
        over = true;
        once.drop();
        void kept?.end(false);
        dispose?.();
      },
    };
  };
  return {
    left: (running) => leftovers.get(running) ?? Promise.resolve(undefined),
    isLight: (running) => inLight.has(running),
    attempt: (running) => keepings.get(running)?.attempt(),
    connecting: (running) => connecting.get(running),
    takeBack: (action) => options.keep.store.takeBack(action),
    waiting: () => options.keep.store.waiting(),
    prepare,
    run: async (command, how) => (await prepare(command, how)).begin(),
  };
}

async function inUnrestricted(
  options: AgentOptions,
  command: string,
  { cwd, signal, outside = false, pipes = false, env: extra = {} }: LaunchOptions,
): Promise<Made> {
  const { environment, dataDir, size, alone, keep, light, launcher } = options;
  const env = await environment();
  const isLight = light === true && launcher !== undefined && !outside;
  // The light sandbox blocks gaining rights anyway.
  const gains = !isLight && gainsRights(command, process.getuid?.() === 0);
  const kept = gains ? undefined : await keep.store.keepCommand(command, cwd);
  if (gains && (await keep.store.unavailable()) === undefined) keep.warn(NOT_RECORDED);
  if (!kept) keep.unseen(cwd);
  giveUpAborted(signal, kept);
  const behind = behindIn(options, cwd, kept, isLight);
  const launch = behind ? { launcher: behind.wrap, ...(await pipeFor(pipes, behind.program)) } : {};
  const once = prepareOnce({
    ...{ command, cwd, dataDir, alone },
    ...sizeForModel(size()),
    env: { ...env, ...extra },
    ...launch,
    endNote: () => endNote(kept?.statusFile),
  });
  return { once, kept, isLight };
}

/** The user may abort while the shell starts; then the command must not start. */
function giveUpAborted(signal: AbortSignal, kept: Keeping | undefined): void {
  if (signal.aborted) void kept?.end(false);
  signal.throwIfAborted();
}

async function inRestricted(
  { environment, dataDir, size, alone, launcher }: AgentOptions,
  command: string,
  { cwd, signal, pipes = false, env: extra = {} }: LaunchOptions,
): Promise<Made> {
  const env = await environment();
  giveUpAborted(signal, undefined);
  // Fail closed: a command judged for Restricted never runs without the sandbox.
  if (launcher === undefined) throw new Error('the kernel sandbox is not available');
  const tmp = createPrivateTmp(ownedPrefix('run'));
  const once = prepareOnce({
    ...{ command, cwd, dataDir, alone },
    ...sizeForModel(size()),
    env: { ...sandboxEnvironment(env, tmp.path), ...extra },
    launcher: (argv) => sandboxArgv({ launcher, argv, cwd, tmpDir: tmp.path, statusFile: tmp.statusFile }),
    ...(await pipeFor(pipes, launcher)),
    endNote: () => endNote(tmp.statusFile),
  });
  return { once, dispose: () => tmp.dispose() };
}

/** The wrapper program and arguments of a command in Unrestricted; undefined: no wrapper. */
function behindIn({ launcher, keep, own }: AgentOptions, cwd: string, kept: Keeping | undefined, isLight: boolean) {
  const how = kept === undefined ? { cwd } : { cwd, keep: { ...kept, own }, statusFile: kept.statusFile };
  if (launcher !== undefined && isLight)
    return { program: launcher, wrap: (argv: readonly string[]) => lightArgv({ ...how, launcher, argv }) };
  if (kept === undefined) return undefined;
  const program = keep.supervisor;
  return { program, wrap: (argv: readonly string[]) => supervisedArgv({ ...how, launcher: program, argv }) };
}

/**
 * A pipe for a command that needs no terminal. Only below the launcher, which ends processes that keep the pipe open.
 */
async function pipeFor(wanted: boolean, launcher: string) {
  const pipe = wanted ? await takePipe(launcher) : undefined;
  return pipe ? { pipe } : {};
}

/** Runs a command in Project's kernel sandbox with its own temporary directory, and records its changes (MO-9). */
async function inProject(
  { environment, dataDir, size, alone, launcher, keep, projectTree, held, cacheOf, network: shared }: AgentOptions,
  command: string,
  { cwd, signal, pipes = false, approved = false, env: extra = {} }: LaunchOptions,
): Promise<Made> {
  const tree = projectTree();
  // Fail closed: a command judged for Project never runs without the sandbox.
  if (launcher === undefined || tree === undefined) throw new Error('there is no project that could be written in');
  const env = await environment();
  const network = held ? undefined : await shared.join();
  const kept = await keep.store.keepCommand(command, cwd, tree);
  giveUpAborted(signal, kept);
  const tmp = held ? createPrivateTmp(ownedPrefix('run')) : undefined;
  const cache = held ? undefined : cacheOf(tree);
  const writable = tmp?.path ?? cache?.directory;
  const how = {
    ...{ cwd, project: tree, held, network: network?.holder },
    ...(writable === undefined ? {} : { tmpDir: writable }),
    ...(kept ? { keep: { ...kept, protects: !approved }, statusFile: kept.statusFile } : {}),
  };
  const own = await projectVariables(env, cwd, tmp);
  const once = prepareOnce({
    ...{ command, cwd, dataDir, alone },
    ...sizeForModel(size()),
    env: { ...own, ...network?.env, ...withOwn(env, network?.env), ...cache?.env, ...extra },
    launcher: (argv) => projectArgv({ launcher, argv, ...how }),
    ...(await pipeFor(pipes, launcher)),
    endNote: () => kept?.refusal() ?? endNote(kept?.statusFile),
  });
  return { once, kept, ...(tmp ? { dispose: () => tmp.dispose() } : {}) };
}

/**
 * @param tmp the temporary directory where only Landlock is available; without a private /tmp, git finds the user's
 * configuration
 */
async function projectVariables(env: Variables, cwd: string, tmp: { readonly path: string } | undefined) {
  return { ...sandboxEnvironment(env, tmp?.path ?? '/tmp'), ...(tmp ? {} : await gitIdentity(env, cwd)) };
}

/** The user's own ssh command and Java options win, although they ignore the proxy. */
function withOwn({ GIT_SSH_COMMAND, JAVA_TOOL_OPTIONS }: Variables, network: Variables = {}) {
  return {
    ...(GIT_SSH_COMMAND === undefined ? {} : { GIT_SSH_COMMAND }),
    ...(JAVA_TOOL_OPTIONS === undefined
      ? {}
      : { JAVA_TOOL_OPTIONS: `${JAVA_TOOL_OPTIONS} ${network.JAVA_TOOL_OPTIONS ?? ''}`.trim() }),
  };
}

type Variables = Readonly<Record<string, string>>;

/** Runs a command of the model in a trial, with the same settings as `agentCommands`. */
export function trialCommands(
  {
    environment,
    dataDir,
    size,
    alone,
    cacheOf,
  }: Pick<AgentOptions, 'environment' | 'dataDir' | 'size' | 'alone' | 'cacheOf'>,
  launch: TrialLaunch,
): ConstructorParameters<typeof TrialStore>[0]['run'] {
  return async (command, trial, { cwd, env }) => {
    const outside = await environment();
    const [tree = cwd] = trial.trees;
    const cache = trial.asProject ? cacheOf(tree) : undefined;
    // A trial writes the package cache directly; its changes are not listed.
    const seen = { ...trial, trees: [...trial.trees, ...(cache ? [cache.directory] : [])] };
    const { temporary, wrap, ended } = behindTrial(seen, launch);
    const own = trial.asProject
      ? { ...sandboxEnvironment(outside, '/tmp'), ...cache?.env, ...env }
      : { ...outside, ...env, ...temporary(outside) };
    const running = runOnce({ command, cwd, ...sizeForModel(size()), dataDir, alone, env: own, launcher: wrap });
    return { command: running, status: () => Promise.resolve(ended()) };
  };
}

export type UserCommandOptions = Pick<AgentOptions, 'dataDir' | 'size'> & { readonly shell: Promise<UserShell> };

/** Runs the user's `:bg` commands with the program, directory and environment of their shell. */
export function userCommands({ shell, dataDir, size }: UserCommandOptions): UserCommands {
  return {
    async run(command) {
      const up = await shell;
      const env = await up.environment();
      return runForUser({ command, shell: up.program, cwd: up.cwd, env, ...size(), dataDir });
    },
  };
}

// The git identity for commands in Project mode. Their private `/tmp` hides a git configuration below `/tmp`, as in
// containers and tests.

const PLACES = ['HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL'];
const TIMEOUT_MS = 2000;

/** Returns variables with git's author name and address for `cwd`; none if git can read its configuration itself. */
export async function gitIdentity(env: Variables, cwd: string): Promise<Variables> {
  if (!PLACES.some((place) => env[place]?.startsWith('/tmp/'))) return {};
  const asked = ['config', '--get-regexp', '^user\\.(name|email)$'];
  const { stdout } = await promisify(execFile)('git', asked, { cwd, env, timeout: TIMEOUT_MS }).catch(() => ({
    stdout: '',
  }));
  const found: Record<string, string> = {};
  for (const line of stdout.split('\n')) {
    const [, what, value] = /^user\.(name|email) (.+)$/.exec(line) ?? [];
    if (what === undefined || value === undefined) continue;
    for (const who of ['AUTHOR', 'COMMITTER']) {
      const variable = `GIT_${who}_${what.toUpperCase()}`;
      if (env[variable] === undefined) found[variable] = value;
    }
  }
  return found;
}
