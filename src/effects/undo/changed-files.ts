/** Which files actions have changed, for a line at the end of a run and the rail beside it: names only, the first of them. Pure. */
import type { ChangedFile } from '../../contracts/undo.ts';
import type { Step } from './launcher.ts';

/** What the way back of a path says of what was done to it. Modes and times alone are no change of a file. */
const DONE: ReadonlyMap<string, ChangedFile['how']> = new Map([
  ['created', 'created'],
  ['deleted', 'deleted'],
  ['directory', 'deleted'],
  ['moved', 'moved'],
  ['replaced', 'changed'],
  ['changed', 'changed'],
]);

/** What one action did, as the launcher tells its way back. */
export function filesOf(steps: readonly Step[]): readonly ChangedFile[] {
  return steps.flatMap(({ verb, path, source }): readonly ChangedFile[] => {
    const how = DONE.get(verb);
    if (how === undefined) return [];
    return [how === 'moved' && source.startsWith('/') ? { path: source, how, from: path } : { path, how }];
  });
}

/** What several did, the oldest first: each path once. What was made and is gone again is none. */
export function together(actions: readonly (readonly ChangedFile[])[]): readonly ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const file of actions.flat()) {
    const { path, how, from } = file;
    if (from !== undefined) move(files, path, from);
    else if (how === 'deleted') drop(files, path);
    else if (how === 'moved' || !files.has(path)) files.set(path, file);
    else if (files.get(path)?.how !== 'created') files.set(path, { path, how: 'changed' });
  }
  return [...files.values()];
}

/** What was made, or moved before, has another name; it is told under that one. */
function move(files: Map<string, ChangedFile>, path: string, from: string): void {
  const before = files.get(from);
  files.delete(from);
  if (before?.how === 'created') files.set(path, { path, how: 'created' });
  else if (before?.from !== path) files.set(path, { path, how: 'moved', from: before?.from ?? from });
}

/** Of what was moved before, the name that the user knows is gone. */
function drop(files: Map<string, ChangedFile>, path: string): void {
  const before = files.get(path);
  const known = before?.from ?? path;
  if (before?.how === 'created' || known !== path) files.delete(path);
  if (before?.how !== 'created') files.set(known, { path: known, how: 'deleted' });
}
