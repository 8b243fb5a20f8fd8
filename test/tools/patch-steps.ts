/** File system calls that stop at a chosen step, like a power failure. */

import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileSteps, StepHandle } from '../../src/tools/patch/tool.ts';

/** Resolves a path through a descriptor of its directory, which becomes invalid when the work ends. */
const lasting = (path: string) => join(realpathSync(dirname(path)), basename(path));

export type Crashing = {
  readonly steps: FileSteps;
  /** The names of the steps taken. */
  readonly taken: string[];
  /** Simulates the loss of written but unsynced bytes: only the first half remains. */
  lose(): void;
};

/** Takes the first `count` steps for real, half of a write first; afterwards nothing happens any more. */
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
          // The end of a process closes its descriptors.
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
