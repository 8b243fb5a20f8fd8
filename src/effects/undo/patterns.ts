/** Paths that are named by a pattern: with wildcards, or with a part that can't be told. Matching takes the length of a path. */
import { posix } from 'node:path';
import { ANY } from './start-words.ts';

/** A bit more than what it stands for: what begins and ends so, in as many directories. */
export type Pattern = {
  readonly prefix: string;
  readonly suffix: string;
  /** How many slashes such a path has; undefined: any number. */
  readonly depth: number | undefined;
};

const WILD = /[*?[\0]/;
/** Behind the last wildcard; a bracket that is open ends with its word. */
const BEHIND = /[*?\]\0][^*?[\]\0]*$/;

export const isWild = (word: string) => WILD.test(word);

/** Of an absolute path in which something is wild. */
export function patternOf(word: string): Pattern {
  const at = word.search(WILD);
  const rest = word.slice(at);
  const suffix = BEHIND.exec(rest)?.[0].slice(1) ?? '';
  const isLoose = rest.includes(ANY) || rest.includes('**') || !BEHIND.test(rest);
  // Where it goes back up, nobody knows from where.
  if (/(^|\/)\.\.(\/|$)/.test(suffix)) return { prefix: '/', suffix: upless(suffix), depth: undefined };
  const prefix = posix.normalize(word.slice(0, at));
  return { prefix, suffix, depth: isLoose ? undefined : slashesIn(prefix) + slashesIn(rest) };
}

const upless = (suffix: string) => `/${posix.normalize(suffix).replace(/^(\/|\.\.(\/|$))*/, '')}`;

export function matches({ prefix, suffix, depth }: Pattern, path: string): boolean {
  return (
    path.length >= prefix.length + suffix.length &&
    path.startsWith(prefix) &&
    path.endsWith(suffix) &&
    (depth === undefined || slashesIn(path) === depth)
  );
}

/** Whether a link with this path may stand on the way to what it matches. */
export function leadsTo({ prefix, depth }: Pattern, path: string): boolean {
  if (prefix.startsWith(`${path}/`)) return true;
  return path.startsWith(prefix) && (depth === undefined || slashesIn(path) < depth);
}

export function slashesIn(path: string): number {
  let count = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) count += 1;
  return count;
}

/** Whether a name may be meant by one wild part of a path. */
export function segmentMatches(segment: string, name: string): boolean {
  const { prefix, suffix } = patternOf(`/${segment}`);
  return matches({ prefix, suffix, depth: undefined }, `/${name}`);
}

/** The segments of a wild path, as far as each can be looked for in its directory; undefined where one may be several. */
export function segmentsOf(word: string): readonly string[] | undefined {
  return word.includes(ANY) || word.includes('**') ? undefined : word.split('/').filter((each) => each !== '');
}
