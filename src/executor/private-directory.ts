import {
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ShellFiles } from '../contracts/machine.ts';
import { removeTree } from '../text/files.ts';
import { isAlive } from './processes.ts';

const open = new Set<PrivateDirectory>();
let watching = false;

/** A temporary directory (0700), removed with its owner, or at the latest with the program. */
export class PrivateDirectory implements ShellFiles {
  readonly path: string;

  /** @param use its purpose, one word of its name */
  constructor(use: string) {
    this.path = mkdtempSync(join(tmpdir(), ownedPrefix(use)));
    open.add(this);
    if (watching) return;
    watching = true;
    process.once('exit', () => {
      for (const directory of open) directory.remove();
    });
  }

  file(name: string): string {
    return join(this.path, name);
  }

  write(name: string, text: string): undefined {
    writeFileSync(this.file(name), text, { mode: 0o600 });
  }

  /** Reads a file and removes it, so that private data does not stay on disk. Undefined if it does not exist. */
  take(name: string): string | undefined {
    try {
      const text = readFileSync(this.file(name), 'utf8');
      this.discard(name);
      return text;
    } catch {
      return undefined;
    }
  }

  discard(name: string): void {
    rmSync(this.file(name), { force: true });
  }

  feed(line: string): void {
    try {
      const pipe = openSync(this.file('lines'), constants.O_WRONLY | constants.O_NONBLOCK);
      writeSync(pipe, line);
      closeSync(pipe);
    } catch {
      // The shell has ended.
    }
  }

  /** Removes the directory. Idempotent. */
  remove(): void {
    open.delete(this);
    try {
      rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A last child may still write in the directory; leave it to the system.
    }
  }
}

// The names of temporary directories contain their owner's process id, so that those of killed programs are found and
// removed.

/** A longer path leaves no room for a socket's name (108 characters in total, 104 on macOS). */
const MAX_PARENT_CHARS = 40;
const SHORT_PARENT = '/tmp';
const OWNED = /^aish-[a-z]+-(\d+)-(\d+)-\w{6}$/;

/** Returns a prefix for mkdtemp(3) with the purpose (one word) and the owner. */
export function ownedPrefix(use: string): string {
  return `aish-${use}-${process.pid}-${namespace()}-`;
}

/**
 * Creates a private directory whose path is short enough for sockets.
 * @param use a short word
 */
export function socketFolder(use: string): string {
  return mkdtempSync(join(tmpdir().length > MAX_PARENT_CHARS ? SHORT_PARENT : tmpdir(), ownedPrefix(use)));
}

/**
 * Removes the user's directories whose process has ended; returns their number. Uncertain cases are left alone.
 * @param parents directories in which aish-tui creates such directories
 */
export function collectAbandoned(parents: readonly string[] = [tmpdir(), SHORT_PARENT]): number {
  return [...new Set(parents)].reduce((count, parent) => count + collectIn(parent), 0);
}

function collectIn(parent: string): number {
  let count = 0;
  for (const name of namesIn(parent)) {
    const [, pid, of] = OWNED.exec(name) ?? [];
    // Processes of another container are invisible here, although its directories may be visible.
    if (pid === undefined || of !== namespace() || isAlive(Number(pid))) continue;
    const path = join(parent, name);
    try {
      const { uid } = lstatSync(path);
      if (uid !== process.getuid?.()) continue;
      if (removeTree(path)) count += 1;
    } catch {
      // The directory is already gone.
    }
  }
  return count;
}

function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent);
  } catch {
    return [];
  }
}

/** Returns the id of the process-id namespace; 0 if there are none. Source: namespaces(7). */
function namespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}
