/** Applies the user's keys (`keys` of the configuration) to the shipped table; its errors say what to do. */
import { parseChord, showChord, typesText } from './resolver.ts';
import { type Binding, KEY_CONTEXTS } from './table.ts';

export type Rebound = { readonly table: readonly Binding[]; readonly errors: readonly string[] };

/** Contexts in which printable keys belong to the text. */
const TYPING = new Set(['global', 'prompt', 'menu', 'field', 'program']);

/**
 * `keys` maps `command` (everywhere it is bound) or `context.command` to a chord, a list of chords, or an empty list to
 * unbind it. A wrong entry is left out and named in `errors`; the others apply. A key that the user gives to one
 * command is taken from the command that had it.
 */
export function rebind(table: readonly Binding[], keys: Readonly<Record<string, string | readonly string[]>>): Rebound {
  const errors: string[] = [];
  let result = table;
  for (const [name, value] of Object.entries(keys)) {
    const [place, command] = name.includes('.') ? splitName(name) : [undefined, name];
    const matches = (binding: Binding) =>
      binding.command === command && (place === undefined || binding.context === place);
    const targets = result.filter(matches);
    if (targets.length === 0) {
      errors.push(`keys: "${name}" is no command${suggestion(name, table)}`);
      continue;
    }
    const wanted = typeof value === 'string' ? [value] : value;
    const chords = wanted.flatMap((text) => chordOf(text, name, targets, errors) ?? []);
    if (wanted.length > 0 && chords.length === 0) continue;
    if (command === 'abort' && chords.length === 0) {
      errors.push('keys: "abort" must keep a key');
      continue;
    }
    const places = new Set(targets.map((target) => target.context));
    result = result.map((binding) => {
      if (matches(binding)) return { ...binding, chords };
      if (!places.has(binding.context)) return binding;
      const left = binding.chords.filter((chord) => !chords.some((taken) => clash(chord, taken)));
      return left.length === binding.chords.length ? binding : { ...binding, chords: left };
    });
  }
  errors.push(...result.flatMap((binding) => lostKey(binding, table, keys) ?? []));
  return { table: result, errors };
}

/** Returns the chord for `name`; undefined where it can't be bound, with the mistake in `errors`. */
function chordOf(text: string, name: string, targets: readonly Binding[], errors: string[]): string | undefined {
  const parsed = parseChord(text);
  const first = parsed?.[0];
  if (parsed === undefined || first === undefined) {
    errors.push(`keys: "${text}" for "${name}" is no key; write it like "ctrl-x e", "alt-enter" or "f5"`);
    return undefined;
  }
  if (typesText(first) && targets.some((target) => TYPING.has(target.context))) {
    errors.push(`keys: "${text}" for "${name}" types a character; put ctrl- or alt- before it`);
    return undefined;
  }
  return parsed.join(' ');
}

/** Returns the mistake where a command has unintentionally lost its key to another. */
function lostKey(
  { context, command, chords }: Binding,
  table: readonly Binding[],
  keys: Readonly<Record<string, unknown>>,
): string | undefined {
  const had = table.find((other) => other.context === context && other.command === command);
  // It is newer than its key: what had the key before has kept it.
  if (command === 'copyCode') return undefined;
  const unbound = chords.length === 0 && (had?.chords.length ?? 0) > 0;
  if (!unbound || (keys[command] ?? keys[`${context}.${command}`]) !== undefined) return undefined;
  return `keys: "${context}.${command}" has lost its key ${showChord(had?.chords[0] ?? '')}; give it another`;
}

/** Returns whether two chords are equal or one is the start of the other. */
function clash(one: string, other: string): boolean {
  return `${one} `.startsWith(`${other} `) || `${other} `.startsWith(`${one} `);
}

function splitName(name: string): readonly [string, string] {
  const dot = name.indexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}

/** Returns `; did you mean "…"?` with the nearest name, if one is near. */
function suggestion(name: string, table: readonly Binding[]): string {
  const names = name.includes('.')
    ? table.map((row) => `${row.context}.${row.command}`)
    : table.map((row) => row.command);
  const [nearest] = [...new Set(names)]
    .map((known) => ({ known, far: distance(name, known) }))
    .sort((a, b) => a.far - b.far);
  if (nearest !== undefined && nearest.far <= 1 + name.length / 3) return `; did you mean "${nearest.known}"?`;
  return `; places are ${KEY_CONTEXTS.join(', ')}`;
}

/** Returns the Levenshtein distance, ignoring case. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const same = one[at - 1]?.toLowerCase() === other[to - 1]?.toLowerCase();
      next.push(Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, (row[to - 1] ?? 0) + (same ? 0 : 1)));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
