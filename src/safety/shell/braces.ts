import { QUOTE } from './taint.ts';

const LIMIT = 256;

/** Brace expansion of a tagged word: `a{b,c}` → `ab`, `ac`; `{1..3}`. At most 256 words come out. */
export function expandBraces(text: string): string[] {
  if (!text.includes('{')) return [text];
  let budget = LIMIT;
  const expand = (word: string, depth: number): string[] => {
    if (depth > 16 || budget <= 0) return [word];
    const found = findBraces(word);
    if (!found) return [word];
    const { start, end, parts } = found;
    const head = word.slice(0, start);
    const tails = expand(word.slice(end + 1), depth + 1);
    const out: string[] = [];
    for (const part of parts) {
      for (const middle of expand(part, depth + 1)) {
        for (const tail of tails) {
          if (--budget < 0) return out.length > 0 ? out : [word];
          out.push(head + middle + tail);
        }
      }
    }
    return out;
  };
  return expand(text, 0);
}

/** More words than these come of no honest range. */
const MOST_WORDS = 2_000_000;

/** Are there more words in the ranges of this one than a shell should make? */
export function isBeyond(word: string): boolean {
  let words = 1;
  for (const [, from = '', to = ''] of word.matchAll(/\{(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.-?\d+)?\}/g)) {
    const value = (text: string) => (/\d/.test(text) ? Number(text) : text.charCodeAt(0));
    words *= Math.abs(value(to) - value(from)) + 1;
  }
  return words > MOST_WORDS;
}

type Found = { start: number; end: number; parts: readonly string[] };

/** The first group that really expands: one with a comma at its own level, or a range. */
function findBraces(word: string): Found | undefined {
  for (let start = word.indexOf('{'); start >= 0; start = word.indexOf('{', start + 1)) {
    if (word[start - 1] === QUOTE) continue;
    let depth = 0;
    let from = start + 1;
    const parts: string[] = [];
    for (let i = start; i < word.length; i++) {
      const c = word[i];
      if (c === QUOTE) i++;
      else if (c === '{') depth++;
      else if (c === ',' && depth === 1) {
        parts.push(word.slice(from, i));
        from = i + 1;
      } else if (c === '}' && --depth === 0) {
        const body = word.slice(start + 1, i);
        if (parts.length > 0) return { start, end: i, parts: [...parts, word.slice(from, i)] };
        const range = expandRange(body);
        if (range) return { start, end: i, parts: range };
        break;
      }
    }
  }
  return undefined;
}

function expandRange(body: string): readonly string[] | undefined {
  const numbers = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,6}))?$/.exec(body);
  const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,6}))?$/.exec(body);
  const found = numbers ?? letters;
  if (!found) return undefined;
  const value = (text: string) => (numbers ? Number(text) : text.charCodeAt(0));
  const from = value(found[1] ?? '');
  const to = value(found[2] ?? '');
  const step = Math.max(1, Math.abs(Number(found[3] ?? 1)));
  const out: string[] = [];
  for (let n = from; from <= to ? n <= to : n >= to; n += from <= to ? step : -step) {
    out.push(numbers ? padded(n, found[1] ?? '', found[2] ?? '') : String.fromCharCode(n));
    if (out.length >= LIMIT) break;
  }
  return out;
}

/** `{01..10}` keeps leading zeros. */
function padded(n: number, from: string, to: string): string {
  const zero = /^-?0\d/;
  if (!zero.test(from) && !zero.test(to)) return String(n);
  const width = Math.max(from.length, to.length);
  return n < 0 ? `-${String(-n).padStart(width - 1, '0')}` : String(n).padStart(width, '0');
}
