/** Which files actions have changed, for a line at the end of a run and the rail beside it: names only, the first of them. Pure. */
import type { ChangedFile } from '../contracts/undo.ts';
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
  return steps.flatMap(({ verb, path }) => {
    const how = DONE.get(verb);
    return how === undefined ? [] : [{ path, how }];
  });
}

/** What several did, the oldest first: each path once. What was made and is gone again is none. */
export function together(actions: readonly (readonly ChangedFile[])[]): readonly ChangedFile[] {
  const files = new Map<string, ChangedFile['how']>();
  for (const { path, how } of actions.flat()) {
    const before = files.get(path);
    const goes = how === 'deleted' || how === 'moved';
    if (before === 'created' && how === 'deleted') files.delete(path);
    else if (goes || before === undefined) files.set(path, how);
    else if (before !== 'created') files.set(path, 'changed');
  }
  return [...files].map(([path, how]) => ({ path, how }));
}
