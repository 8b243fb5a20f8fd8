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

const MAX_FILES = 500;
const MAX_BYTES = 256 * 1024;
/** What all of them name. */
const MAX_NAMED = 20_000;

const COMMENT = /^\s*(#|"|--\s|;)/;
const ASSIGNED = /(?:^|[\s;])(?:export\s+|set\s+-\S+\s+|let\s+)?(\w+)[= ](["']?)([~/$][^\s"';]*)\2/g;
const VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g;
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
  const files = new Set(startFiles());
  const variables = new Map([['HOME', homedir()]]);
  let named = 0;
  // A set is gone through with what is added meanwhile.
  for (const file of files)
    for (const { path, end, isRead, isWhole } of namedIn(file, variables)) {
      named += 1;
      if (files.size > MAX_FILES || named > MAX_NAMED) throw new Error('your start files name too much');
      if (end !== undefined) ends.add(end);
      if (path.includes(UNTOLD)) continue;
      const ways = waysOf(path);
      const real = ways.at(-1) ?? path;
      if (isRead) files.add(real);
      const found = seenAt(real);
      // Of a place to go to, the links alone.
      const isObeyed = found === UNKNOWN || !found?.isDirectory() || (isWhole && real !== tree);
      for (const each of isObeyed ? [path, ...ways] : ways.slice(0, -1))
        if (each.startsWith(`${tree}/`))
          places.set(each, { path: each, what: `is named in ${file.replace(homedir(), '~')}` });
    }
  return { places: [...places.values()], ends };
}

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
  readonly path: string;
  /** Where its beginning can't be told. */
  readonly end?: string | undefined;
  readonly isRead: boolean;
  readonly isWhole: boolean;
};

/** @param variables what the files before have set; this one's are added */
function namedIn(file: string, variables: Map<string, string>): readonly Named[] {
  const told = (text: string) =>
    text.replace(VARIABLE, (_, braced?: string, plain?: string) => variables.get(braced ?? plain ?? '') ?? UNTOLD);
  const lines = (textOf(file) ?? '').replaceAll('\\\n', '').split('\n');
  return lines.flatMap((line) => {
    if (COMMENT.test(line)) return [];
    const isRead = READS.test(line);
    // What a line sets, its end may name.
    for (const [, name = '', , value = ''] of line.matchAll(ASSIGNED)) variables.set(name, behindHome(told(value)));
    const quoted = [...line.matchAll(QUOTED)].flatMap(([, double, single]) => double ?? single ?? []);
    const found = [...quoted, ...told(line).split(BETWEEN)].flatMap((word) =>
      pathOf(behindHome(told(word)), file, isRead),
    );
    const isUntold = isRead && RUN.test(line);
    return found.map((each) => {
      const path = each.replace(GLOB, '');
      const end = isUntold || (isRead && path.includes(UNTOLD)) ? endOf(path.replace(/^.*\$/, '')) : undefined;
      return { path, end, isRead, isWhole: WHOLE.test(line) || GLOB.test(each) };
    });
  });
}

/** A relative one is meant from where the file lies, where it is read. */
function pathOf(word: string, file: string, isRead: boolean): readonly string[] {
  if (word.startsWith('/')) return [resolve(word)];
  return isRead && /\w\/|\.\w/.test(word) ? [word.includes(UNTOLD) ? word : resolve(dirname(file), word)] : [];
}

/** Undefined where there is no such file, or none that can be read; what lies there is anybody's. */
function textOf(path: string): string | undefined {
  let opened: number;
  try {
    opened = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
  try {
    const { size } = fstatSync(opened);
    return fstatSync(opened).isFile() && size <= MAX_BYTES ? readFileSync(opened, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(opened);
  }
}
