/** The private temporary directory of one sandboxed command, and the launcher's word on how it went. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the launcher wrote to its status file. */
export type LauncherStatus =
  /** Nothing was run: a set-up step failed (`why`), or the launcher itself never got that far. */
  | { readonly kind: 'notStarted'; readonly why: string }
  | { readonly kind: 'running' }
  /** `left`: processes that were still there when the command ended, and were stopped. */
  | { readonly kind: 'exited'; readonly code: number; readonly left: number }
  | { readonly kind: 'killed'; readonly signal: number; readonly left: number }
  /** Stopped by the launcher: time was up, too many processes (root only), or the program that started it is gone. */
  | { readonly kind: 'stopped'; readonly by: 'wall' | 'procs' | 'parent' };

export type PrivateTmp = {
  /** The command's `TMPDIR`; mode 0700. The only place where it may write. */
  readonly path: string;
  /** Written by the launcher, out of the command's reach. */
  readonly statusFile: string;
  /** How it stands. Tells the launcher's 126 (`notStarted`) from the command's own (`exited`, 126). */
  status(): LauncherStatus;
  /** Removes all of it. Idempotent. */
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
    dispose: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Reads what the launcher wrote to `--status`. A file that is missing or says nothing means that no command began. */
function readStatus(file: string): LauncherStatus {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { kind: 'notStarted', why: 'the launcher wrote no status' };
  }
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  const [word = '', first = '', , left = '0'] = last.split(' ');
  if (word === 'started') return { kind: 'running' };
  if (word === 'exit') return { kind: 'exited', code: Number(first), left: Number(left) };
  if (word === 'signal') return { kind: 'killed', signal: Number(first), left: Number(left) };
  if (word === 'stopped' && (first === 'wall' || first === 'procs' || first === 'parent'))
    return { kind: 'stopped', by: first };
  return { kind: 'notStarted', why: word === 'failed' ? last.slice('failed '.length) : 'the launcher wrote no status' };
}
