/** What the user's own start files name in a project's tree counts as run later: it would run at the next shell. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { byHome } from '../../src/undo/by-home.ts';
import { obeyedIn } from '../../src/undo/obeyed.ts';
import { obeyedBy } from '../../src/undo/obeyed-by.ts';
import { waysThrough } from '../../src/undo/ways.ts';

const { HOME, ZDOTDIR, XDG_CONFIG_HOME } = process.env;
let root: string;
let tree: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-home-names-'));
  tree = join(root, 'home/dots');
  mkdirSync(tree, { recursive: true });
  process.env.HOME = join(root, 'home');
  delete process.env.ZDOTDIR;
  delete process.env.XDG_CONFIG_HOME;
});
afterEach(() => {
  Object.assign(process.env, HOME === undefined ? {} : { HOME });
  if (ZDOTDIR !== undefined) process.env.ZDOTDIR = ZDOTDIR;
  if (XDG_CONFIG_HOME !== undefined) process.env.XDG_CONFIG_HOME = XDG_CONFIG_HOME;
  rmSync(root, { recursive: true, force: true });
});

function put(name: string, text: string): void {
  const path = join(root, 'home', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const isObeyed = (name: string) =>
  obeyedBy(byHome(tree, waysThrough()))({ path: join(tree, name), kind: 'file' }) !== undefined;

/** The start file, what it says, and a file of the tree that it makes the user run. */
const CASES = [
  ['.bashrc', '. ~/dots/rc', 'rc'],
  ['.bashrc', 'if [ -f "$HOME/dots/my rc" ]; then source "$HOME/dots/my rc"; fi', 'my rc'],
  ['.bashrc', 'export DOTS=$HOME/dots\nsource "$' + '{DOTS}/lib/a.sh"', 'lib/a.sh'],
  ['.bashrc', 'DOTS="$HOME/dots"; . $DOTS/lib/a.sh', 'lib/a.sh'],
  ['.bashrc', 'export DOTS="HOME_/dots"; . "$' + '{DOTS}/rc"', 'rc'],
  ['.bashrc', '. "$' + '{DOTS:-$HOME/dots}/rc"', 'rc'],
  ['.bashrc', "alias d='cd ~/dots && ./deploy.sh'", 'deploy.sh'],
  ['.bashrc', '(cd ~/dots; . ./lib/b)', 'lib/b'],
  ['.bashrc', 'for f in ~/dots/rc.d/*.sh; do . "$f"; done', 'rc.d/new.sh'],
  ['.bashrc', 'source "$(dotfiles-place)/lib/a.sh"', 'lib/a.sh'],
  ['.bashrc', 'source $SOMEWHERE/lib/a.sh', 'lib/a.sh'],
  ['.bashrc', "alias go='~/dots/bin/go.sh --fast'", 'bin/go.sh'],
  ['.bashrc', 'source \\\n  ~/dots/rc', 'rc'],
  ['.bash_profile', 'eval "$(~/dots/setup)"', 'setup'],
  ['.zshrc', 'fpath=(~/dots/functions $fpath)', 'functions/prompt'],
  ['.zshrc', 'export ZSH=$HOME/dots/omz\nsource $ZSH/oh-my-zsh.sh', 'omz/lib/git.zsh'],
  ['.config/fish/config.fish', 'source ~/dots/a.fish', 'a.fish'],
  ['.config/fish/conf.d/x.fish', 'set -gx D ~/dots\nsource $D/a.fish', 'a.fish'],
  ['.ssh/config', 'Include ~/dots/ssh.conf', 'ssh.conf'],
  ['.ssh/config', 'Host *\n  ProxyCommand ~/dots/proxy %h', 'proxy'],
  ['.ssh/config', 'Include ../dots/hosts/*', 'hosts/web'],
  ['.tmux.conf', 'source-file ~/dots/tmux.conf', 'tmux.conf'],
  ['.vimrc', 'source ~/dots/vimrc', 'vimrc'],
  ['.vimrc', 'set runtimepath+=~/dots/vim', 'vim/plugin/a.vim'],
  ['.config/autostart/a.desktop', '[Desktop Entry]\nExec=/bin/sh HOME_/dots/start', 'start'],
  ['.config/systemd/user/a.service', '[Service]\nExecStart=HOME_/dots/serve --now', 'serve'],
] as const;

it.each(CASES)('%s: %s', (file, says, obeyed) => {
  put(file, says.replaceAll('HOME_', join(root, 'home')));
  expect(isObeyed(obeyed)).toBe(true);
  expect(isObeyed('src/main.ts')).toBe(false);
  expect(isObeyed('README.md')).toBe(false);
});

it('also what a file that is named names in its turn', () => {
  put('.bashrc', '. ~/.shell/all');
  put('.shell/all', '. ~/dots/first');
  put('dots/first', '. second.sh');
  expect(isObeyed('first')).toBe(true);
  expect(isObeyed('second.sh')).toBe(true);
});

it('also by a link, which counts itself', () => {
  put('dots/real', '');
  symlinkSync('real', join(tree, 'link'));
  put('.bashrc', '. ~/dots/link');
  expect(isObeyed('link')).toBe(true);
  expect(isObeyed('real')).toBe(true);
});

it.each([
  ['a place to go to', "alias d='cd ~/dots/src'"],
  ['a directory in a variable', 'export PROJECT=~/dots/src'],
  ['a remark', '# source ~/dots/src/main.ts'],
  ['files that name each other', '. ~/.bashrc\n. ~/.profile'],
])('%s is nothing that is run', (_, says) => {
  put('dots/src/main.ts', '');
  put('.bashrc', says);
  put('.profile', '. ~/.bashrc');
  expect(isObeyed('src/main.ts')).toBe(false);
});

it('counts where an action is looked at', async () => {
  put('.bashrc', '. ~/dots/rc');
  const { places } = await obeyedIn(tree, []);
  expect(places).toContainEqual({ path: join(tree, 'rc'), what: 'is named in ~/.bashrc' });
});

it('start files that name too much are told as such', () => {
  put('.bashrc', '. ~/dots/x\n'.repeat(20_001));
  expect(() => byHome(tree, waysThrough())).toThrow('your start files name too much');
});

it('what is no file is passed over, and a file that is too large is told as such', () => {
  mkdirSync(join(root, 'home/.bashrc'));
  expect(isObeyed('rc')).toBe(false);
  put('.profile', `${'#\n'.repeat(600_000)}. ~/dots/rc\n`);
  expect(() => byHome(tree, waysThrough())).toThrow('your start files name too much');
});

it('what the tree itself says can neither fill the memory nor lead elsewhere', () => {
  put('.bashrc', '. ~/dots/rc');
  const doubling = Array.from({ length: 60 }, (_, n) => `A${n + 1}=$A${n}$A${n}`).join('\n');
  put('dots/rc', `A0=/aaaaaaaaaaaaaaaa\n${doubling}\n. $A60\n. ../../outside\n`);
  writeFileSync(join(root, 'outside'), '. home/dots/other\n');
  expect(isObeyed('rc')).toBe(true);
  expect(isObeyed('other')).toBe(false);
  put('dots/rc', `A=${'/a'.repeat(1000)}\n. ${'$A '.repeat(10_000)}\n`);
  expect(() => byHome(tree, waysThrough())).toThrow('your start files name too much');
  put('dots/rc', `. ${'/a '.repeat(80_000)}\n`);
  expect(() => byHome(tree, waysThrough())).toThrow('your start files name too much');
});
