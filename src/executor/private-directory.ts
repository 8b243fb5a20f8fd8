import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ShellFiles } from '../contracts/machine.ts';
import { removeTree } from '../text/files.ts';
import { isAlive } from './processes.ts';

const open = new Set<PrivateDirectory>();
let watching = false;

/** A temporary directory (0700) that goes with its owner, or with the program at the latest. */
export class PrivateDirectory implements ShellFiles {
  readonly path: string;

  /** @param use what it is for, one word of its name */
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

  /** Reads a file and removes it: nothing private lies about longer than needed. Undefined where there is none. */
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

  /** Idempotent. */
  remove(): void {
    open.delete(this);
    try {
      rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A last child still writes there; it is a temporary directory.
    }
  }
}

// Temporary directories carry the process that owns them, so that what a killed one left is found and collected.

/** Longer paths leave no room for the name of a socket (108 characters, 104 on macOS). */
const MAX_PARENT_CHARS = 40;
const SHORT_PARENT = '/tmp';
const OWNED = /^aish-[a-z]+-(\d+)-(\d+)-\w{6}$/;

/** For mkdtemp(3): what it is for (a word), and whose. */
export function ownedPrefix(use: string): string {
  return `aish-${use}-${process.pid}-${namespace()}-`;
}

/** Makes a private directory whose path is short enough for sockets. @param use a word of few letters */
export function socketFolder(use: string): string {
  return mkdtempSync(join(tmpdir().length > MAX_PARENT_CHARS ? SHORT_PARENT : tmpdir(), ownedPrefix(use)));
}

/**
 * Removes directories of the user's whose process is gone; how many. Others, and what can't be told, are left alone.
 * @param parents where the program makes such directories
 */
export function collectAbandoned(parents: readonly string[] = [tmpdir(), SHORT_PARENT]): number {
  return [...new Set(parents)].reduce((count, parent) => count + collectIn(parent), 0);
}

function collectIn(parent: string): number {
  let count = 0;
  for (const name of namesIn(parent)) {
    const [, pid, of] = OWNED.exec(name) ?? [];
    // Another container's processes can't be seen from here, though its directories may.
    if (pid === undefined || of !== namespace() || isAlive(Number(pid))) continue;
    const path = join(parent, name);
    try {
      const { uid } = lstatSync(path);
      if (uid !== process.getuid?.()) continue;
      if (removeTree(path)) count += 1;
    } catch {
      // Gone already.
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

/** The number of the namespace that process ids belong to; 0 where there are none. Source: namespaces(7). */
function namespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}
