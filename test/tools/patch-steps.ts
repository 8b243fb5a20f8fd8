/** File system calls that stop at a chosen step, as the power would. */

import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileSteps, StepHandle } from '../../src/tools/patch/tool.ts';

/** Without the descriptor of its directory, which ends with the work. */
const lasting = (path: string) => join(realpathSync(dirname(path)), basename(path));

export type Crashing = {
  readonly steps: FileSteps;
  /** The names of the steps taken. */
  readonly taken: string[];
  /** What a crash does to bytes that were written and not synced: only the first half is left. */
  lose(): void;
};

/** Takes the first `count` steps for real; from then on nothing happens any more. A write is half done first. */
export function crashing(count: number): Crashing {
  const taken: string[] = [];
  const unsynced = new Set<string>();
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    if (taken.length >= count) throw new Error('the power is off');
    taken.push(name);
    return work();
  };
  const steps: FileSteps = {
    open: (given, flags, mode) =>
      step('open', async (): Promise<StepHandle> => {
        const path = lasting(given);
        const handle = await open(path, flags, mode);
        return {
          writeFile: async (data) => {
            unsynced.add(path);
            await step('write half', () => handle.write(data.subarray(0, data.length >> 1)));
            await step('write', () => handle.write(data.subarray(data.length >> 1)));
          },
          stat: () => handle.stat(),
          chown: (uid, gid) => step('chown', () => handle.chown(uid, gid)),
          chmod: (mode) => step('chmod', () => handle.chmod(mode)),
          sync: () =>
            step(flags === 'r' ? 'sync directory' : 'sync', () => handle.sync()).then(() => void unsynced.delete(path)),
          // The end of a process closes for it.
          close: () => handle.close().then(() => step('close', () => Promise.resolve())),
        };
      }),
    rename: (from, to) =>
      step('rename', async () => {
        const [before, after] = [lasting(from), lasting(to)];
        await rename(from, to);
        if (unsynced.delete(before)) unsynced.add(after);
      }),
    link: (from, to) =>
      step('link', async () => {
        await link(from, to);
        if (unsynced.has(lasting(from))) unsynced.add(lasting(to));
      }),
    unlink: (path) => step('unlink', () => unlink(path)),
  };
  return {
    steps,
    taken,
    lose() {
      for (const path of unsynced) writeFileSync(path, readFileSync(path).subarray(0, readFileSync(path).length >> 1));
    },
  };
}
