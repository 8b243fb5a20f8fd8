import { DIGITS, UNKNOWN } from '../../shell/taint.ts';

/** The texts that an expression may have; empty where following it led round in a circle. */
export type Texts = ReadonlySet<string>;

/** Any text. */
export const ANYTHING: Texts = new Set([UNKNOWN]);
export const NUMBER: Texts = new Set([DIGITS]);

/** Most different texts an expression is followed to; beyond it, any text. */
export const MAX_VALUES = 24;
export function constant(value: unknown): Texts {
  if (typeof value === 'string') return new Set([value]);
  return typeof value === 'number' || typeof value === 'bigint' ? NUMBER : ANYTHING;
}

/** An operand without a value (the start of a circle) makes the whole unknown: it may grow without end. */
export function sum(left: Texts, right: Texts): Texts {
  if (left.size === 0 || right.size === 0) return ANYTHING;
  return bounded([...left].flatMap((a) => [...right].map((b) => a + b)));
}

export function product(parts: readonly Texts[]): Texts {
  return parts.reduce(sum, new Set(['']));
}

/** Joined as paths are: what begins at the root stands alone. */
export function paths(parts: readonly Texts[]): Texts {
  let [joined = ANYTHING] = parts;
  for (const part of parts.slice(1)) {
    if (joined.size === 0 || part.size === 0) return ANYTHING;
    const left = [...joined];
    if (left.some((text) => /^\uE008*$/.test(text))) return NUMBER;
    joined = bounded(left.flatMap((a) => [...part].map((b) => joinPath(a, b))));
  }
  return joined;
}

function joinPath(left: string, right: string): string {
  return right.startsWith('/') || left === '' ? right : `${left.replace(/\/$/, '')}/${right}`;
}

export function union(sets: readonly Texts[]): Texts {
  return bounded(sets.flatMap((set) => [...set]));
}

export function bounded(texts: readonly string[]): Texts {
  const set = new Set(texts);
  return set.size > MAX_VALUES || texts.some((text) => text.length > 100_000) ? ANYTHING : set;
}

export function mapAll(set: Texts, change: (text: string) => string): Texts {
  return new Set([...set].map(change));
}

export function directoryOf(path: string): string {
  if (path.includes(UNKNOWN)) return UNKNOWN;
  const at = path.lastIndexOf('/');
  return at < 0 ? '.' : at === 0 ? '/' : path.slice(0, at);
}

export function baseOf(path: string): string {
  return path.includes(UNKNOWN) ? UNKNOWN : path.slice(path.lastIndexOf('/') + 1);
}

/** `'%s.txt' % x`: what is put in may be anything. */
export function percentFormatted(template: string): string {
  return template.replace(/%%|%(\(\w+\))?[-#0 +]*[\d.*]*[a-zA-Z]/g, (found) =>
    found === '%%' ? '%' : /^%0?\d*d$/.test(found) ? DIGITS : UNKNOWN,
  );
}
