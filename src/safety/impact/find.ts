import { lstat, opendir } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import type { Count, IsOver } from '../../contracts/machine.ts';
import { matchesGlob } from '../../text/matching.ts';

/** One file as `find` would look at it. */
type Candidate = { readonly path: string; readonly depth: number; readonly kind: string };
type Test = (candidate: Candidate) => boolean;
type Query = {
  readonly roots: readonly string[];
  readonly tests: readonly Test[];
  readonly least: number;
  readonly most: number;
};

/** Looks between two looks at the clock: so something was always counted. */
const LOOKS_PER_CHECK = 64;

/**
 * Counts what a `find` with these words matches, until the time is over; undefined where a test is not one of the few that are
 * known here, since a wrong number is worse than none. Follows no links.
 */
export async function countMatches(words: readonly string[], cwd: string, isOver: IsOver): Promise<Count | undefined> {
  const query = readQuery(words, cwd);
  if (!query) return undefined;
  const total: Count = { files: 0, bytes: 0, more: false };
  const queue = query.roots.map((path) => ({ path, depth: 0 }));
  for (let looks = 1; queue.length > 0; looks += 1) {
    if (looks % LOOKS_PER_CHECK === 0 && isOver()) return { ...total, more: true };
    const next = queue.pop();
    const stats = next && (await lstat(next.path).catch(() => undefined));
    if (!next || !stats) continue;
    const kind = stats.isDirectory() ? 'd' : stats.isSymbolicLink() ? 'l' : stats.isFile() ? 'f' : 'other';
    const candidate = { ...next, kind };
    if (next.depth >= query.least && query.tests.every((test) => test(candidate)) && kind !== 'd') {
      total.files += 1;
      total.bytes += stats.size;
    }
    if (kind !== 'd' || next.depth >= query.most) continue;
    const directory = await opendir(next.path).catch(() => undefined);
    if (!directory) continue;
    for await (const { name } of directory) queue.push({ path: join(next.path, name), depth: next.depth + 1 });
  }
  return total;
}

/** Directories first, then tests that must all hold; `-o`, brackets and everything else are not read. */
function readQuery(words: readonly string[], cwd: string): Query | undefined {
  const first = words.findIndex((word) => /^[-(!]/.test(word));
  const paths = first < 0 ? words : words.slice(0, first);
  const roots = (paths.length === 0 ? ['.'] : paths).map((path) => (isAbsolute(path) ? path : join(cwd, path)));
  const tests: Test[] = [];
  let least = 0;
  let most = Number.POSITIVE_INFINITY;
  const rest = first < 0 ? [] : words.slice(first);
  for (let at = 0; at < rest.length; at += 1) {
    const negated = rest[at] === '!' || rest[at] === '-not';
    if (negated) at += 1;
    const word = rest[at] ?? '';
    if (word === '-a' || word === '-and') continue;
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
  return undefined;
}
