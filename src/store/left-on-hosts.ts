/** Which private directories lie on hosts, and whose they are: what a killed program left there is found by the next one. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LeftOnHosts } from '../contracts/hosts.ts';
import { isRunning, markOf } from './lock.ts';

/** Those of one host that are told of at a time. */
const MAX_LEFT = 20;

/** A file for each, in `folder`. One that can't be written costs the finding again, nothing else. */
export function openLeftOnHosts(folder: string): LeftOnHosts {
  const forget = (path: string) => () => rmSync(path, { force: true });
  return {
    lies(host, directory) {
      const path = join(folder, randomBytes(8).toString('hex'));
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(path, [host, directory, namespace(), markOf(process.pid)].join('\n'), { mode: 0o600 });
      } catch {
        // It stays there, should this program be killed.
      }
      return forget(path);
    },
    of(host) {
      const left = namesIn(folder).flatMap((name) => {
        const path = join(folder, name);
        const [of, directory, space, mark = ''] = textOf(path).split('\n');
        // Processes of another container can't be seen from here.
        if (of !== host || directory === undefined || space !== namespace()) return [];
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

/** Of the numbers of processes; empty where there are none. Source: namespaces(7). */
function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
