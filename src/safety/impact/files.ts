import { glob, lstat, opendir } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';

/** Moment (of `performance.now()`) at which the looking must end. */
export type Deadline = number;

export type Count = { files: number; bytes: number; more: boolean };

const MAX_PATHS = 200;

/** Paths that exist of those named, patterns expanded, at most 200. */
export async function existing(
  targets: readonly { readonly path: string; readonly cwd: string }[],
  deadline: Deadline,
): Promise<string[]> {
  const out = new Set<string>();
  for (const { path, cwd } of targets) {
    if (performance.now() > deadline || out.size >= MAX_PATHS) break;
    const full = isAbsolute(path) ? path : join(cwd, path);
    if (/[*?[{]/.test(path)) {
      try {
        for await (const match of glob(isAbsolute(path) ? path : join(cwd, path))) {
          out.add(match);
          if (out.size >= MAX_PATHS || performance.now() > deadline) break;
        }
      } catch {
        // A pattern that node does not take names nothing that we can count.
      }
    } else if (await lstat(full).catch(() => undefined)) out.add(full);
  }
  return [...out];
}

/** How many files and bytes lie at and below `paths`. Does not follow links; stops at the deadline. */
export async function count(paths: readonly string[], deadline: Deadline): Promise<Count> {
  const total: Count = { files: 0, bytes: 0, more: false };
  const queue = [...paths];
  while (queue.length > 0) {
    if (performance.now() > deadline) {
      total.more = true;
      break;
    }
    const path = queue.pop() as string;
    const stats = await lstat(path).catch(() => undefined);
    if (!stats) continue;
    if (!stats.isDirectory()) {
      total.files++;
      total.bytes += stats.size;
      continue;
    }
    const directory = await opendir(path).catch(() => undefined);
    if (!directory) continue;
    for await (const entry of directory) {
      if (performance.now() > deadline) {
        total.more = true;
        break;
      }
      queue.push(join(path, entry.name));
    }
  }
  return total;
}

/** `3 files, 1.2 MB`, with `more than` where the walk was cut short. */
export function countText({ files, bytes, more }: Count): string {
  return `${more ? 'more than ' : ''}${files} ${files === 1 ? 'file' : 'files'}, ${size(bytes)}`;
}

function size(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** A path as the person would write it: relative below the directory; control characters made visible. */
export function shown(path: string, cwd: string): string {
  const near = relative(cwd, path);
  const text = near === '' ? '.' : near.startsWith('..') ? path : near;
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '�');
}
