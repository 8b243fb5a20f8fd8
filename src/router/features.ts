/** The features of a line that the router's model sees, hashed into buckets. */
import {
  englishWords,
  foreignWords,
  type Piece,
  pieces,
  requestWords,
  type Shape,
  shellKeywords,
} from './vocabulary.ts';
import { SCALE, WEIGHTS } from './weights.ts';

/** Number of weights. A power of two. */
export const BUCKETS = 1 << 15;

const SYNTAX: ReadonlySet<Shape> = new Set<Shape>([
  'flag',
  'path',
  'file',
  'glob',
  'variable',
  'setting',
  'operator',
  'url',
]);

/** FNV-1a, 32 bit, over the feature's name. */
function bucket(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) {
    hash ^= name.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1);
}

function isWord(one: Piece): boolean {
  return one.shape === 'word' || one.shape === 'capital' || one.shape === 'upper';
}

function few(count: number, most: number): number {
  return Math.min(count, most);
}

/** The numbers that the rules and the model share. */
export type LineFeatures = {
  readonly pieces: readonly Piece[];
  /** English function words after the first word. */
  readonly english: number;
  /** Flags, paths, operators and the like after the first word. */
  readonly syntax: number;
};

/** Cuts a line and counts. */
export function inspect(line: string): LineFeatures {
  const all = pieces(line);
  let english = 0;
  let syntax = 0;
  for (let i = 1; i < all.length; i++) {
    const one = all[i];
    if (!one) continue;
    if (one.shape === 'word' && englishWords.has(one.plain)) english++;
    else if (SYNTAX.has(one.shape)) syntax++;
  }
  return { pieces: all, english, syntax };
}

function opening(word: string): string {
  if (requestWords.has(word)) return 'request';
  if (englishWords.has(word)) return 'english';
  return foreignWords.has(word) ? 'foreign' : 'plain';
}

/** The buckets of a line's features, without repeats. `known`: the first word is something the shell can run. */
export function features(sight: LineFeatures, known: boolean): number[] {
  const { pieces: all, english, syntax } = sight;
  const [first, ...rest] = all;
  if (!first) return [];
  const k = known ? 'K' : 'U';
  const found = new Set<number>();
  const add = (name: string): void => {
    found.add(bucket(name));
  };
  const second = rest[0];
  const last = rest.at(-1);
  const foreign = rest.reduce((n, one) => n + (foreignWords.has(one.plain) ? 1 : 0), 0);
  const plainWords = rest.reduce((n, one) => n + (one.shape === 'word' || one.shape === 'capital' ? 1 : 0), 0);

  add('bias');
  add(`known ${k}`);
  add(`first ${first.plain}`);
  add(`first shape ${first.shape}`);
  add(`first mark ${first.mark}`);
  const kind = opening(first.plain);
  add(`opens ${kind} ${k}`);
  add(`opens ${kind} english ${few(english, 2)} syntax ${few(syntax, 1)} ${k}`);
  add(`opens ${kind} length ${few(all.length, 4)} ${k}`);
  if (shellKeywords.has(first.plain)) add(`keyword ${syntax > 0} ${english > 0}`);
  add(`length ${few(all.length, 9)} ${k}`);
  add(`english ${few(english, 4)} ${k}`);
  add(`syntax ${few(syntax, 4)} ${k}`);
  add(`english ${few(english, 3)} syntax ${few(syntax, 3)} length ${few(all.length, 6)}`);
  add(`foreign ${few(foreign, 3)} ${few(english, 1)} ${few(syntax, 1)}`);
  add(`words ${few(plainWords, 7)} of ${few(rest.length, 7)}`);
  if (second) {
    if (isWord(second)) add(`second ${second.plain}`);
    add(`second shape ${second.shape} ${k}`);
    if (isWord(second)) add(`pair ${first.plain} ${second.plain}`);
    add(`first ${first.plain} before ${second.shape}`);
  }
  add(`first ${first.plain} english ${few(english, 2)} syntax ${few(syntax, 1)}`);
  if (last) {
    if (isWord(last)) add(`last ${last.plain}`);
    add(`last shape ${last.shape}`);
    add(`ends ${last.mark} ${few(all.length, 4)}`);
    if (isWord(last) && last.plain.length > 4) add(`last ends ${last.plain.slice(-3)} ${all.length === 2 ? 2 : 'n'}`);
  }
  rest.forEach((one, i) => {
    if (isWord(one)) {
      add(`word ${one.plain}`);
      if (one.plain.length > 5) add(`ends ${one.plain.slice(-3)}`);
    } else add(`has ${one.shape}`);
    if (one.mark) add(`mark ${one.mark}`);
    if (one.text.startsWith('(')) add('parenthesis');
    const next = rest[i + 1];
    if (next) {
      add(`shapes ${one.shape} ${next.shape}`);
      if (one.shape === 'word' && next.shape === 'word') add(`pair ${one.plain} ${next.plain}`);
    }
  });
  return [...found];
}

/** The trained part of the router: a sum of weights, one per feature seen. */

let table: Int8Array | undefined;

/** How much a line must read like language before it is not run as a command; chosen on held-out halves of the data. */
export const MIN_LANGUAGE_SCORE = 0.5;

/** How much a line reads like language: the log-odds, above 0 for language, below 0 for a command. */
export function languageScore(sight: LineFeatures, known: boolean): number {
  table ??= new Int8Array(Buffer.from(WEIGHTS, 'base64'));
  let sum = 0;
  for (const at of features(sight, known)) sum += table[at] ?? 0;
  return sum * SCALE;
}
