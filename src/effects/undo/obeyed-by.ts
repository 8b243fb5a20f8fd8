/** What of a project's tree others run or obey besides well-known names, and how a path is found among it. */
import { homedir } from 'node:os';
import { posix } from 'node:path';
import type { Name } from './names.ts';
import { around } from './nested.ts';
import { leadsTo, matches, type Pattern } from './patterns.ts';
import type { Later } from './waiting.ts';

export type Obeyed = {
  /** Files, and directories with all below them. */
  readonly places: readonly Later[];
  /** Ends of paths, as `endsOf` has them: files that a command names from a directory nobody can tell. */
  readonly ends: ReadonlySet<string>;
  /** Files by the shapes of their paths, few. */
  readonly shapes: readonly Shape[];
  /** As `places`, but each a few parts of a path, in whatever directory; few. */
  readonly anywhere?: readonly Later[];
};

/** What is named by a pattern is to others. */
export type Shape = Pattern & {
  readonly what: string;
  /** What Python keeps of such files counts only where they are named as well. */
  readonly isLoose?: boolean;
};

/** What lies there goes by its names. */
const IN_REPOSITORY = /\/\.git(\/|$)/i;

/** What an action left, or a thing in a directory that it moved. */
export type Thing = Pick<Name, 'path' | 'kind'>;

/** What separates a path from the rest of a variable's or a setting's value: a command line, a list, an option. */
export const BETWEEN_WORDS = /[\s:=|'"`;&()<>,{}!$]+/;

/** As shells and git do. */
export const behindHome = (path: string) => (path.startsWith('~/') ? homedir() + path.slice(1) : path);

export const NOTHING: Obeyed = { places: [], ends: new Set(), shapes: [] };

/** All of several. */
export function together(all: readonly Obeyed[]): Obeyed {
  const shapes = all.flatMap((each) => each.shapes);
  return {
    places: all.flatMap(({ places }) => places),
    ends: new Set(all.flatMap(({ ends }) => [...ends])),
    shapes: [...new Map(shapes.map((each) => [JSON.stringify(each), each])).values()],
    anywhere: [...new Map(all.flatMap(({ anywhere = [] }) => anywhere).map((each) => [each.path, each])).values()],
  };
}

/** Of a longer end only so many parts count: then a path has few ends. */
const MAX_PARTS = 8;
const BY_END = 'ends as a file that git or your start files name, as they are set up';

/** The ends of paths by which a word of a command may mean a file below its directory. */
export function endOf(word: string): string | undefined {
  const parts = posix
    .normalize(word)
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.length === 0 ? undefined : parts.slice(-MAX_PARTS).join('/');
}

/** What Python keeps of a module, and runs in its place. */
const KEPT_OF_MODULE = /__pycache__\/([^/]+?)\.[a-z]+-?\d+(?:\.opt-\w+)?\.pyc$/;

/** Tells of a thing what it is to others; undefined for an ordinary one. */
export function obeyedBy(obeyed: Obeyed): (thing: Thing) => Later | undefined {
  const { shapes } = obeyed;
  const own = toldOf(obeyed);
  const ofModule = toldOf({ ...obeyed, shapes: shapes.filter(({ isLoose }) => !isLoose) });
  return ({ path, kind }) => {
    const found = own({ path, kind });
    const module = path.replace(KEPT_OF_MODULE, '$1.py');
    if (found || module === path) return found;
    const what = ofModule({ path: module, kind: 'file' })?.what;
    return what === undefined ? undefined : { path, what };
  };
}

function toldOf({ places, ends, shapes, anywhere = [] }: Obeyed): (thing: Thing) => Later | undefined {
  const known = around(places, ({ path }) => path);
  return ({ path, kind }) => {
    const over = known.over(path);
    // A directory is made with what is put into it, which counts.
    if (over && (kind !== 'directory' || path !== over.path)) return { path, what: over.what };
    // A link by which such a file or directory is reached.
    const below = kind === 'link' ? known.below(path) : undefined;
    if (below) return { path, what: below.what };
    const some = anywhere.find((each) => isPartOf(each.path, path, kind));
    if (some) return { path, what: some.what };
    if (kind === 'directory') return undefined;
    const shape = shapes.find((each) => matches(each, path) || (kind === 'link' && leadsTo(each, path)));
    if (shape && !IN_REPOSITORY.test(path)) return { path, what: shape.what };
    return ends.size > 0 && isOneOf(path, ends) ? { path, what: BY_END } : undefined;
  };
}

/** Whether it lies in such a place; of a directory all that is in it, and a link that leads there. */
function isPartOf(parts: string, path: string, kind: Name['kind']): boolean {
  if (path.includes(`/${parts}/`)) return true;
  if (kind === 'directory' || kind === 'file') return kind === 'file' && path.endsWith(`/${parts}`);
  for (let at = parts.length; at > 0; at = parts.lastIndexOf('/', at - 1))
    if (path.endsWith(`/${parts.slice(0, at)}`)) return true;
  return false;
}

/** By the whole name, and, in a directory that is named with it, without what follows its last dot: interpreters add that. */
function isOneOf(path: string, ends: ReadonlySet<string>): boolean {
  const bare = path.replace(/(?<=[^/])\.[^./]*$/, '');
  let at = path.length;
  for (let parts = 1; parts <= MAX_PARTS && at > 0; parts += 1) {
    at = path.lastIndexOf('/', at - 1);
    if (at < 0) return false;
    if (ends.has(path.slice(at + 1)) || (parts > 1 && ends.has(bare.slice(at + 1)))) return true;
  }
  return false;
}
