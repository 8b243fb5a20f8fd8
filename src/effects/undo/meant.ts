/** Which actions the user means. */
import type { UndoResult, UndoTarget } from '../../contracts/undo.ts';
import type { Recorded } from './record.ts';

export type Meant = { readonly actions: readonly Recorded[] } | UndoResult;

/** Which of `all`, newest first; or why there are none. */
export function meantBy(target: UndoTarget, all: readonly Recorded[], session: string): Meant {
  if (typeof target === 'number') {
    const actions = all.filter(({ number }) => number === target);
    return actions.length > 0
      ? { actions }
      : { ok: false, text: `there is no action ${target}; :undo list shows them` };
  }
  const open = all.filter(({ kind, state }) => kind !== 'undo' && state !== 'undone');
  const own = open.filter((action) => action.session === session);
  const [last] = own;
  if (target === 'last') return last ? { actions: [last] } : { ok: false, text: 'nothing to undo' };
  const run = target === 'run' ? own.find((action) => action.run !== undefined)?.run : target.run;
  const actions = open.filter((action) => run !== undefined && action.run === run);
  return actions.length > 0 ? { actions } : { ok: false, text: 'no run to undo' };
}
