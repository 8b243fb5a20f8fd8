/** Maps keys to commands, one context at a time, including sequences such as `Ctrl-X Ctrl-C`. */

import { graphemes } from '../../text/display.ts';
import type { KeyToken } from '../terminal/token.ts';
import type { Binding, KeyCommand, KeyContext } from './table.ts';

/** The result of a key. */
type Resolution =
  | { readonly kind: 'command'; readonly command: KeyCommand }
  /** The start of a sequence; `pending()` lists the keys that may follow. */
  | { readonly kind: 'pending' }
  /** Esc or Ctrl-G gave up a sequence. */
  | { readonly kind: 'cancelled' }
  /** The key is not bound. `keys` are all keys of the broken sequence, to be typed or passed to the program. */
  | { readonly kind: 'unbound'; readonly keys: readonly KeyToken[] }
  | { readonly kind: 'ignored' };

/** The keys that may follow those pressed so far. */
export type Pending = {
  readonly prefix: string;
  readonly follows: readonly { readonly chord: string; readonly command: KeyCommand; readonly label: string }[];
};

export type KeyResolver = {
  /** Takes one key in a context. A change of context drops an unfinished sequence. Key releases are ignored. */
  resolve(key: KeyToken, context: KeyContext): Resolution;
  pending(): Pending | undefined;
  reset(): void;
  /** Returns the bindings of a context, global ones last, for help and the palette. */
  bindings(context: KeyContext): readonly Binding[];
};

const CANCELS = new Set(['escape', 'ctrl-g']);

/** Creates the function that resolves keys. `table` is `KEY_TABLE`, or what `rebind` made of it. */
export function createKeyResolver(table: readonly Binding[]): KeyResolver {
  const places = new Map<KeyContext, Map<string, Binding>>();
  let held: { context: KeyContext; keys: KeyToken[]; chord: string } | undefined;

  function chords(context: KeyContext): Map<string, Binding> {
    let map = places.get(context);
    if (map === undefined) {
      map = new Map();
      // The context's own bindings win over global ones.
      for (const place of inForce(context)) {
        for (const binding of table) {
          if (binding.context !== place) continue;
          for (const chord of binding.chords) if (!map.has(chord)) map.set(chord, binding);
        }
      }
      places.set(context, map);
    }
    return map;
  }

  return {
    resolve(key, context) {
      if (key.event === 'release') return { kind: 'ignored' };
      if (held?.context !== context) held = undefined;
      const before = held;
      held = undefined;
      const pressed = chordOf(key);
      const keys = [...(before?.keys ?? []), key];
      const chord = before === undefined ? pressed : `${before.chord} ${pressed}`;
      const map = chords(context);
      const binding = map.get(chord);
      if (binding !== undefined) return { kind: 'command', command: binding.command };
      if ([...map.keys()].some((other) => other.startsWith(`${chord} `))) {
        held = { context, keys, chord };
        return { kind: 'pending' };
      }
      if (before !== undefined && context !== 'program' && CANCELS.has(pressed)) return { kind: 'cancelled' };
      return { kind: 'unbound', keys };
    },
    pending() {
      if (held === undefined) return undefined;
      const { chord: prefix, context } = held;
      const follows = [...chords(context)]
        .filter(([chord]) => chord.startsWith(`${prefix} `))
        .map(([chord, { command, label }]) => ({ chord: chord.slice(prefix.length + 1), command, label }));
      return { prefix, follows };
    },
    reset() {
      held = undefined;
    },
    bindings: (context) => inForce(context).flatMap((place) => table.filter((binding) => binding.context === place)),
  };
}

function inForce(context: KeyContext): readonly KeyContext[] {
  return context === 'program' || context === 'global' ? [context] : [context, 'global'];
}

// Chords in text: `ctrl-x`, `alt-enter`, `shift-tab`, `f1`, `?`, `ctrl-x ctrl-c` (two after each other).

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
function chordOf(key: KeyToken): string {
  if (key.burst) return 'burst-enter';
  return `${key.ctrl ? 'ctrl-' : ''}${key.alt ? 'alt-' : ''}${key.shift ? 'shift-' : ''}${key.name}`;
}

/**
 * Returns the canonical form of a chord as a person writes it, one item for each key of a sequence; undefined when it
 * is not a chord.
 */
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

/** Returns whether a chord is a printable key, which a text field needs. */
export function typesText(chord: string): boolean {
  const name = chord.replace(/^shift-/, '');
  return name === 'space' || (!NAMES.has(name) && !/^(?:ctrl|alt)-./.test(name));
}

/** Returns a chord as shown to people: `Ctrl-X Ctrl-C`, `Alt-Enter`, `?`, `G`. */
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
