/**
 * What decides what runs unconfined: this program with what it starts, and what the user's shells and tools obey. A
 * project that holds any of it has no Project mode (MO-9). What lies there under any other name, by a bind mount, is
 * not seen.
 */
import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { placesOf } from '../config/index.ts';
import { entriesAt, seenAt, waysThrough } from '../effects/undo/index.ts';
import { concernsHome } from '../knowledge/control-files.ts';
import { STARTED } from '../knowledge/programs.ts';
import { pattern } from '../text/pattern.ts';
import { LAUNCHER } from './environment.ts';

/** What separates a path from the rest of a variable's value: a command line, a list, an option. */
export const BETWEEN_WORDS = /[\s:=|'"`;&()<>,{}!$]+/;

type Environment = Readonly<Record<string, string | undefined>>;

export type OwnPlaces = {
  /** Directories with all that is in them: neither in a project, nor around one. */
  readonly whole: readonly string[];
  /** Files and directories that are no project's. */
  readonly single: readonly string[];
  /** Where what shells and tools obey has the names that everybody knows; undefined: nowhere. */
  readonly home?: string;
  /** Every program that is started looks for its libraries in the directory it is started in. */
  readonly here?: boolean;
};

/**
 * Lists of directories by which the system's loader finds libraries: an empty or relative one is the working directory.
 */
const LOADER = /^(LD_LIBRARY_PATH|DYLD_\w*PATH|GCONV_PATH)$/;

/** Variables by which loaders, interpreters and the programs that are started find what they run or obey. */
const NAMING = pattern(
  String.raw`
    ^((AISH|BASH|FISH|GIT|SSH|NODE|TMUX|SUDO|DOCKER|PODMAN|CONTAINERS|ANSIBLE|PASSWORD_STORE|OPENSSL|SSL|LD|DYLD
    |XDG_CONFIG|XDG_DATA)_.*|(LESS|VIM|PERL|PYTHON|RUBY|KUBE|GNUPG|TERMINFO|JAVA_TOOL_|_JAVA_).*|N?VIM|SHELL|ENV
    |ZDOTDIR|FPATH|MODULE_PATH|EDITOR|VISUAL|PAGER|MANPAGER|MANOPT|MANROFFOPT|BROWSER|INPUTRC|PROMPT_COMMAND
    |PS[0-4]|EXINIT|MYVIMRC|GCONV_PATH|LOCPATH|NLSPATH|JDK_JAVA_OPTIONS|NPM_CONFIG_(USER|GLOBAL)CONFIG
    |CARGO_HOME|TMPDIR)$
  `,
  'i',
);
/** Of these, what names data: git sets them for its hooks and aliases. */
const DATA = /^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|OBJECT_DIRECTORY|CEILING_DIRECTORIES)$/;

/** Where this program keeps its configuration and its state: nothing that a model does may change anything there. */
export function ownDirectories(env: Environment = process.env): readonly string[] {
  const { config, state } = placesOf(env);
  return [dirname(config), state].map((path) => realOf(path) ?? path);
}

/** For a program whose launcher is this one, and that was started with this configuration; default: the usual one. */
export function ownPlaces(launcher: string, config?: string, env: Environment = process.env): OwnPlaces {
  const usual = placesOf(env);
  const dist = dirname(launcher);
  const home = env.HOME || homedir();
  const paths = [...new Set((env.PATH ?? '').split(':'))].filter((path) => path !== '');
  const named = Object.entries(env).flatMap(([name, value]) =>
    NAMING.test(name) && !DATA.test(name) ? pathsIn(value ?? '', home) : [],
  );
  return {
    whole: [dist, process.execPath, dirname(usual.config), usual.state, usual.cache],
    single: [
      ...partsOf(dist),
      ...partsOf(dirname(dist)),
      usual.config,
      ...(config === undefined ? [] : [resolve(config)]),
      tmpdir(),
      ...named,
      // Where there is none yet, one that comes is set aside.
      ...paths.flatMap((path) => STARTED.map((name) => join(path, name))).filter(isThere),
    ],
    home,
    here: Object.entries(env).some(([name, value]) => LOADER.test(name) && isRelative(value ?? '')),
  };
}

const isRelative = (list: string) => list !== '' && list.split(/[:;]/).some((part) => !part.startsWith('/'));

/** What a value may name: all of it, and each word of it, also behind an option or a mark. */
function pathsIn(value: string, home: string): readonly string[] {
  const text = value.replace(/\$(HOME\b|\{HOME\})|~(?=\/)/g, home);
  return [text, ...text.split(':'), ...text.split(BETWEEN_WORDS)].flatMap((word) => {
    if (/^\.{1,2}\//.test(word)) return [resolve(word)];
    const at = word.indexOf('/');
    return at < 0 ? [] : [word.slice(at)];
  });
}

/** Also where that can't be told. */
const isThere = (path: string) => seenAt(path) !== undefined;

const partsOf = (directory: string) => (entriesAt(directory) ?? []).map(({ name }) => join(directory, name));

/** A project's own name for this program: whoever starts it there starts what the project says. */
const STARTED_THERE = join('node_modules', '.bin', 'aish-tui');
/** A step asks several times. What is outside a project is changed by the user alone. Milliseconds. */
const KNOWN_MS = 10_000;

/** Tells whether a tree holds any of these, also by a link, or lies in one of those that are whole. */
export function takenBy(places: () => OwnPlaces): (tree: string) => boolean {
  let last: { readonly tree: string; readonly at: number; readonly taken: boolean } | undefined;
  return (tree) => {
    const now = performance.now();
    if (last?.tree === tree && now - last.at < KNOWN_MS) return last.taken;
    last = { tree, at: now, taken: isTaken(tree, places()) };
    return last.taken;
  };
}

/** The same of this program, started with this configuration. */
export const takenHere = (config?: string) => takenBy(() => ownPlaces(LAUNCHER, config));

function isTaken(tree: string, { whole, single, home, here }: OwnPlaces): boolean {
  if (here) return true;
  const waysOf = waysThrough();
  const isIn = (path: string) => waysOf(path).some((way) => holds(tree, way));
  const isAround = (path: string) => holds(realOf(path) ?? path, tree);
  try {
    return (
      whole.some((path) => isIn(path) || isAround(path)) ||
      single.some(isIn) ||
      isThere(join(tree, STARTED_THERE)) ||
      (home !== undefined && isOfHome(tree, home))
    );
  } catch {
    // Too many links to be looked through, or what can't be read: any of them may lead there.
    return true;
  }
}

/** Whether it holds the home directory, or what is obeyed by its name there, or lies in such. */
function isOfHome(tree: string, home: string): boolean {
  const real = realOf(home) ?? home;
  return holds(tree, real) || (holds(real, tree) && concernsHome(relative(real, tree)));
}

/** Whether `path` is the directory or lies in it. */
export function holds(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === sep ? sep : directory + sep);
}

/** Behind all links as the system follows them; undefined where there is nothing. */
export function realOf(path: string): string | undefined {
  try {
    // The other one takes `..` behind a link for the directory that the link lies in.
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
