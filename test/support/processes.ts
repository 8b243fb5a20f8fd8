/** The processes of this machine, from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** `words`: the command line, joined by blanks. */
export type Process = { readonly pid: number; readonly parent: number; readonly words: string };

export function processes(): readonly Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const words = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), words }];
    } catch {
      return [];
    }
  });
}

/** Returns all descendants of a process. */
export function below(root: number, all: readonly Process[] = processes()): readonly Process[] {
  const children = all.filter(({ parent }) => parent === root);
  return [...children, ...children.flatMap(({ pid }) => below(pid, all))];
}
