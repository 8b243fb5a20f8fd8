/** Finds processes that outlived their starter: everything that a run starts inherits a mark in its environment. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The environment variable that contains the mark. */
export const MARK = 'RIG_RUN';

const GRACE_MS = 5000;
const LOOK_EVERY_MS = 20;

type Leftover = { readonly pid: number; readonly command: string };

function marked(mark: string): readonly Leftover[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0');
        if (!environment.includes(`${MARK}=${mark}`)) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
        // A zombie has neither environment nor command line.
        return command === '' ? [] : [{ pid: Number(name), command }];
      } catch {
        return [];
      }
    });
}

/** Waits until no process has `mark`. Kills those that still do after five seconds, and throws with their names. */
export async function noneLeft(mark: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const until = performance.now() + GRACE_MS;
  let left = marked(mark);
  while (left.length > 0 && performance.now() < until) {
    await delay(LOOK_EVERY_MS);
    left = marked(mark);
  }
  if (left.length === 0) return;
  for (const { pid } of left) process.kill(pid, 'SIGKILL');
  throw new Error(
    `still running after the program had ended:\n${left.map((l) => `  ${l.pid} ${l.command}`).join('\n')}`,
  );
}
