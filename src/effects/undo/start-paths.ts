/**
 * What of a project's tree the user's own start files name in plain text, and directories of it in the PATH: treated
 * like control files (MO-9). What start files name by variables, or read in turn, is not looked for.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { isAboveHomeStart, isHomeStart } from '../../knowledge/control-files.ts';
import { STARTED } from '../../knowledge/programs.ts';
import {
  CONFIG_START_DIRECTORIES,
  CONFIG_START_FILES,
  HOME_START_DIRECTORIES,
  HOME_START_FILES,
  START_VARIABLES,
  ZSH_START_FILES,
} from '../../knowledge/start-files.ts';
import { entriesAt, seenAt, UNKNOWN, waysThrough } from './paths.ts';
import type { Later } from './waiting.ts';

/** What is read of one start file, and how many paths of all of them are looked at. */
const MAX_BYTES = 1_000_000;
const MAX_PATHS = 20_000;
/** Of the home directory: names that count, and parts of such a path. */
const MAX_AT_HOME = 20_000;
const MAX_DEPTH = 5;
/** An absolute path, or one below the home directory, where a word may begin. */
const PATHS = /(?<![\w.~/}-])(?:~|\$HOME\b|\$\{HOME\}|(?=\/))\/[^\s'"`;:,()<>|&=$\\]*/g;
/** A setting of git's: of these a path may be relative to the tree. */
const SETTING = /^\s*\w+\s*=\s*"?([^\s"#;]+)/;
/** Lines whose directories are searched for what runs. */
const SEARCHES = /path/i;

/** Files, and directories with all below them, in `tree`. Throws where start files name too much. */
export function startPathsIn(tree: string): readonly Later[] {
  const waysOf = waysThrough();
  const found = new Map<string, Later>();
  const add = (path: string, what: string, isSearched = true) => {
    for (const way of waysOf(path))
      if (way.startsWith(`${tree}/`) && (isSearched || !isDirectory(way))) found.set(way, { path: way, what });
  };
  const short = (path: string) => path.replace(homedir(), '~');
  let left = MAX_PATHS;
  for (const file of startFiles()) {
    add(file, `is ${short(file)}`);
    for (const { path, isSearched } of namedIn(textOf(file))) {
      left -= 1;
      if (left < 0) throw new Error('your start files name too many paths');
      add(path, `is named in ${short(file)}`, isSearched);
    }
  }
  for (const link of linksAtHome()) add(link, `is ${short(link)}`);
  for (const line of textOf(join(tree, '.git/config')).split('\n')) {
    const path = SETTING.exec(line)?.[1] ?? '';
    if (path.includes('/') && seenAt(join(tree, path)) !== undefined) add(join(tree, path), 'is named in .git/config');
  }
  for (const path of inPath(tree)) add(path, 'is in your PATH');
  return [...found.values()];
}

/**
 * Directories of the PATH; of an environment that is in use only what would run in place of the system's own programs.
 */
function inPath(tree: string): readonly string[] {
  const { PATH = '', VIRTUAL_ENV, CONDA_PREFIX } = process.env;
  const isInUse = (path: string) => [VIRTUAL_ENV, CONDA_PREFIX].some((top) => top && path.startsWith(`${top}/`));
  return PATH.split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => resolve(tree, directory))
    .flatMap((directory) => (isInUse(directory) ? STARTED.map((name) => join(directory, name)) : [directory]));
}

type Named = { readonly path: string; readonly isSearched: boolean };

/**
 * A directory counts only where it is searched: behind a wildcard, or in a line about a path; else it is a place to go
 * to.
 */
function namedIn(text: string): readonly Named[] {
  return text.split('\n').flatMap((line) =>
    [...line.matchAll(PATHS)].map(([word]) => {
      const whole = word.replace(/^(?:~|\$HOME|\$\{HOME\})\//, `${homedir()}/`);
      const [path = ''] = whole.split(/[*?[\]{}]/, 1);
      const isWild = path !== whole;
      return { path: isWild ? dirname(`${path}x`) : path, isSearched: isWild || SEARCHES.test(line) };
    }),
  );
}

function isDirectory(path: string): boolean {
  const found = seenAt(path);
  return found !== undefined && found !== UNKNOWN && found.isDirectory();
}

function startFiles(): readonly string[] {
  const { env } = process;
  const home = homedir();
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const directories = [
    ...HOME_START_DIRECTORIES.map((name) => join(home, name)),
    ...CONFIG_START_DIRECTORIES.map((name) => join(config, name)),
  ];
  return [
    ...[...HOME_START_FILES, '.gitconfig', '.config/git/config'].map((name) => join(home, name)),
    ...CONFIG_START_FILES.map((name) => join(config, name)),
    ...ZSH_START_FILES.map((name) => join(env.ZDOTDIR || home, name)),
    ...START_VARIABLES.flatMap((name) => env[name] || []).map((path) => resolve(path)),
    ...directories.flatMap((directory) => (entriesAt(directory) ?? []).map(({ name }) => join(directory, name))),
  ];
}

/**
 * Links in the home directory with names that shells and tools obey there, and in such directories: `~/.vimrc ->
 * dots/vimrc`.
 */
function linksAtHome(): readonly string[] {
  const home = homedir();
  const links: string[] = [];
  const queue = [''];
  let left = MAX_AT_HOME;
  for (const directory of queue)
    for (const entry of entriesAt(join(home, directory)) ?? []) {
      const inside = join(directory, entry.name);
      const counts = isHomeStart(inside);
      left -= counts ? 1 : 0;
      if (left < 0) return links;
      if (entry.isSymbolicLink() && (counts || isAboveHomeStart(inside))) links.push(join(home, inside));
      const isDeep = inside.split('/').length >= MAX_DEPTH;
      if (entry.isDirectory() && (isAboveHomeStart(inside) || (counts && !isDeep))) queue.push(inside);
    }
  return links;
}

/** The beginning of a plain file; empty where there is none. */
function textOf(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    return fstatSync(file).isFile() ? readFileSync(file, 'utf8').slice(0, MAX_BYTES) : '';
  } catch {
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
