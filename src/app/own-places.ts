/**
 * What decides what runs unconfined: this program with what it starts, and what the user's shells obey. A project that holds
 * any of it has no Project mode (MO-9). What lies there under any other name, by a bind mount, is not seen.
 */
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { placesOf } from '../config/index.ts';
import { waysThrough } from '../undo/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type OwnPlaces = {
  /** Directories with all that is in them: neither in a project, nor around one. */
  readonly whole: readonly string[];
  /** Files and directories that are no project's. */
  readonly single: readonly string[];
};

/** What the program itself starts by name. */
const PROGRAMS =
  'aish-tui node sh bash zsh fish dash git ssh scp sftp ps less more man setsid tmux env stty script sudo doas docker podman kubectl ansible secret-tool pass security xclip xsel wl-copy vi vim nvim nano'.split(
    ' ',
  );
/** In the home directory: what the shells and editors of the user obey, and git and ssh, which this program starts. */
const OBEYED =
  '.profile .login .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .inputrc .zshrc .zshenv .zprofile .zlogin .zlogout .gitconfig .npmrc .tmux.conf .pam_environment .xprofile .xinitrc .xsession .vimrc .gvimrc .exrc .nanorc .cargo/config.toml .cargo/config .cargo/env .pypirc .direnvrc .curlrc .wgetrc'.split(
    ' ',
  );
/** There as well: directories of which each entry is obeyed, which may be links one by one. */
const ENTRIES =
  '.ssh .config/git .config/git/hooks .config/fish .config/fish/conf.d .config/fish/functions .config/fish/completions .config/environment.d .config/systemd .config/systemd/user .config/autostart .config/direnv .config/direnv/lib .config/nvim .config/vim .config/pip .config/tmux .vim .emacs.d .oh-my-zsh .bashrc.d .zshrc.d .profile.d .local/bin .local/share/systemd/user'.split(
    ' ',
  );
/** Variables that name such files: one, or several behind colons or blanks. */
const NAMING =
  'AISH_CONFIG SHELL BASH_ENV ENV ZDOTDIR EDITOR VISUAL PAGER MANPAGER LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT DYLD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS NODE_PATH NODE_COMPILE_CACHE NODE_EXTRA_CA_CERTS OPENSSL_CONF OPENSSL_MODULES GIT_EXEC_PATH GIT_SSH GIT_SSH_COMMAND GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_TEMPLATE_DIR GIT_EDITOR GIT_PAGER GIT_ASKPASS GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND SSH_ASKPASS SUDO_ASKPASS INPUTRC LESSOPEN LESSCLOSE BROWSER KUBECONFIG DOCKER_CONFIG PERL5LIB PERL5OPT GCONV_PATH FPATH TMPDIR'.split(
    ' ',
  );

/** For a program whose launcher is this one, and that was started with this configuration; default: the usual one. */
export function ownPlaces(launcher: string, config?: string, env: Environment = process.env): OwnPlaces {
  const usual = placesOf(env);
  const dist = dirname(launcher);
  const home = env.HOME || homedir();
  const entries = ENTRIES.map((name) => join(home, name));
  const paths = [...new Set((env.PATH ?? '').split(':'))].filter((path) => path !== '');
  const named = NAMING.flatMap((name) => (env[name] ?? '').split(/[\s:=|]+/)).filter((path) => isAbsolute(path));
  return {
    whole: [dist, process.execPath, dirname(usual.config), usual.state, usual.cache, ...entries],
    single: [
      ...partsOf(dist),
      ...partsOf(dirname(dist)),
      usual.config,
      ...(config === undefined ? [] : [resolve(config)]),
      tmpdir(),
      ...named,
      ...OBEYED.map((name) => join(home, name)),
      ...entries.flatMap(partsOf),
      // Where there is none yet, one that comes is set aside.
      ...paths.flatMap((path) => PROGRAMS.map((name) => join(path, name))).filter(isThere),
    ],
  };
}

/** What can't be looked at can't be started by this account either. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function partsOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return [];
  }
}

/** A project's own name for this program: whoever starts it there starts what the project says. */
const STARTED_THERE = join('node_modules', '.bin', 'aish-tui');
/** A step asks several times. What is outside a project is changed by the user alone. Milliseconds. */
const KNOWN_MS = 2000;

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

function isTaken(tree: string, { whole, single }: OwnPlaces): boolean {
  const waysOf = waysThrough();
  const isIn = (path: string) => waysOf(path).some((way) => holds(tree, way));
  const isAround = (path: string) => holds(realOf(path) ?? path, tree);
  return whole.some((path) => isIn(path) || isAround(path)) || single.some(isIn) || isThere(join(tree, STARTED_THERE));
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
