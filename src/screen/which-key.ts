/** Shows what may follow a begun key sequence, after a moment of hesitation (UI-5). */
import type { Pending } from '../keymap/resolver.ts';
import type { Schedule } from '../terminal/schedule.ts';
import type { Store } from './store.ts';
import type { Ui } from './ui.ts';

/** Quick fingers are not shown a list that comes and goes. In ms. */
const HESITATION_MS = 300;

/** Gives a function that is told after each key what sequence is under way. */
export function createWhichKey(ui: Store<Ui>, schedule: Schedule): (pending: Pending | undefined) => void {
  let cancel = () => {};
  return (pending) => {
    cancel();
    cancel = pending ? schedule(() => ui.update({ which: pending }), HESITATION_MS) : () => {};
    ui.update({ pending, which: undefined });
  };
}
