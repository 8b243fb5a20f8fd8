/**
 * Classifies an input line as meta, shell or ai (IN-1, IN-2). No model call, no I/O of its own, well under a
 * millisecond.
 *
 * Certain cases are a table of rules, tried in order; a small trained model weighs the others.
 */
import type { Route } from '../contracts/lines.ts';
import { pattern } from '../text/pattern.ts';
import {
  answers,
  englishWords,
  foreignWords,
  type Piece,
  pieces,
  requestWords,
  type Shape,
  shellKeywords,
  shellWords,
  speech,
  textCommands,
} from './vocabulary.ts';
import { SCALE, WEIGHTS } from './weights.ts';

/** The router’s questions about the system; every answer must be immediate. */
export type Words = {
  /** Returns whether the user's shell can run this word: builtin, keyword, function, alias, executable on PATH. */
  knows(word: string): boolean;
  /**
   * Returns whether the word names an existing file or directory. Without this function, looking like a path is enough.
   */
  isPath?(word: string): boolean;
  /** Returns how the user has routed lines of this shape (`Route.unsure`) before. */
  taken?(shape: string): 'shell' | 'ai' | undefined;
};

type Verdict = { readonly kind: 'shell' | 'ai'; readonly why: string; readonly unsure?: string };
type Rule = (line: string, sight: LineFeatures, words: Words) => Verdict | undefined;

const shell = (why: string): Verdict => ({ kind: 'shell', why });
const ai = (why: string): Verdict => ({ kind: 'ai', why });

/** `x=1`, `x+=1`, `a[0]=1`; also before a command. */
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]\s]*\])?\+?=/;
/** Starts that occur only in shell syntax: groups, tests, expansions, redirections, comments, flags. */
const SYNTAX_START = /^(?:[({](?=\s)|\(\(|\[\[?(?=\s)|\$[({\w'"]|`|[<>]|\d+[<>]|#|&|\||;|\\|-|%\d?$|[*^%])/;
const PATH_START = /^(?:~[\w-]*|\.{1,2})?\/|^~$|^\.{1,2}$/;
/** Letters of scripts in which no commands are written. */
const OTHER_SCRIPT = /^[¿¡]|^(?!\p{Script=Latin})\p{L}/u;
const OTHER_LETTERS = /(?!\p{Script=Latin})\p{L}/u;
/** Words that users define as commands which run the rest of the line, as `alias please=sudo` does. */
const POLITE_ALIASES: ReadonlySet<string> = new Set(['please', 'pls', 'plz']);
/** `who am i` and `who mom likes` are commands. */
const WHO_AM_I = /^who\s+(?:am\s+i|mom\s+likes)$/i;
/** A loop or condition in the shell's grammar, complete or not. */
const COMPOUND = pattern(
  String.raw`
    ^(?:for\s+\w+\s*(?:in\s+[^a-z\s]|in\s+\S+\s*;|;|$)|for\s*\(\(|(?:if|while|until|elif)\s+(?:!\s|\[|\(\(
    |.*;\s*(?:then|do)\b|.*\n\s*(?:then|do)\b)|case\s+\S+\s+in\b\s*(?:$|\S*\)|\n)
    |function\s+[\w:-]+\s*(?:\(\s*\)|\{)|[\w:-]+\s*\(\s*\)\s*(?:\{|\())
  `,
  's',
);

/**
 * The log-odds, around the border, within which a known command followed by plain words may be either: one in thirty
 * difficult lines.
 */
const DOUBT = 2;

/** A lone event of the shell's history, `! command`, and the command `:`. */
const OF_THE_SHELL = /^(?:!(?:!|\$|\^|\*|-?\d+|\?\S+)$|!\s+\S|:(?:\s+\S|[;|&<>]))/;

/**
 * Returns whether words in another script are a sentence rather than file names: they are most of the line after its
 * first word.
 */
function speaksOtherScript({ pieces, syntax }: LineFeatures): boolean {
  const words = pieces.slice(1).filter(({ text, shape }) => shape !== 'quoted' && OTHER_LETTERS.test(text));
  if (words.length === 0 || syntax > 0) return false;
  return words.some(({ plain }) => !/[./=]/.test(plain) && speech.some((pattern) => pattern.test(plain)));
}

/** `ideas?`, `is that so ?`: the mark ends a sentence and is not a glob that matches existing files. */
function endsInQuestion(text: string, { pieces, syntax }: LineFeatures, words: Words): boolean {
  const last = pieces.at(-1)?.text ?? '';
  if (!/^[\p{L}\d'’-]*\?+$/u.test(last) || syntax > 0 || /["'`$|<>&;]/.test(text.replace(/\p{L}['’]\p{L}/gu, '')))
    return false;
  return words.isPath?.(last) !== true;
}

const RULES: readonly Rule[] = [
  (line) => (ASSIGNMENT.test(line) ? shell('assignment') : undefined),
  // A substitution runs before the shell finds out that the command does not exist, so never run one on a guess.
  (line, sight, words) => {
    const first = sight.pieces[0]?.text ?? '';
    return /`|\$\(/.test(line) && /^[\p{L}]+$/u.test(first) && !words.knows(first) ? ai('no such command') : undefined;
  },
  (line) => (COMPOUND.test(line) ? shell('shell grammar') : undefined),
  (line, sight, words) => {
    if (!OTHER_SCRIPT.test(line)) return undefined;
    return words.knows(sight.pieces[0]?.text ?? '') ? undefined : ai('reads like language');
  },
  (line, sight, words) => {
    if (!PATH_START.test(line)) return undefined;
    const asks = sight.english >= 3 || (sight.english >= 1 && /\w\?$/.test(line));
    if (asks && !(words.isPath?.(sight.pieces[0]?.text ?? '') && sight.syntax > 0))
      return ai('a question about a path');
    return shell('path');
  },
  (line) => (SYNTAX_START.test(line) ? shell('shell syntax') : undefined),
  // The start of a question; no command has this name.
  (line, { pieces }, words) =>
    /^@[^\s@]/.test(line) && !words.knows(pieces[0]?.text ?? '') ? ai('an attached file') : undefined,
  (line, { pieces }, words) =>
    WHO_AM_I.test(line) && words.knows(pieces[0]?.text ?? '') ? shell('known command') : undefined,
  // `git: undo the last commit`: a topic and a request.
  (_line, { pieces }, words) => {
    const first = pieces[0]?.text ?? '';
    return pieces.length > 2 && /^[\w.+-]+:$/.test(first) && !words.knows(first)
      ? ai('reads like language')
      : undefined;
  },
  (line, { pieces }, words) => {
    const first = pieces[0]?.text ?? '';
    if (!POLITE_ALIASES.has(first) || !words.knows(first) || pieces.length < 2) return undefined;
    const rest = classify(line.slice(first.length), words);
    return rest.kind === 'shell' && rest.why === 'known command' ? shell('known command') : undefined;
  },
  (_line, sight, words) => {
    const first = sight.pieces[0];
    if (
      first === undefined ||
      (!speaksOtherScript(sight) && !(OTHER_LETTERS.test(first.text) && !/[./=]/.test(first.text)))
    )
      return undefined;
    return words.knows(first.text) && !speaksOtherScript(sight) ? undefined : ai('reads like language');
  },
  (line, sight, words) => {
    const first = sight.pieces[0]?.text ?? '';
    if (!endsInQuestion(line, sight, words) || textCommands.has(first)) return undefined;
    const only = sight.pieces.length === 1;
    // `ls ?` and `rm file?` may be globs for files that do not exist yet.
    return only || !words.knows(first) || sight.english > 0 ? ai('a question') : undefined;
  },
  (_line, sight, words) => {
    const first = sight.pieces[0]?.text ?? '';
    return textCommands.has(first) && words.knows(first) ? shell('known command') : undefined;
  },
  // An unclosed apostrophe within a word: no command, and Enter would only open a continuation line.
  (line, sight, words) => {
    if (sight.pieces.length < 2 || (line.match(/'/g)?.length ?? 0) % 2 === 0 || !/[A-Za-z]'[a-z]{1,2}\b/.test(line))
      return undefined;
    return words.knows(sight.pieces[0]?.text ?? '') && sight.english < 1 ? undefined : ai('reads like language');
  },
  (_line, sight, words) => {
    const only = sight.pieces.length === 1 ? sight.pieces[0] : undefined;
    return only && words.knows(only.text) ? shell('known command') : undefined;
  },
];

/** Classifies a submitted or half-typed line. Never throws. */
export function classify(line: string, words: Words): Route {
  const text = line.trim();
  const rest = (length: number): string => text.slice(length).trim();
  if (OF_THE_SHELL.test(text)) return { kind: 'shell', forced: true, text, why: 'shell syntax' };
  if (text.startsWith(':')) return { kind: 'meta', forced: true, text: rest(1), why: 'meta command' };
  if (text.startsWith('!!'))
    return { kind: 'shell', forced: true, private: true, text: rest(2), why: 'private command' };
  if (text.startsWith('!')) return { kind: 'shell', forced: true, text: rest(1), why: 'forced by !' };
  if (text.startsWith('?')) return { kind: 'ai', forced: true, text: rest(1), why: 'forced by ?' };
  if (text === '') return { kind: 'shell', forced: false, text, why: 'empty' };
  const sight = inspect(text);
  for (const rule of RULES) {
    const verdict = rule(text, sight, words);
    if (verdict) return { ...verdict, forced: false, text };
  }
  return { ...weigh(sight, words), forced: false, text };
}

/** Returns whether the shell knows the word regardless of what is installed. */
export function isShellWord(word: string): boolean {
  return shellWords.has(word);
}

function weigh(sight: LineFeatures, words: Words): Verdict {
  const first = sight.pieces[0];
  const known = first !== undefined && words.knows(first.text);
  const score = languageScore(sight, known);
  const verdict =
    score > (isNoCommand(sight, known, words) ? MIN_NO_COMMAND_SCORE : MIN_LANGUAGE_SCORE)
      ? ai('reads like language')
      : shell(known ? 'known command' : 'looks like a command');
  const [, ...rest] = sight.pieces;
  const doubtful = known && sight.syntax === 0 && rest.length > 0 && !rest.some(({ text }) => words.isPath?.(text));
  if (!doubtful || Math.abs(score - MIN_LANGUAGE_SCORE) >= DOUBT) return verdict;
  const unsure = shapeOf(sight);
  const taken = words.taken?.(unsure);
  return taken ? { kind: taken, why: 'as a similar line was treated before' } : { ...verdict, unsure };
}

/** Plain words whose first is neither a command nor a misspelled one: as a command they could only fail. */
function isNoCommand({ pieces }: LineFeatures, known: boolean, words: Words): boolean {
  const [first] = pieces;
  if (known || first === undefined || pieces.length < 2 || !pieces.every(isWord)) return false;
  return ![...slipsOf(first.text)].some((word) => words.knows(word));
}

/** Yields the words that a misspelled one may mean: a letter wrong, left out, added, or two swapped. */
function* slipsOf(word: string): Iterable<string> {
  for (let at = 0; at <= word.length; at += 1) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    yield before + after.slice(1);
    if (after.length > 1) yield `${before}${after[1]}${after[0]}${after.slice(2)}`;
    for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
      yield before + letter + after;
      yield before + letter + after.slice(1);
    }
  }
}

/**
 * Returns a key that is equal for lines which the user would route alike: the same command, followed by words of the
 * same kinds.
 */
function shapeOf({ pieces }: LineFeatures): string {
  return pieces.map(({ plain, shape }, index) => (index === 0 ? plain : shape)).join(' ');
}

/**
 * Returns true for `yes`, `continue`, `do it`, `no thanks` and the like. After a question of the model such a line goes
 * to the model, although `yes` and `continue` are commands too; at any other time `classify` alone decides.
 */
export function isAffirmation(line: string): boolean {
  const plain = line
    .trim()
    .toLowerCase()
    .replaceAll("'", '’')
    .replace(/[,!.\s]+/g, ' ')
    .trim();
  return answers.has(plain);
}

// The features of a line for the trained model, hashed into buckets.

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

/** Returns the FNV-1a hash, 32 bit, of the feature's name. */
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

/** The counts that the rules and the model share. */
type LineFeatures = {
  readonly pieces: readonly Piece[];
  /** English function words after the first word. */
  readonly english: number;
  /** Flags, paths, operators and the like after the first word. */
  readonly syntax: number;
};

/** Cuts a line into pieces and counts their kinds. */
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

/** Returns the buckets of a line's features, without repeats. `known`: the shell can run the first word. */
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

/** The least score at which a line is not run as a command; chosen on held-out halves of the data. */
export const MIN_LANGUAGE_SCORE = 0.5;
/** From this score on, a line counts as language if its first word is no installed command. */
const MIN_NO_COMMAND_SCORE = -2;

/** Returns how much a line reads like language: the log-odds, above 0 for language, below 0 for a command. */
function languageScore(sight: LineFeatures, known: boolean): number {
  table ??= new Int8Array(Buffer.from(WEIGHTS, 'base64'));
  let sum = 0;
  for (const at of features(sight, known)) sum += table[at] ?? 0;
  return sum * SCALE;
}
