/** Keys → commands, one place at a time, with sequences such as `Ctrl-X Ctrl-C`. */
import type { KeyToken } from '../terminal/token.ts';
import { chordOf } from './chord.ts';
import type { Binding, KeyCommand, KeyContext } from './table.ts';

/** What a key came to. */
type Resolution =
  | { readonly kind: 'command'; readonly command: KeyCommand }
  /** The beginning of a sequence; `pending()` says what may follow. */
  | { readonly kind: 'pending' }
  /** A sequence was given up by Esc or Ctrl-G. */
  | { readonly kind: 'cancelled' }
  /** Nothing is bound. `keys` are all keys of the broken sequence: to be typed, or handed to the program. */
  | { readonly kind: 'unbound'; readonly keys: readonly KeyToken[] }
  | { readonly kind: 'ignored' };

/** What may follow the keys pressed so far. */
export type Pending = {
  readonly prefix: string;
  readonly follows: readonly { readonly chord: string; readonly command: KeyCommand; readonly label: string }[];
};

export type KeyResolver = {
  /** Takes one key in a place. A change of place drops a sequence under way. Releases are ignored. */
  resolve(key: KeyToken, context: KeyContext): Resolution;
  pending(): Pending | undefined;
  reset(): void;
  /** The bindings in force in a place, global ones last; for help and the palette. */
  bindings(context: KeyContext): readonly Binding[];
};

const CANCELS = new Set(['escape', 'ctrl-g']);

/** `table` is `KEY_TABLE`, or what `rebind` made of it. */
export function createKeyResolver(table: readonly Binding[]): KeyResolver {
  const places = new Map<KeyContext, Map<string, Binding>>();
  let held: { context: KeyContext; keys: KeyToken[]; chord: string } | undefined;

  function chords(context: KeyContext): Map<string, Binding> {
    let map = places.get(context);
    if (map === undefined) {
      map = new Map();
      // The place itself wins over what holds everywhere.
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
