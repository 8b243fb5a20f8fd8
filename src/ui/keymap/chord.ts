/** Chords in text: `ctrl-x`, `alt-enter`, `shift-tab`, `f1`, `?`, `ctrl-x ctrl-c` (two after each other). */

import { graphemes } from '../../text/display.ts';
import type { KeyToken } from '../terminal/token.ts';

const NAMES = new Set(
  'enter tab backspace escape space up down left right home end pageup pagedown insert delete begin menu burst-enter'
    .split(' ')
    .concat(Array.from({ length: 35 }, (_, index) => `f${index + 1}`)),
);
const ALIASES: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  del: 'delete',
  pgup: 'pageup',
  pgdn: 'pagedown',
};

/** The canonical name of one key: modifiers in the order ctrl, alt, shift. */
export function chordOf(key: KeyToken): string {
  if (key.burst) return 'burst-enter';
  return `${key.ctrl ? 'ctrl-' : ''}${key.alt ? 'alt-' : ''}${key.shift ? 'shift-' : ''}${key.name}`;
}

/** The canonical form of a chord as a person writes it, key by key in a sequence; undefined when it is not a chord. */
export function parseChord(text: string): readonly string[] | undefined {
  const keys = text.trim().split(/\s+/).map(parseKey);
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

function parseKey(text: string): string | undefined {
  const match = /^((?:(?:ctrl|control|alt|meta|shift|[cmas])-)*)(.+)$/i.exec(text);
  if (match === null) return undefined;
  const modifiers = new Set(
    (match[1] ?? '')
      .toLowerCase()
      .split('-')
      .map((name) => MODIFIERS[name]),
  );
  const written = match[2] ?? '';
  const lower = written.toLowerCase();
  const name = ALIASES[lower] ?? lower;
  const single = graphemes(name).length === 1;
  if (!NAMES.has(name) && !single) return undefined;
  if (single && written !== lower) modifiers.add('shift');
  const prefix = ['ctrl', 'alt', 'shift'].filter((modifier) => modifiers.has(modifier)).join('-');
  return prefix === '' ? name : `${prefix}-${name}`;
}

const MODIFIERS: Readonly<Record<string, string>> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  c: 'ctrl',
  alt: 'alt',
  meta: 'alt',
  m: 'alt',
  a: 'alt',
  shift: 'shift',
  s: 'shift',
};

/** Whether a chord is a key that types something, which a text field needs for itself. */
export function typesText(chord: string): boolean {
  const name = chord.replace(/^shift-/, '');
  return name === 'space' || (!NAMES.has(name) && !/^(?:ctrl|alt)-./.test(name));
}

/** How a chord is shown to people: `Ctrl-X Ctrl-C`, `Alt-Enter`, `?`, `G`. */
export function showChord(chord: string): string {
  return chord
    .split(' ')
    .map((key) => {
      if (key === 'burst-enter') return 'pasted Enter';
      const match = /^((?:(?:ctrl|alt|shift)-)*)(.+)$/.exec(key);
      const [, prefix = '', name = ''] = match ?? [];
      if (prefix === 'shift-' && !NAMES.has(name)) return name.toUpperCase();
      const shown = NAMES.has(name) || prefix !== '' ? name.replace(/^./u, (first) => first.toUpperCase()) : name;
      return prefix.replace(/\w+/g, (word) => word[0]?.toUpperCase() + word.slice(1)) + (LONG[shown] ?? shown);
    })
    .join(' ');
}

const LONG: Readonly<Record<string, string>> = {
  Pageup: 'PageUp',
  Pagedown: 'PageDown',
  Escape: 'Esc',
  Up: '↑',
  Down: '↓',
  Left: '←',
  Right: '→',
};
