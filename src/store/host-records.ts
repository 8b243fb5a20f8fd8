/**
 * Records the private directories on hosts with their owners, so that the next program finds the directories of a
 * killed one.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HostDirectories } from '../contracts/machine.ts';
import { makeDirectory } from '../text/files.ts';
import { isRunning, markOf } from './lock.ts';

/** The most directories of one host that are reported at a time. */
const MAX_LEFT = 20;

/** The longest that macOS may take to report its boot. In ms. */
const BOOT_TIMEOUT_MS = 2000;

/**
 * Opens the records in `folder`, one file each. If a record can't be written, its directory is not found later;
 * nothing else breaks.
 * @param boot identifies the processes that are visible from here; undefined if unknown
 */
export function openHostDirectories(folder: string, boot: () => string | undefined = bootHere): HostDirectories {
  const forget = (path: string) => () => {
    try {
      rmSync(path, { force: true });
    } catch {
      // The record is found again, and then nothing is left on the host.
    }
  };
  return {
    lies(host, directory) {
      const path = join(folder, randomBytes(8).toString('hex'));
      try {
        makeDirectory(folder);
        writeFileSync(path, [host, directory, boot() ?? '', markOf(process.pid)].join('\n'), { mode: 0o600 });
      } catch {
        // The directory stays on the host, should this program be killed.
      }
      return forget(path);
    },
    of(host) {
      const here = boot();
      if (here === undefined) return [];
      const left = namesIn(folder).flatMap((name) => {
        const path = join(folder, name);
        const [of, directory, there, mark = ''] = textOf(path).split('\n');
        // Processes of another container, or of a machine that shares this folder, can't be seen from here.
        if (of !== host || directory === undefined || there !== here) return [];
        return isRunning(Number.parseInt(mark, 10), mark) ? [] : [{ directory, forget: forget(path) }];
      });
      return left.slice(0, MAX_LEFT);
    },
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Identifies this machine's boot and its process numbers: the first namespace has the same name on every Linux.
 * Sources: random(4), namespaces(7), sysctl(3) of macOS.
 */
function bootHere(): string | undefined {
  try {
    if (process.platform === 'darwin') {
      const asked = spawnSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { timeout: BOOT_TIMEOUT_MS });
      return asked.stdout.toString().trim() || undefined;
    }
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return boot === '' ? undefined : `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

// The hosts on which the user allows the launcher: one name a line.

export type HostAnswers = {
  has(host: string): boolean;
  set(host: string, yes: boolean): void;
};

/** Opens the answers at `path`, 0600. If the file can't be written, answers only last for the session. */
export function openHostAnswers(path: string): HostAnswers {
  let known = new Set<string>();
  const read = () => {
    try {
      known = new Set(
        readFileSync(path, 'utf8')
          .split('\n')
          .filter((name) => name !== ''),
      );
    } catch {
      // There are no answers yet, or the answer lasts for this session.
    }
    return known;
  };
  return {
    has: (host) => read().has(host),
    set(host, yes) {
      read();
      if (yes) known.add(host);
      else known.delete(host);
      try {
        makeDirectory(dirname(path));
        writeFileSync(`${path}.new`, [...known, ''].join('\n'), { mode: 0o600 });
        renameSync(`${path}.new`, path);
      } catch {
        // The answer lasts for this session.
      }
    },
  };
}
