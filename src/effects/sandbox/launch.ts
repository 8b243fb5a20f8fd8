/** How a command is put behind the launcher: its arguments and its environment, and where the launcher is. */
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mayBeSecretVariable } from '../../knowledge/secret-names.ts';
import { removeTree } from '../../text/files.ts';

/**
 * Bounds on one command. Bytes, seconds, counts; 0 lifts the bound. Per process, except `procs` and `wallSeconds`.
 * What is left out keeps the launcher's own: 16 GiB of addresses, 4 GiB of data, files of 1 GiB, 600 s of CPU time,
 * 1024 open files, 512 tasks, one hour.
 */
export type SandboxLimits = {
  readonly addressBytes?: number;
  readonly dataBytes?: number;
  readonly fileBytes?: number;
  readonly cpuSeconds?: number;
  readonly openFiles?: number;
  /** Tasks beyond those that the machine had when the command began. */
  readonly procs?: number;
  /** Of the whole command; then everything of it is killed. */
  readonly wallSeconds?: number;
};

export type Launch = {
  readonly launcher: string;
  readonly argv: readonly string[];
  readonly cwd?: string;
  /** From `createPrivateTmp()`: its `path` and `statusFile`. */
  readonly tmpDir?: string;
  readonly statusFile?: string;
  /** It is started by another machine's process: whoever composes the rest says which. */
  readonly elsewhere?: boolean;
  /** Old states are kept in the empty directory of a store, whatever the profile (EF-1). Bytes. */
  readonly keep?: {
    readonly directory: string;
    readonly tree: string;
    readonly budgetBytes: number;
    readonly fileBytes: number;
    /** Copies of keys and passwords as well. */
    readonly credentials?: boolean;
    /** Where no copies of them are kept: they may not be changed. */
    readonly protects?: boolean;
    /** Directories in which nothing may be changed: the program's own. */
    readonly own?: readonly string[];
  };
};

const LIMITS: readonly (readonly [keyof SandboxLimits, string])[] = [
  ['addressBytes', 'as'],
  ['dataBytes', 'data'],
  ['fileBytes', 'fsize'],
  ['cpuSeconds', 'cpu'],
  ['openFiles', 'nofile'],
  ['procs', 'procs'],
  ['wallSeconds', 'wall'],
];

/**
 * The argument vector that runs `argv` in the kernel sandbox (SB-1). Start it from the main thread: the launcher kills
 * everything below it when this process dies. Ends with the command's exit code, 128+n for a signal, 124 at the
 * wall-clock limit, 126 with one line when the set-up failed and nothing ran (`PrivateTmp.status()` tells it from the
 * command's own 126).
 */
export function sandboxArgv(launch: Launch & { readonly limits?: SandboxLimits }): readonly string[] {
  const limits = launch.limits ?? {};
  const bounds = LIMITS.flatMap(([key, name]) => {
    const value = limits[key];
    return value === undefined ? [] : ['--limit', `${name}=${value}`];
  });
  return compose(launch, [...(launch.tmpDir ? ['--tmp', launch.tmpDir] : []), ...bounds]);
}

/**
 * The same for Unrestricted with the light profile: everything writable except other terminals, signals stay inside.
 */
export function lightArgv(launch: Launch): readonly string[] {
  return compose(launch, ['--light']);
}

/** No restriction at all: only that nothing of the command outlives it or this process (EX-6). */
export function supervisedArgv(launch: Launch): readonly string[] {
  return compose(launch, ['--supervise']);
}

/**
 * The argument vector of a trial (EF-5): `trees` (absolute) are seen copy-on-write, all else is read-only; no network,
 * sockets or signals to the outside. What it would change collects in `store`, an empty private directory outside them.
 * `asProject`: with the private `/tmp` and the guarded `.git` of Project mode.
 */
export function trialArgv(
  launch: Launch & {
    readonly store: string;
    readonly trees: readonly string[];
    readonly spaceBytes: number;
    readonly asProject?: boolean | undefined;
  },
): readonly string[] {
  const { store, trees, spaceBytes, asProject, tmpDir } = launch;
  const where = ['--trial', store, '--trial-space', String(spaceBytes), ...trees.flatMap((tree) => ['--tree', tree])];
  return compose(launch, [...where, ...(asProject ? ['--as-project'] : []), ...(tmpDir ? ['--tmp', tmpDir] : [])]);
}

/**
 * Project mode: `project` (absolute) and private `/tmp` and `/dev/shm` can be written; no signals outside (MO-9). The
 * network is a loopback: the one that process `network` holds for the session, else the command's own.
 * `held`: by Landlock alone, for systems without namespaces: in place of those the tree and `tmpDir`, and no network at
 * all.
 */
export function projectArgv(
  launch: Launch & { readonly project: string; readonly held?: boolean; readonly network?: number | undefined },
): readonly string[] {
  const { network } = launch;
  const joined = network === undefined ? [] : ['--network', String(network)];
  const how = [
    ...(launch.held ? ['--without-namespaces'] : joined),
    ...(launch.tmpDir ? ['--tmp', launch.tmpDir] : []),
  ];
  return compose(launch, ['--project', launch.project, ...how]);
}

function compose(launch: Launch, options: readonly string[]): readonly string[] {
  return [
    launch.launcher,
    ...options,
    ...(launch.cwd ? ['--cwd', launch.cwd] : []),
    ...(launch.keep ? keepOptions(launch.keep) : []),
    ...(launch.statusFile ? ['--status', launch.statusFile] : []),
    ...(launch.elsewhere ? [] : ['--parent', String(process.pid)]),
    '--',
    ...launch.argv,
  ];
}

function keepOptions(keep: NonNullable<Launch['keep']>): readonly string[] {
  const { directory, tree, budgetBytes, fileBytes, credentials = false, protects = false, own = [] } = keep;
  const bounds = ['--keep-budget', String(budgetBytes), '--keep-file', String(fileBytes)];
  const guarded = own.flatMap((path) => ['--own', path]);
  return [
    '--keep',
    directory,
    '--keep-tree',
    tree,
    ...bounds,
    ...(credentials ? ['--keep-credentials'] : protects ? ['--protect-credentials'] : []),
    ...guarded,
  ];
}

/** The private temporary directory of one sandboxed command, and the launcher's word on how it went. */

/** What the launcher wrote to its status file. */
export type LauncherStatus =
  /** Nothing was run: a set-up step failed (`why`), or the launcher itself never got that far. */
  | { readonly kind: 'notStarted'; readonly why: string }
  | { readonly kind: 'running' }
  /** `left`: processes that were still there when the command ended, and were stopped. */
  | { readonly kind: 'exited'; readonly code: number; readonly left: number }
  | { readonly kind: 'killed'; readonly signal: number; readonly left: number }
  /**
   * Stopped by the launcher: time was up, too many processes (root only), too much written (a trial), or the program
   * that started it is gone.
   */
  | { readonly kind: 'stopped'; readonly by: 'wall' | 'procs' | 'parent' | 'space' };

export type PrivateTmp = {
  /** The command's `TMPDIR`; mode 0700. The only place where it may write. */
  readonly path: string;
  /** Written by the launcher, out of the command's reach. */
  readonly statusFile: string;
  /** How it stands. Tells the launcher's 126 (`notStarted`) from the command's own (`exited`, 126). */
  status(): LauncherStatus;
  /** Removes all of it. Idempotent, never throws. */
  dispose(): void;
};

/** Makes the directory in the system's place for such. One per command. Throws on a full disk. */
export function createPrivateTmp(prefix = 'aish-'): PrivateTmp {
  const root = mkdtempSync(join(tmpdir(), prefix));
  const path = join(root, 'tmp');
  const statusFile = join(root, 'status');
  mkdirSync(path, { mode: 0o700 });
  return {
    path,
    statusFile,
    status: () => readStatus(statusFile),
    dispose: () => void removeTree(root),
  };
}

/** Reads what the launcher wrote to `--status`. A file that is missing means that no command began. */
function readStatus(file: string): LauncherStatus {
  try {
    return statusOf(readFileSync(file, 'utf8'));
  } catch {
    return statusOf('');
  }
}

/** How many processes were still there when the command ended, and were ended with it. Zero where that is not known. */
export function endedWith(statusFile: string): number {
  const status = readStatus(statusFile);
  return 'left' in status ? status.left : 0;
}

/** What it means, on whatever machine it was written. One that says nothing means that no command began. */
export function statusOf(text: string): LauncherStatus {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  const [word = '', first = '', , left = '0'] = last.split(' ');
  const isNumber = /^\d{1,3}$/.test(first);
  if (word === 'started') return { kind: 'running' };
  if (word === 'exit' && isNumber) return { kind: 'exited', code: Number(first), left: Number(left) };
  if (word === 'signal' && isNumber) return { kind: 'killed', signal: Number(first), left: Number(left) };
  if (word === 'stopped' && (first === 'wall' || first === 'procs' || first === 'parent' || first === 'space'))
    return { kind: 'stopped', by: first };
  return { kind: 'notStarted', why: word === 'failed' ? last.slice('failed '.length) : 'the launcher wrote no status' };
}

// Where it is: built beside the bundle, or in the optional package for this kind of machine.

/** `e_machine` of an ELF file, by Node's name of the architecture. */
const MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };
const ELF_MAGIC = 0x7f454c46;

/** The package that carries the launcher for a machine of this kind. */
export const launcherPackage = (arch: string) => `@aish-tui/sandbox-linux-${arch}`;

/**
 * The full path of a launcher for this machine, looked for beside `base` (the bundle's URL) and then among the packages
 * that a module there would find. One of another architecture is passed over, so it is never started; where there is
 * none, the path where a build would put it.
 */
export function findLauncher(base: string | URL, arch: string = process.arch): string {
  const built = fileURLToPath(new URL('./aish-sandbox', base));
  if (runsOn(built, arch)) return built;
  const carried = carriedBy(base, arch);
  return carried !== undefined && runsOn(carried, arch)
    ? carried
    : fileURLToPath(new URL(`./aish-sandbox-${arch}`, base));
}

function carriedBy(base: string | URL, arch: string): string | undefined {
  try {
    return createRequire(base).resolve(`${launcherPackage(arch)}/aish-sandbox`);
  } catch {
    return undefined;
  }
}

/** Whether the file is a 64-bit little-endian program for `arch`. */
export function runsOn(path: string, arch: string): boolean {
  const head = Buffer.alloc(20);
  try {
    const file = openSync(path, 'r');
    try {
      if (readSync(file, head) < head.length) return false;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  const little64 = head[4] === 2 && head[5] === 1;
  return head.readUInt32BE(0) === ELF_MAGIC && little64 && head.readUInt16LE(18) === MACHINES[arch];
}

// What of the environment a sandboxed command sees: it can read files, but the keys in memory stay out.

type Environment = Readonly<Record<string, string | undefined>>;

/** Ways to reach something outside: agents, buses, displays, remote engines. Sockets are refused anyway. */
const SOCKETS = new Set(
  `SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO GNOME_KEYRING_CONTROL GNOME_KEYRING_PID DBUS_SESSION_BUS_ADDRESS
   DBUS_SYSTEM_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XAUTHORITY ICEAUTHORITY SESSION_MANAGER DOCKER_HOST
   CONTAINER_HOST KUBECONFIG TMUX TMUX_PANE STY NOTIFY_SOCKET LISTEN_FDS LISTEN_PID VSCODE_IPC_HOOK_CLI
   VSCODE_GIT_IPC_HANDLE SUDO_ASKPASS SSH_ASKPASS GIT_ASKPASS`.split(/\s+/),
);

/** A value that carries a password whatever its name: `https://user:pass@host`. */
const CREDENTIALS_IN_URL = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/@\s:]{0,200}:[^/@\s]{1,500}@/i;

function mayPass(name: string, value: string): boolean {
  if (SOCKETS.has(name) || CREDENTIALS_IN_URL.test(value.slice(0, 1000))) return false;
  return !mayBeSecretVariable(name);
}

/**
 * The environment of a sandboxed command: `env` without keys, tokens, passwords and the addresses of agents and buses,
 * with every name for the temporary directory pointing to `tmpDir`. Errs on the side of leaving out.
 */
export function sandboxEnvironment(env: Environment, tmpDir: string): Record<string, string> {
  const kept = Object.entries(env).filter((pair): pair is [string, string] => {
    const [name, value] = pair;
    return value !== undefined && mayPass(name, value);
  });
  return { ...Object.fromEntries(kept), TMPDIR: tmpDir, TMP: tmpDir, TEMP: tmpDir };
}
