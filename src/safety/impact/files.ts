import type { Stats } from 'node:fs';
import { glob, lstat, opendir } from 'node:fs/promises';
import { basename, isAbsolute, join, relative } from 'node:path';
import type { Count, IsOver, Named } from '../../contracts/machine.ts';
import { matchesGlob } from '../../text/matching.ts';
import { bytesText } from '../../text/spelled.ts';

const MAX_PATHS = 200;
/** The most names listed when there are many files. */
export const MAX_NAMES = 5;
/** How many files to visit before the next check of the time, so that even a delayed machine counts some. */
const LOOKS_PER_CHECK = 64;

/** Returns those named paths that exist, with patterns expanded, at most 200. */
export async function existing(named: readonly Named[], isOver: IsOver): Promise<string[]> {
  const out = new Set<string>();
  for (const each of named) {
    if (out.size >= MAX_PATHS || (out.size > 0 && isOver())) break;
    for (const path of await expanded(each, MAX_PATHS - out.size)) out.add(path);
  }
  return [...out];
}

/** Returns the existing paths that a word of a command names, at most `most`. */
export async function expanded({ path, glob: pattern, cwd }: Named, most: number): Promise<readonly string[]> {
  const full = isAbsolute(path) ? path : join(cwd, path);
  if (!pattern) return (await lstat(full).catch(() => undefined)) ? [full] : [];
  const out: string[] = [];
  try {
    for await (const match of glob(full)) if (out.push(match) >= most) break;
  } catch {
    // A pattern that Node rejects names nothing that can be counted.
  }
  return out;
}

/** Counts the files and bytes at and below `paths`. Follows no links; stops when the time is over. */
export async function count(paths: readonly string[], isOver: IsOver): Promise<Count> {
  const total: Count = { files: 0, bytes: 0, more: false };
  const queue = [...paths];
  for (let looks = 1; queue.length > 0; looks += 1) {
    if (looks % LOOKS_PER_CHECK === 0 && isOver()) return { ...total, more: true };
    const path = queue.pop() as string;
    const stats = await lstat(path).catch(() => undefined);
    if (!stats) continue;
    if (!stats.isDirectory()) {
      total.files++;
      total.bytes += stats.size;
      continue;
    }
    const directory = await opendir(path).catch(() => undefined);
    if (!directory) continue;
    for await (const entry of directory) queue.push(join(path, entry.name));
  }
  return total;
}

/**
 * Returns `3 files, 1.2 MB`; a count that was stopped early says after which time. Undefined if nothing was counted.
 * @param limitMs the time limit
 */
export function countText({ files, bytes, more }: Count, limitMs: number): string | undefined {
  const text = `${files} ${files === 1 ? 'file' : 'files'}, ${bytesText(bytes)}`;
  if (!more) return text;
  return files === 0 ? undefined : `at least ${text} (counting stopped after ${limitMs / 1000} s)`;
}

/** Returns a path as a person would write it, relative within the directory; the screen escapes it. */
export function shown(path: string, cwd: string): string {
  const near = relative(cwd, path);
  return near === '' ? '.' : near.startsWith('..') ? path : near;
}

/** One file with the properties that `find` tests. */
type Candidate = {
  readonly path: string;
  /** The path in the form that `find` would print. */
  readonly printed: string;
  readonly depth: number;
  readonly kind: string;
  readonly stats: Stats;
};
type Test = (candidate: Candidate) => boolean;
type Query = {
  readonly roots: readonly { readonly path: string; readonly printed: string }[];
  readonly tests: readonly Test[];
  readonly least: number;
  readonly most: number;
};

/**
 * Counts the files that a `find` with these words matches, and those below a matching directory, within the time limit.
 * Undefined for an unsupported test, since a wrong number is worse than none. Follows no links.
 * @param onFile called with each file’s path
 */
export async function countMatches(
  words: readonly string[],
  cwd: string,
  isOver: IsOver,
  onFile?: (path: string) => void,
): Promise<Count | undefined> {
  const query = readQuery(words, cwd);
  if (!query) return undefined;
  const names: string[] = [];
  const total: Count = { files: 0, bytes: 0, more: false, names };
  const queue = query.roots.map((root) => ({ ...root, depth: 0, below: false }));
  for (let looks = 1; queue.length > 0; looks += 1) {
    if (looks % LOOKS_PER_CHECK === 0 && isOver()) return { ...total, more: true };
    const next = queue.pop();
    const stats = next && (await lstat(next.path).catch(() => undefined));
    if (!next || !stats) continue;
    const kind = kindOf(stats);
    const below = next.below || isMatch(query, { ...next, kind, stats });
    if (below && kind !== 'd') {
      total.files += 1;
      total.bytes += stats.size;
      if (names.length < MAX_NAMES) names.push(next.path);
      onFile?.(next.path);
    }
    if (kind !== 'd' || (next.depth >= query.most && !below)) continue;
    const directory = await opendir(next.path).catch(() => undefined);
    if (!directory) continue;
    for await (const { name } of directory)
      queue.push({
        path: join(next.path, name),
        printed: `${next.printed.replace(/\/$/, '')}/${name}`,
        depth: next.depth + 1,
        below: kind === 'd' && below,
      });
  }
  return total;
}

/** Returns the kind as the letter of `find -type`. */
function kindOf(stats: Stats): string {
  return stats.isDirectory() ? 'd' : stats.isSymbolicLink() ? 'l' : stats.isFile() ? 'f' : 'other';
}

function isMatch({ least, tests }: Query, candidate: Candidate): boolean {
  return candidate.depth >= least && tests.every((test) => test(candidate));
}

/** Parses directories, then tests that must all hold; undefined for `-o`, brackets and everything else. */
function readQuery(words: readonly string[], cwd: string): Query | undefined {
  const first = words.findIndex((word) => /^[-(!]/.test(word));
  const paths = first < 0 ? words : words.slice(0, first);
  const roots = (paths.length === 0 ? ['.'] : paths).map((printed) => ({
    path: isAbsolute(printed) ? printed : join(cwd, printed),
    printed,
  }));
  const tests: Test[] = [];
  let least = 0;
  let most = Number.POSITIVE_INFINITY;
  const rest = first < 0 ? [] : words.slice(first);
  for (let at = 0; at < rest.length; at += 1) {
    const negated = rest[at] === '!' || rest[at] === '-not';
    if (negated) at += 1;
    const word = rest[at] ?? '';
    // A matching directory is counted with its contents, so `-prune` changes no count.
    if (word === '-a' || word === '-and' || word === '-prune') continue;
    const value = rest[++at];
    if (value === undefined) return undefined;
    if (word === '-maxdepth' || word === '-mindepth') {
      if (!/^\d+$/.test(value) || negated) return undefined;
      if (word === '-maxdepth') most = Number(value);
      else least = Number(value);
      continue;
    }
    const test = testOf(word, value);
    if (!test) return undefined;
    tests.push(negated ? (candidate) => !test(candidate) : test);
  }
  return { roots, tests, least, most };
}

function testOf(word: string, value: string): Test | undefined {
  if (word === '-name') return ({ path }) => matchesGlob(basename(path), [value]);
  if (word === '-iname') return ({ path }) => matchesGlob(basename(path).toLowerCase(), [value.toLowerCase()]);
  if (word === '-type' && /^[dfl]$/.test(value)) return ({ kind }) => kind === value;
  if (/^-(i?path|i?wholename)$/.test(word)) {
    const fold = (text: string) => (word.startsWith('-i') ? text.toLowerCase() : text);
    return ({ printed }) => matchesGlob(fold(printed), [fold(value)]);
  }
  return measuredTest(word, value);
}

/** Tests whose result changes with time: their count is only shown. */
export const MEASURED = /^-([amc](time|min)|size)$/;
const UNITS: Readonly<Record<string, number>> = { c: 1, w: 2, b: 512, k: 1024, M: 1024 ** 2, G: 1024 ** 3 };
const MINUTE_MS = 60_000;

/** Compares ages in whole days or started minutes, and sizes in started units, as `find` rounds them. */
function measuredTest(word: string, value: string): Test | undefined {
  const [, sign = '', digits = '', unit = word === '-size' ? 'b' : ''] = /^([+-]?)(\d+)([cwbkMG])?$/.exec(value) ?? [];
  if (!MEASURED.test(word) || digits === '' || (unit !== '' && word !== '-size')) return undefined;
  const number = Number(digits);
  const compare = (found: number) => (sign === '+' ? found > number : sign === '-' ? found < number : found === number);
  if (word === '-size') return ({ stats }) => compare(Math.ceil(stats.size / (UNITS[unit] ?? 1)));
  const now = Date.now();
  const age = ({ stats }: Candidate) =>
    now - (word.startsWith('-a') ? stats.atimeMs : word.startsWith('-c') ? stats.ctimeMs : stats.mtimeMs);
  return word.endsWith('time')
    ? (candidate) => compare(Math.floor(age(candidate) / (24 * 60 * MINUTE_MS)))
    : (candidate) => compare(sign === '' ? Math.ceil(age(candidate) / MINUTE_MS) : age(candidate) / MINUTE_MS);
}
