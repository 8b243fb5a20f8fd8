/** Runs a command inside the launcher: its arguments, its environment, and the search for the launcher. */
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mayBeSecretVariable } from '../../knowledge/secret-names.ts';
import { removeTree } from '../../text/files.ts';

/**
 * Limits on one command, in bytes, seconds or counts; 0 removes a limit. Per process, except `procs` and `wallSeconds`.
 * Absent ones have the launcher’s defaults: 16 GiB of addresses, 4 GiB of data, files of 1 GiB, 600 s of CPU time, 1024
 * open files, 512 tasks, one hour.
 */
export type SandboxLimits = {
  readonly addressBytes?: number;
  readonly dataBytes?: number;
  readonly fileBytes?: number;
  readonly cpuSeconds?: number;
  readonly openFiles?: number;
  /** Tasks in addition to those that the machine had when the command began. */
  readonly procs?: number;
  /** The time for the whole command; afterwards all its processes are killed. */
  readonly wallSeconds?: number;
};

export type Launch = {
  readonly launcher: string;
  readonly argv: readonly string[];
  readonly cwd?: string;
  /** The `path` of `createPrivateTmp()`, together with its `statusFile`. */
  readonly tmpDir?: string;
  readonly statusFile?: string;
  /** Whether the launcher is started on a host; then the caller adds the parent process on that host. */
  readonly elsewhere?: boolean;
  /** Keeps old states of files in the empty directory of a store, in any mode (EF-1). Sizes in bytes. */
  readonly keep?: {
    readonly directory: string;
    readonly tree: string;
    readonly budgetBytes: number;
    readonly fileBytes: number;
    /** Copies of keys and passwords are kept too. */
    readonly credentials?: boolean;
    /** Keys and passwords may not be changed, since no copies are kept. */
    readonly protects?: boolean;
    /** The program’s own directories, in which nothing may be changed. */
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
 * Returns the arguments that run `argv` in the kernel sandbox (SB-1). Start it from the main thread: the launcher kills
 * all its processes when this process dies. It exits with the command’s code, 128+n for a signal, 124 at the wall-clock
 * limit, or 126 with one line when the set-up failed and nothing ran (`PrivateTmp.status()` distinguishes that from the
 * command’s own 126).
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
 * Returns the same for Unrestricted with the light profile: everything is writable except other terminals, and signals
 * reach only the command’s own processes.
 */
export function lightArgv(launch: Launch): readonly string[] {
  return compose(launch, ['--light']);
}

/** Returns the same without any restriction, except that no process outlives the command or this program (EX-6). */
export function supervisedArgv(launch: Launch): readonly string[] {
  return compose(launch, ['--supervise']);
}

/**
 * Returns the arguments for a trial (EF-5): changes in `trees` (absolute) go to a copy-on-write layer, everything else
 * is read-only; no network, sockets or signals to the outside. The changes are collected in `store`, an empty private
 * directory outside the trees. `asProject`: with the private `/tmp` and the protected `.git` of Project mode.
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
 * Returns the same for Project mode: `project` (absolute) and private `/tmp` and `/dev/shm` are writable; no signals
 * outside (MO-9). The network is a loopback: the session’s, which process `network` holds open, or the command’s own.
 * `held`: uses Landlock alone, on systems without namespaces: only the tree and `tmpDir` are writable, and there is no
 * network.
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

/** The private temporary directory of one sandboxed command, and the launcher’s report about the command. */

/** The launcher’s report in its status file. */
export type LauncherStatus =
  /** Nothing ran: a set-up step failed (`why`), or the launcher failed before that. */
  | { readonly kind: 'notStarted'; readonly why: string }
  | { readonly kind: 'running' }
  /** `left`: how many processes remained when the command ended, and were stopped. */
  | { readonly kind: 'exited'; readonly code: number; readonly left: number }
  | { readonly kind: 'killed'; readonly signal: number; readonly left: number }
  /**
   * Stopped by the launcher: at the time limit, for too many processes (root only), for too many written bytes (a
   * trial), or because the program that started it is gone.
   */
  | { readonly kind: 'stopped'; readonly by: 'wall' | 'procs' | 'parent' | 'space' };

export type PrivateTmp = {
  /** The command’s `TMPDIR`, mode 0700: the only place where it may write. */
  readonly path: string;
  /** The launcher’s status file, which the command can’t reach. */
  readonly statusFile: string;
  /**
   * Returns the launcher’s report. It distinguishes the launcher’s 126 (`notStarted`) from the command’s own (`exited`,
   * 126).
   */
  status(): LauncherStatus;
  /** Removes the directory. Idempotent, never throws. */
  dispose(): void;
};

/** Creates the directory in the system’s temporary directory. One per command. Throws on a full disk. */
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

/** Reads the launcher’s report from its `--status` file. A missing file means that no command began. */
function readStatus(file: string): LauncherStatus {
  try {
    return statusOf(readFileSync(file, 'utf8'));
  } catch {
    return statusOf('');
  }
}

/** Returns how many processes remained when the command ended, and were ended with it; 0 if unknown. */
export function endedWith(statusFile: string): number {
  const status = readStatus(statusFile);
  return 'left' in status ? status.left : 0;
}

/** Parses the launcher’s report, from this machine or a host. An empty one means that no command began. */
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

// Finds the launcher: built beside the bundle, or in the optional package for this kind of machine.

/** The machine number in an ELF header (`e_machine`), by Node’s name of the architecture. */
const MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };
const ELF_MAGIC = 0x7f454c46;

/** Returns the name of the package with the launcher for this architecture. */
export const launcherPackage = (arch: string) => `@aish-tui/sandbox-linux-${arch}`;

/**
 * Returns the full path of a launcher for this machine, searched beside `base` (the bundle’s URL) and then in the
 * packages that a module there could import. A launcher for another architecture is skipped. If there is none, returns
 * the path where a build would put it.
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

/** Returns whether the file is a 64-bit little-endian program for `arch`. */
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

// Selects the environment of a sandboxed command: it can read files, but should not get keys from variables.

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables with addresses of outside services: agents, buses, displays, remote engines. Their sockets are blocked
 * anyway.
 */
const SOCKETS = new Set(
  `SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO GNOME_KEYRING_CONTROL GNOME_KEYRING_PID DBUS_SESSION_BUS_ADDRESS
   DBUS_SYSTEM_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XAUTHORITY ICEAUTHORITY SESSION_MANAGER DOCKER_HOST
   CONTAINER_HOST KUBECONFIG TMUX TMUX_PANE STY NOTIFY_SOCKET LISTEN_FDS LISTEN_PID VSCODE_IPC_HOOK_CLI
   VSCODE_GIT_IPC_HANDLE SUDO_ASKPASS SSH_ASKPASS GIT_ASKPASS`.split(/\s+/),
);

/** A value that contains a password in an address, whatever its name: `https://user:pass@host`. */
const CREDENTIALS_IN_URL = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/@\s:]{0,200}:[^/@\s]{1,500}@/i;

function mayPass(name: string, value: string): boolean {
  if (SOCKETS.has(name) || CREDENTIALS_IN_URL.test(value.slice(0, 1000))) return false;
  return !mayBeSecretVariable(name);
}

/**
 * Returns the environment of a sandboxed command: `env` without keys, tokens, passwords and the addresses of agents and
 * buses; every variable for a temporary directory is set to `tmpDir`. In doubt a variable is left out.
 */
export function sandboxEnvironment(env: Environment, tmpDir: string): Record<string, string> {
  const kept = Object.entries(env).filter((pair): pair is [string, string] => {
    const [name, value] = pair;
    return value !== undefined && mayPass(name, value);
  });
  return { ...Object.fromEntries(kept), TMPDIR: tmpDir, TMP: tmpDir, TEMP: tmpDir };
}
