/** Which files the words of a command may name, whoever's command it is. */
import { BETWEEN_WORDS } from './obeyed-by.ts';
import { seenAt, UNKNOWN } from './seen.ts';
import { alternativesOf, tokensOf, withoutSubstitutions, wordsOf } from './start-words.ts';
import type { WaysOf } from './ways.ts';

const VARIABLE = /\$(\{\w+\}|\w+)/g;
const QUOTED = /"([^"]*)"|'([^']*)'/g;
/** Behind these a name without a directory is not one of the directory that the command starts in. */
const ELSEWHERE = /(^|[^\w-])(cd|pushd|chdir)\s|\s-C|[$`]/;

/** What a text may name: as paths, and by the ends of paths only. */
export type NamedByWords = { readonly paths: readonly string[]; readonly ends: readonly string[] };

/** @param isCommand a name without a directory counts as well */
export function namedBy(text: string, isCommand: boolean): NamedByWords {
  const quoted = [...text.matchAll(QUOTED)].flatMap(([, double, single]) => double ?? single ?? []);
  const split = partsOf(text);
  // An option may have its value right behind it.
  const words = [text, ...quoted, ...split].flatMap((word) => [word, word.replace(/^-\w/, '')]);
  const isHere = (word: string) => word.length > 0 && (isCommand || word.includes('/'));
  const paths = [...new Set(words)].filter(isHere);
  const ends = paths.filter((word) => word.includes('/') || ELSEWHERE.test(text));
  return { paths, ends: isCommand ? [...ends, ...modulesIn(split)] : ends };
}

/** The words of a command as a shell takes them, each by all that it may stand for. */
export function toldBy(line: string): readonly string[] {
  const words = withoutSubstitutions(line).flatMap((part) => [...tokensOf(part), ...wordsOf(part)]);
  return words.flatMap((word) => [...alternativesOf(word, () => undefined)]);
}

/** Word by word, lists and options too. */
export const partsOf = (text: string): readonly string[] => text.replace(VARIABLE, ' ').split(BETWEEN_WORDS);

/** Of a module that an interpreter is told to run, the files that it may be. */
function modulesIn(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => (words[at - 1] === '-m' ? filesOfModule(word) : []));
}

/** Empty for what is no module's name. */
export function filesOfModule(word: string): readonly string[] {
  if (!/^\w+(\.\w+)*$/.test(word)) return [];
  const parts = word.split('.');
  const above = parts.map((_, part) => `${parts.slice(0, part + 1).join('/')}/__init__.py`);
  return [`${parts.join('/')}.py`, `${parts.join('/')}/__main__.py`, ...above];
}

/** By its name, and by where links on the way lead; of a directory, or of nothing, the links alone. */
export function fileWays(path: string, waysOf: WaysOf): readonly string[] {
  const ways = waysOf(path);
  const found = seenAt(ways.at(-1) ?? path);
  const isFile = found === UNKNOWN || (found !== undefined && !found.isDirectory());
  return isFile ? [path, ...ways] : ways.slice(0, -1);
}
