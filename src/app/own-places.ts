/**
 * Files that control what runs outside the sandbox: aish-tui itself, the programs it starts, configuration of the
 * user's shells and tools. A project that contains any of them has no Project mode (MO-9). Bind mounts under other
 * names are not detected.
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

/** The characters that separate paths within a variable's value: a command line, a list, an option. */
export const BETWEEN_WORDS = /[\s:=|'"`;&()<>,{}!$]+/;

type Environment = Readonly<Record<string, string | undefined>>;

export type OwnPlaces = {
  /** Directories that may neither contain a project nor lie inside one. */
  readonly whole: readonly string[];
  /** Files and directories that may not lie inside a project. */
  readonly single: readonly string[];
  /** The home directory with its well-known configuration files; undefined if it is unknown. */
  readonly home?: string;
  /** Whether the working directory counts: every program depends on it, because it searches for libraries there. */
  readonly here?: boolean;
};

/** Search paths of the system's loader: an empty or relative entry means the working directory. */
const LOADER = /^(LD_LIBRARY_PATH|DYLD_\w*PATH|GCONV_PATH)$/;

/** Variables that tell loaders, interpreters and aish-tui's programs where to find code or configuration. */
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
/** Exceptions: variables that git sets for its hooks and aliases; they name data. */
const DATA = /^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|OBJECT_DIRECTORY|CEILING_DIRECTORIES)$/;

/** The directories of aish-tui's configuration and state. No action of a model may change anything in them. */
export function ownDirectories(env: Environment = process.env): readonly string[] {
  const { config, state } = placesOf(env);
  return [dirname(config), state].map((path) => realOf(path) ?? path);
}

/** Returns the own places for this launcher and configuration file (default: the usual one). */
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
      // A missing configuration file needs no entry: if a command creates it, the file is set aside.
      ...paths.flatMap((path) => STARTED.map((name) => join(path, name))).filter(isThere),
    ],
    home,
    here: Object.entries(env).some(([name, value]) => LOADER.test(name) && isRelative(value ?? '')),
  };
}

const isRelative = (list: string) => list !== '' && list.split(/[:;]/).some((part) => !part.startsWith('/'));

/** Returns every path that a value may contain: the whole value, and each word, also after an option. */
function pathsIn(value: string, home: string): readonly string[] {
  const text = value.replace(/\$(HOME\b|\{HOME\})|~(?=\/)/g, home);
  return [text, ...text.split(':'), ...text.split(BETWEEN_WORDS)].flatMap((word) => {
    if (/^\.{1,2}\//.test(word)) return [resolve(word)];
    const at = word.indexOf('/');
    return at < 0 ? [] : [word.slice(at)];
  });
}

/** A path that can't be examined counts as existing. */
const isThere = (path: string) => seenAt(path) !== undefined;

const partsOf = (directory: string) => (entriesAt(directory) ?? []).map(({ name }) => join(directory, name));

/** The project's own copy of aish-tui: running it would run code of the project. */
const STARTED_THERE = join('node_modules', '.bin', 'aish-tui');
/**
 * Milliseconds to cache the result, since a step needs it several times. Only the user changes files outside a
 * project.
 */
const KNOWN_MS = 10_000;

/**
 * Returns a function that tells whether a tree contains an own place, also through a symlink, or lies inside a
 * `whole` one.
 */
export function overlapTest(places: () => OwnPlaces): (tree: string) => boolean {
  let last: { readonly tree: string; readonly at: number; readonly taken: boolean } | undefined;
  return (tree) => {
    const now = performance.now();
    if (last?.tree === tree && now - last.at < KNOWN_MS) return last.taken;
    last = { tree, at: now, taken: isTaken(tree, places()) };
    return last.taken;
  };
}

/** The same for this program, started with this configuration. */
export const overlapsThisProgram = (config?: string) => overlapTest(() => ownPlaces(LAUNCHER, config));

function isTaken(tree: string, { whole, single, home, here }: OwnPlaces): boolean {
  if (here) return true;
  const waysOf = waysThrough();
  const isIn = (path: string) => waysOf(path).some((way) => contains(tree, way));
  const isAround = (path: string) => contains(realOf(path) ?? path, tree);
  try {
    return (
      whole.some((path) => isIn(path) || isAround(path)) ||
      single.some(isIn) ||
      isThere(join(tree, STARTED_THERE)) ||
      (home !== undefined && isOfHome(tree, home))
    );
  } catch {
    // Too many symlinks, or an unreadable path: any of them may lead to an own place.
    return true;
  }
}

/** Whether the tree contains the home directory or its configuration files, or lies inside such a directory. */
function isOfHome(tree: string, home: string): boolean {
  const real = realOf(home) ?? home;
  return contains(tree, real) || (contains(real, tree) && concernsHome(relative(real, tree)));
}

/** Returns whether `path` is the directory or lies inside it. */
export function contains(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === sep ? sep : directory + sep);
}

/** Resolves all symlinks as the system does; undefined if the path doesn't exist. */
export function realOf(path: string): string | undefined {
  try {
    // `realpathSync` alone resolves `..` after a symlink differently from the kernel.
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
