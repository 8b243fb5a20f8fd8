/** What `:keys` and `:theme` ask of the screen. */
import type { ScreenPort } from '../commands/app.ts';
import { showChord } from '../keymap/chord.ts';
import type { KeyResolver } from '../keymap/resolver.ts';
import { CONTEXT_LABELS, KEY_CONTEXTS } from '../keymap/table.ts';
import { THEMES, type Theme } from '../render/theme.ts';

type Face = { readonly keys: KeyResolver; theme(): Theme; setTheme(theme: Theme): void };

export function screenDesk({ keys, theme, setTheme }: Face): ScreenPort {
  return {
    keys: () => keyList(keys).join('\n'),
    themes: Object.keys(THEMES),
    theme: () => Object.entries(THEMES).find(([, each]) => each === theme())?.[0] ?? '',
    setTheme(name) {
      if (!Object.hasOwn(THEMES, name)) return false;
      setTheme(THEMES[name as keyof typeof THEMES]);
      return true;
    },
  };
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
