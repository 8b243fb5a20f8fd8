/** What `:keys` and `:theme` ask of the screen. */
import type { ScreenPort } from '../../commands/app.ts';
import { isEmpty } from '../editor/state.ts';
import { showChord } from '../keymap/chord.ts';
import type { KeyResolver, Pending } from '../keymap/resolver.ts';
import { CONTEXT_LABELS, KEY_CONTEXTS } from '../keymap/table.ts';
import { THEMES, type Theme } from '../render/theme.ts';
import type { Schedule } from '../terminal/schedule.ts';
import type { Store } from './store.ts';
import type { Ui } from './ui.ts';

type Face = {
  readonly keys: KeyResolver;
  theme(): Theme;
  setTheme(theme: Theme): void;
  clear(): void;
  choose: ScreenPort['choose'];
  suggest: ScreenPort['suggest'];
  pickSession: ScreenPort['pickSession'];
  selected(): string;
  refuse(line: string, why: string): void;
  copy(text: string, name: string): string;
};

export function screenDesk({ keys, theme, setTheme, ...others }: Face): ScreenPort {
  return {
    keys: () => keyList(keys).join('\n'),
    themes: Object.keys(THEMES),
    theme: () => Object.entries(THEMES).find(([, each]) => each === theme())?.[0] ?? '',
    setTheme(name) {
      if (!Object.hasOwn(THEMES, name)) return false;
      setTheme(THEMES[name as keyof typeof THEMES]);
      return true;
    },
    ...others,
  };
}

/** Puts a line into the prompt, where that is empty; whether it was. */
export function suggestLine(screen: { readonly ui: Store<Ui>; type(line: string): void }, line: string): boolean {
  const free = isEmpty(screen.ui.get().editor);
  if (free) screen.type(line);
  return free;
}

/** The name that `keys` of the configuration knows a command by stands at the end of its line. */
function keyList(keys: KeyResolver): string[] {
  return KEY_CONTEXTS.flatMap((context) => [
    `${CONTEXT_LABELS[context]}:`,
    ...keys
      .bindings(context)
      .filter((binding) => binding.context === context)
      .map(({ chords, command, label }) => {
        const shown = chords.length === 0 ? 'no key' : chords.map(showChord).join(', ');
        return `  ${shown.padEnd(26)} ${label}  (${context}.${command})`;
      }),
  ]);
}

/** Shows what may follow a begun key sequence, after a moment of hesitation (UI-5). */

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
