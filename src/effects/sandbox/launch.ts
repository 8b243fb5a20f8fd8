/** How a command is put behind the launcher. */
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** The same for Unrestricted with the light profile: everything writable except other terminals, signals stay inside. */
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
 */
export function trialArgv(
  launch: Launch & { readonly store: string; readonly trees: readonly string[]; readonly spaceBytes: number },
): readonly string[] {
  const { store, trees, spaceBytes, tmpDir } = launch;
  const where = ['--trial', store, '--trial-space', String(spaceBytes), ...trees.flatMap((tree) => ['--tree', tree])];
  return compose(launch, [...where, ...(tmpDir ? ['--tmp', tmpDir] : [])]);
}

/**
 * Project mode: `project` (absolute) and private `/tmp` and `/dev/shm` can be written; loopback; no signals outside (MO-9).
 * `held`: by Landlock alone, for systems without namespaces: in place of those the tree and `tmpDir`, and no network at all.
 */
export function projectArgv(launch: Launch & { readonly project: string; readonly held?: boolean }): readonly string[] {
  const how = [...(launch.held ? ['--without-namespaces'] : []), ...(launch.tmpDir ? ['--tmp', launch.tmpDir] : [])];
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
  const { directory, tree, budgetBytes, fileBytes, credentials = false } = keep;
  const bounds = ['--keep-budget', String(budgetBytes), '--keep-file', String(fileBytes)];
  return ['--keep', directory, '--keep-tree', tree, ...bounds, ...(credentials ? ['--keep-credentials'] : [])];
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
  /** Stopped by the launcher: time was up, too many processes (root only), too much written (a trial), or the program that started it is gone. */
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
