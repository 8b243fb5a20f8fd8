/** What of a project's tree the user's own start files name: shells, editors, ssh and the desktop run or obey it (MO-9). */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { BETWEEN_WORDS, behindHome, endOf, type Obeyed } from './obeyed-by.ts';
import { entriesAt, seenAt, UNKNOWN } from './seen.ts';
import type { Later } from './waiting.ts';
import type { WaysOf } from './ways.ts';

/** Below the home directory. */
const FILES = words(`
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .kshrc .mkshrc .login .cshrc .tcshrc
  .inputrc .ssh/config .ssh/rc .tmux.conf .screenrc .vimrc .vim/vimrc .emacs .emacs.d/init.el .direnvrc .gdbinit .npmrc
  .pythonrc.py .irbrc .xinitrc .xsession .xprofile .xsessionrc .pam_environment
`);
/** Where the configuration of desktops lies. */
const CONFIG_FILES = words(`
  fish/config.fish tmux/tmux.conf nvim/init.vim nvim/init.lua vim/vimrc direnv/direnvrc git/config emacs/init.el i3/config sway/config
`);
const ZSH_FILES = words('.zshenv .zprofile .zshrc .zlogin .zlogout');
/** Directories of such files. */
const DIRECTORIES = words('.bashrc.d .profile.d .zshrc.d .bash_completion.d .oh-my-zsh/custom');
const CONFIG_DIRECTORIES = words('fish/conf.d fish/functions environment.d systemd/user autostart');
/** Variables that name such a file. */
const VARIABLES = ['BASH_ENV', 'ENV', 'PYTHONSTARTUP'];

/** Read in turn, besides the start files themselves. */
const MAX_FILES = 500;
const MAX_BYTES = 1024 * 1024;
/** What all of them name. */
const MAX_NAMED = 20_000;
/** Of all lines, once their variables stand in them; of one value. */
const MAX_TOLD_CHARS = 4_000_000;
const MAX_VALUE_CHARS = 4096;
const TOO_MUCH = 'your start files name too much';

const COMMENT = /^\s*(#|"|--\s|;)/;
const ASSIGNED = /(?:^|[\s;])(?:export\s+|set\s+-\S+\s+|let\s+)?(\w+)[= ](["']?)([~/$][^\s"';]*)\2/g;
/** By its name, with what stands there where it is not set. */
const VARIABLE = /\$(?:\{(\w+)(?::?-([^{}]{0,1000}))?\}|(\w+))/g;
const MOVES = /(?:^|[\s;&|('"{])(?:cd|pushd)\s/;
/** In place of a variable that can't be told. */
const UNTOLD = '$';
const QUOTED = /"([^"]*)"|'([^']*)'/g;
/** Its output stands in the line. */
const RUN = /\$\(|`/;
/** As elsewhere; only what stands for a variable is left. */
const BETWEEN = new RegExp(BETWEEN_WORDS.source.replace('$', ''));
const GLOB = /\/[^/]*[*?[].*$/;
/** What it names is read and obeyed in its place. */
const READS =
  /(^|[\s;&|({])(\.|source|source-file|include|\$include|load|load-file|runtime|luafile|dofile)(?=[\s("'])/i;
/** A directory named here is obeyed as a whole; by its name alone another may be a place to go to. */
const WHOLE = /\b(fpath|fish_function_path|runtimepath|rtp|packpath|ZSH|ZSH_CUSTOM|load-path|package\.path)\b/;

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Paths below `tree`; by their ends what is named with a variable that can't be told. Throws where it is too much. */
export function byHome(tree: string, waysOf: WaysOf): Obeyed {
  const places = new Map<string, Later>();
  const ends = new Set<string>();
  const starts = startFiles();
  const files = new Set(starts);
  const reader = new Reader();
  let named = 0;
  // A set is gone through with what is added meanwhile.
  for (const file of files)
    for (const { path, end, isRead, isWhole } of reader.namedIn(file)) {
      named += 1;
      if (files.size - starts.length > MAX_FILES || named > MAX_NAMED) throw new Error(TOO_MUCH);
      if (end !== undefined) ends.add(end);
      if (path === undefined || path.includes(UNTOLD)) continue;
      const ways = waysOf(path);
      const real = ways.at(-1) ?? path;
      const found = seenAt(real);
      if (isRead && found !== UNKNOWN && found?.isFile() && mayLead(tree, file, real)) files.add(real);
      const what = `is named in ${file.replace(homedir(), '~')}`;
      for (const each of obeyedOf(path, ways, isWhole && real !== tree))
        if (isIn(tree, each)) places.set(each, { path: each, what });
    }
  return { places: [...places.values()], ends };
}

const isIn = (directory: string, path: string) => path.startsWith(`${directory}/`);

/** By its name, and by where links on the way lead; of a directory, which may be a place to go to, the links alone. */
function obeyedOf(path: string, ways: readonly string[], isWhole: boolean): readonly string[] {
  const found = seenAt(ways.at(-1) ?? path);
  return found === UNKNOWN || !found?.isDirectory() || isWhole ? [path, ...ways] : ways.slice(0, -1);
}

/** What the tree says is anybody's: it leads to no place elsewhere that would be looked at. */
const mayLead = (tree: string, from: string, to: string) => !isIn(tree, from) || isIn(tree, to) || isIn(homedir(), to);

function startFiles(): readonly string[] {
  const { env } = process;
  const home = homedir();
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const directories = [
    ...DIRECTORIES.map((name) => join(home, name)),
    ...CONFIG_DIRECTORIES.map((name) => join(config, name)),
  ];
  return [
    ...FILES.map((name) => join(home, name)),
    ...CONFIG_FILES.map((name) => join(config, name)),
    ...ZSH_FILES.map((name) => join(env.ZDOTDIR || home, name)),
    ...VARIABLES.flatMap((name) => env[name] || []).map((path) => resolve(path)),
    ...directories.flatMap((directory) => (entriesAt(directory) ?? []).map(({ name }) => join(directory, name))),
  ];
}

type Named = {
  readonly path?: string;
  /** Where its beginning can't be told. */
  readonly end?: string | undefined;
  readonly isRead: boolean;
  readonly isWhole: boolean;
};

/** Reads start files one after the other: what one sets, the next ones may name. */
class Reader {
  readonly #variables = new Map([['HOME', homedir()]]);
  #left = MAX_TOLD_CHARS;

  *namedIn(file: string): Generator<Named> {
    for (const line of textOf(file).replaceAll('\\\n', '').split('\n')) {
      if (COMMENT.test(line)) continue;
      const isRead = READS.test(line);
      const isWhole = WHOLE.test(line);
      const isElsewhere = isRead && RUN.test(line);
      const moves = MOVES.test(line);
      // What a line sets, its end may name.
      for (const [, name = '', , value = ''] of line.matchAll(ASSIGNED))
        this.#variables.set(name, behindHome(this.#told(value)));
      const quoted = [...line.matchAll(QUOTED)].flatMap(([, double, single]) => double ?? single ?? []);
      for (const word of [...quoted, ...this.#told(line).split(BETWEEN)]) {
        const each = behindHome(this.#told(word));
        if (moves && !each.startsWith('/') && /[./]/.test(each)) yield { end: endOf(each), isRead, isWhole };
        const whole = pathOf(each, file, isRead);
        if (whole === undefined) continue;
        const path = whole.replace(GLOB, '');
        const isUntold = isElsewhere || (isRead && path.includes(UNTOLD));
        const end = isUntold ? endOf(path.replace(/^.*\$/, '')) : undefined;
        yield { path, end, isRead, isWhole: isWhole || path !== whole };
      }
    }
  }

  /** With the values of its variables. Throws where all of it becomes too long. */
  #told(text: string): string {
    const told = text.replace(VARIABLE, (_, braced?: string, otherwise?: string, plain?: string) => {
      const value = this.#variables.get(braced ?? plain ?? '') ?? otherwise ?? UNTOLD;
      this.#left -= value.length;
      return value.length > MAX_VALUE_CHARS || this.#left < 0 ? UNTOLD : value;
    });
    this.#left -= text.length;
    if (this.#left < 0) throw new Error(TOO_MUCH);
    return told;
  }
}

/** A relative one is meant from where the file lies, where it is read. */
function pathOf(word: string, file: string, isRead: boolean): string | undefined {
  if (word.startsWith('/')) return resolve(word);
  if (!isRead || !/\w\/|\.\w/.test(word)) return undefined;
  return word.includes(UNTOLD) ? word : resolve(dirname(file), word);
}

/** Empty where there is no such file, or it is closed to this account. Throws where it is too large. */
function textOf(path: string): string {
  let opened: number;
  try {
    opened = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return '';
  }
  try {
    const found = fstatSync(opened);
    if (!found.isFile()) return '';
    if (found.size > MAX_BYTES) throw new Error(TOO_MUCH);
    return readFileSync(opened, 'utf8');
  } finally {
    closeSync(opened);
  }
}
