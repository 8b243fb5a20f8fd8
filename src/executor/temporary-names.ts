/** Temporary directories carry the process that owns them, so that what a killed one left is found and collected. */
import { lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './processes.ts';

const OWNED = /^aish-[a-z]+-(\d+)-(\d+)-\w{6}$/;

/** For mkdtemp(3): what it is for (a word), and whose. */
export function ownedPrefix(use: string): string {
  return `aish-${use}-${process.pid}-${namespace()}-`;
}

/** Removes directories of the user's whose process is gone; how many. Others, and what can't be told, are left alone. */
export function collectAbandoned(parent = tmpdir()): number {
  let count = 0;
  for (const name of namesIn(parent)) {
    const [, pid, of] = OWNED.exec(name) ?? [];
    // Another container's processes can't be seen from here, though its directories may.
    if (pid === undefined || of !== namespace() || isAlive(Number(pid))) continue;
    const path = join(parent, name);
    try {
      const { uid } = lstatSync(path);
      if (uid !== process.getuid?.()) continue;
      rmSync(path, { recursive: true, force: true });
      count += 1;
    } catch {
      // Gone already, or not to be removed: the system's own cleaning will have it.
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
