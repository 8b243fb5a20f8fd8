/** What the user's own start files name in a project's tree counts as run later: it would run at the next shell. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { byHome } from '../../../src/effects/undo/by-home.ts';
import { obeyedIn } from '../../../src/effects/undo/obeyed.ts';
import { obeyedBy } from '../../../src/effects/undo/obeyed-by.ts';
import { waysThrough } from '../../../src/effects/undo/ways.ts';
import { homeForEach } from './home-of-ours.ts';

let root: string;
let tree: string;

homeForEach('home', (made) => {
  root = made;
  tree = join(root, 'home/dots');
  mkdirSync(tree);
});

function put(name: string, text: string): void {
  const path = join(root, 'home', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const isObeyed = async (name: string, kind: 'file' | 'link' = 'file') =>
  obeyedBy(await byHome(tree, waysThrough()))({ path: join(tree, name), kind }) !== undefined;

/** The start file, what it says (`@{` for a dollar sign and a brace), and a file of the tree that it makes the user run. */
const CASES = [
  ['.bashrc', '. ~/dots/rc', 'rc'],
  ['.bashrc', 'if [ -f "$HOME/dots/my rc" ]; then source "$HOME/dots/my rc"; fi', 'my rc'],
  ['.bashrc', 'export DOTS=$HOME/dots\nsource "@{DOTS}/lib/a.sh"', 'lib/a.sh'],
  ['.bashrc', 'DOTS="$HOME/dots"; . $DOTS/lib/a.sh', 'lib/a.sh'],
  ['.bashrc', 'export DOTS="HOME_/dots"; . "@{DOTS}/rc"', 'rc'],
  ['.bashrc', '. "@{DOTS:-$HOME/dots}/rc"', 'rc'],
  ['.bashrc', "alias d='cd ~/dots && ./deploy.sh'", 'deploy.sh'],
  ['.bashrc', '(cd ~/dots; . ./lib/b)', 'lib/b'],
  ['.bashrc', 'for f in ~/dots/rc.d/*.sh; do . "$f"; done', 'rc.d/new.sh'],
  ['.bashrc', 'source "$(dotfiles-place)/lib/a.sh"', 'lib/a.sh'],
  ['.bashrc', 'source $SOMEWHERE/lib/a.sh', 'lib/a.sh'],
  ['.bashrc', "alias go='~/dots/bin/go.sh --fast'", 'bin/go.sh'],
  ['.bashrc', "alias go='$WORK/dots/go.sh'", 'go.sh'],
  ['.bashrc', 'export DOTS="HOME_/dots"; [ -f "@{DOTS}/rc" ] && . "@{DOTS}/rc"', 'rc'],
  ['.bashrc', 'P=~/dots; . @{P}/rc', 'rc'],
  ['.bashrc', 'readonly P=$HOME/dots; [ -f "$P/rc" ] && . "$P/rc"', 'rc'],
  ['.bashrc', 'DOTS=@{DOTS:-$HOME/dots}\n. $DOTS/rc', 'rc'],
  ['.bashrc', ': "@{DOTS:=@{HOME}/dots}"; . $DOTS/rc', 'rc'],
  ['.bashrc', 'DOTS=~/other\nif true; then DOTS=~/dots; else DOTS=~/third; fi\n. $DOTS/rc', 'rc'],
  ['.bashrc', 'for f in ~/dots/r[0-9].sh; do [ -r "$f" ] && source "$f"; done', 'r5.sh'],
  ['.bashrc', 'for f in ~/dots/r?.sh\ndo\n  "$f"\ndone', 'r5.sh'],
  ['.bashrc', 'for f in r6 r7; do . ~/dots/$f; done', 'r7'],
  ['.bashrc', 'all=(r6 r7)\nfor f in "@{all[@]}"; do . ~/dots/$f; done', 'r7'],
  ['.bashrc', '. ~/dots/{r7,lib/{a,b}.sh}', 'lib/b.sh'],
  [
    '.bashrc',
    'for f in "$HOME"/dots/shell/{exports,aliases}.sh; do\n  [ -r "$f" ] && source "$f"\ndone',
    'shell/aliases.sh',
  ],
  ['.bashrc', '(cd ~/dots/sub; . ./r9)', 'sub/r9'],
  ['.bashrc', 'd() {\n  cd ~/dots || return\n  ./deploy.sh\n}', 'deploy.sh'],
  ['.bashrc', 'cd ~/dots && for f in lib/*; do . ./$f; done', 'lib/a'],
  ['.bashrc', 'load() { . "$HOME/dots/lib/$1"; }; load r15', 'lib/r15'],
  ['.bashrc', '. "$HOME/dots/lib/$(hostname).sh"', 'lib/here.sh'],
  ['.bashrc', '. ~/*/rc', 'rc'],
  ['.bashrc', 'while read -r f; do . "$f"; done < <(find ~/dots/lib -name "*.sh")', 'lib/a.sh'],
  ['.bashrc', 'source <(cat ~/dots/rc)', 'rc'],
  ['.bashrc', 'source ~/dots/"my rc"', 'my rc'],
  ['.bashrc', '. ~/dots/my\\ rc', 'my rc'],
  ['.bashrc', `alias s='source "$HOME/dots/my rc"'`, 'my rc'],
  ['.bashrc', '"$HOME/dots/setup" --all', 'setup'],
  ['.bashrc', 'export PATH="$HOME/dots/bin:$PATH"', 'bin/any'],
  ['.bashrc', 'trap ~/dots/bye EXIT', 'bye'],
  ['.profile', 'export PYTHONPATH=$PYTHONPATH:$HOME/dots/py', 'py/sitecustomize.py'],
  ['.zshrc', 'for f (~/dots/*.zsh) source $f', 'a.zsh'],
  ['.zshrc', 'for f in ~/dots/**/*.zsh(N); do source $f; done', 'lib/deep/a.zsh'],
  ['.zshrc', 'source ~/dots/(a|b).zsh', 'b.zsh'],
  ['.zshrc', 'path=(~/dots/bin $path)', 'bin/any'],
  ['.config/fish/config.fish', 'fish_add_path ~/dots/bin', 'bin/any'],
  ['.config/fish/config.fish', 'for f in ~/dots/*.fish; source $f; end', 'b.fish'],
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
  ['.bashrc', '[ -f ./.localrc ] && . ./.localrc', '.localrc'],
  ['.bashrc', '[ -f env.sh ] && source env.sh', 'deep/env.sh'],
  ['.bashrc', 'PROMPT_COMMAND="[ -f .prompt ] && . ./.prompt"', '.prompt'],
  ['.vimrc', 'if filereadable(".proj.vim") | source .proj.vim | endif', '.proj.vim'],
  ['.config/nvim/init.lua', 'vim.cmd("luafile .proj.lua")', '.proj.lua'],
  ['.tmux.conf', 'source-file -q .tm.conf', '.tm.conf'],
  ['.bashrc', 'export PATH=./bin:$PATH', 'bin/ls'],
  ['.bashrc', 'PATH="node_modules/.bin:$PATH"', 'node_modules/.bin/git'],
  ['.zshrc', 'path=(./bin $path)', 'bin/ls'],
  ['.config/fish/config.fish', 'fish_add_path ./bin', 'bin/ls'],
  ['.bashrc', 'X=HOME_/dots/old/a\n. "@{X/old/new}"', 'new/a'],
  ['.bashrc', 'X=HOME_/dots/rc.sample\n. "@{X%.sample}"', 'rc'],
  ['.bashrc', 'alias dep="python3 -m dep.run"\nexport PYTHONPATH=~/dots/py', 'dep/run.py'],
  [
    '.config/systemd/user/a.service',
    '[Service]\nExecStart=/usr/bin/node server.js\nWorkingDirectory=HOME_/dots',
    'server.js',
  ],
  ['.config/systemd/user/a.service', '[Service]\nWorkingDirectory=%h/dots\nExecStart=/bin/sh job', 'job'],
  ['.config/systemd/user/a.service', '[Service]\nExecStart=%h/dots/serve --now', 'serve'],
  ['.config/autostart/a.desktop', '[Desktop Entry]\nPath=HOME_/dots\nExec=./go', 'go'],
  ['.kube/config', 'users:\n- name: x\n  user:\n    exec:\n      command: HOME_/dots/auth.sh', 'auth.sh'],
  ['.aws/config', '[default]\ncredential_process = HOME_/dots/cp.sh', 'cp.sh'],
  ['.cargo/config.toml', '[build]\nrustc-wrapper="HOME_/dots/rw"', 'rw'],
  ['.claude/settings.json', '{\n  "hooks": {"Stop": [{"command": "HOME_/dots/hook.sh"}]}\n}', 'hook.sh'],
  ['.gemini/settings.json', '{\n  "mcpServers": {"x": {\n    "command": "HOME_/dots/own.sh"}}}', 'own.sh'],
  ['.local/lib/python3.12/site-packages/x.pth', 'HOME_/dots/lib/start.py', 'lib/start.py'],
] as const;

it.each(CASES)('%s: %s', async (file, says, obeyed) => {
  put(file, says.replaceAll('HOME_', join(root, 'home')).replaceAll('@{', '$'.concat('{')));
  expect(await isObeyed(obeyed)).toBe(true);
  expect(await isObeyed('src/main.ts')).toBe(false);
  expect(await isObeyed('README.md')).toBe(false);
});

/** What names the tree as a whole, a file of it that counts, and one that does not. */
it.each([
  ['.bashrc', 'load() { . "$HOME/dots/$1"; }; load r15', 'r15', undefined],
  ['.bashrc', 'for f in $(ls ~/dots); do . ~/dots/$f; done', 'r15', undefined],
  ['.bashrc', 'export PATH=~/dots:$PATH', 'tool', 'src/main.ts'],
  ['.zshrc', 'fpath+=(~/dots)', '_tool', 'src/main.ts'],
  ['.vimrc', 'set rtp+=~/dots', 'plugin/a.vim', 'README.md'],
  ['.zshrc', 'export ZSH=~/dots', 'lib/git.zsh', 'README.md'],
])('%s: %s is about more than one file', async (file, says, obeyed, other) => {
  put(file, says);
  expect(await isObeyed(obeyed)).toBe(true);
  expect(await isObeyed('.git/objects/ab/c')).toBe(false);
  if (other !== undefined) expect(await isObeyed(other)).toBe(false);
});

it('also by a pattern that leads over links, and the links count', async () => {
  put('dots/real/a.sh', '');
  symlinkSync('real', join(tree, 'rc.d'));
  symlinkSync('dots', join(root, 'home/.rc'));
  put('.bashrc', 'for f in ~/.rc/rc.d/*.sh; do . $f; done');
  expect(await isObeyed('real/new.sh')).toBe(true);
  expect(await isObeyed('rc.d', 'link')).toBe(true);
  expect(await isObeyed('real/README')).toBe(false);
});

it('also what files say that a pattern brings, and links that it finds', async () => {
  put('.bashrc', 'for f in ~/.shell/*.sh; do\n. "$f"\ndone');
  put('.shell/a.sh', '. ~/dots/first');
  put('dots/third', '');
  symlinkSync('../dots/third', join(root, 'home/.shell/b.sh'));
  expect(await isObeyed('first')).toBe(true);
  expect(await isObeyed('third')).toBe(true);
});

it('also what zsh reads in a directory that its first file names', async () => {
  put('.zshenv', 'export ZDOTDIR="$HOME/.config/zsh"');
  put('.config/zsh/.zshrc', 'source ~/dots/rc');
  expect(await isObeyed('rc')).toBe(true);
});

it('also what a file that is named names in its turn', async () => {
  put('.bashrc', '. ~/.shell/all');
  put('.shell/all', '. ~/dots/first');
  put('dots/first', '. second.sh');
  expect(await isObeyed('first')).toBe(true);
  expect(await isObeyed('second.sh')).toBe(true);
});

it('also by a link, which counts itself', async () => {
  put('dots/real', '');
  symlinkSync('real', join(tree, 'link'));
  put('.bashrc', '. ~/dots/link');
  expect(await isObeyed('link')).toBe(true);
  expect(await isObeyed('real')).toBe(true);
});

it.each([
  ['a place to go to', "alias d='cd ~/dots/src'"],
  ['a directory in a variable', 'export PROJECT=~/dots/src'],
  ['a remark', '# source ~/dots/src/main.ts'],
  ['files that name each other', '. ~/.bashrc\n. ~/.profile'],
])('%s is nothing that is run', async (_, says) => {
  put('dots/src/main.ts', '');
  put('.bashrc', says);
  put('.profile', '. ~/.bashrc');
  expect(await isObeyed('src/main.ts')).toBe(false);
});

it('counts where an action is looked at', async () => {
  put('.bashrc', '. ~/dots/rc');
  const { places } = await obeyedIn(tree, []);
  expect(places).toContainEqual({ path: join(tree, 'rc'), what: 'is named in ~/.bashrc' });
});

it('also what a file says that was read before and has changed since', async () => {
  const now = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(now + 3_600_000); // as if all of it had been there for long
  try {
    put('.bashrc', '. ~/dots/first');
    put('dots/first', '');
    expect([await isObeyed('first'), await isObeyed('first'), await isObeyed('second')]).toEqual([true, true, false]);
    put('dots/first', '. second.sh');
    expect([await isObeyed('first'), await isObeyed('second.sh')]).toEqual([true, true]);
    put('.bashrc', '. ~/dots/second');
    expect([await isObeyed('first'), await isObeyed('second')]).toEqual([false, true]);
    put('.profile', '. ~/dots/third');
    expect(await isObeyed('third')).toBe(true);
  } finally {
    vi.restoreAllMocks();
  }
});

it('start files that name too much are told as such', async () => {
  put('.bashrc', Array.from({ length: 20_001 }, (_, at) => `. ~/dots/x${at}\n`).join(''));
  await expect(byHome(tree, waysThrough())).rejects.toThrow('your start files name too much');
});

it('what is no file is passed over, and a file that is too large is told as such', async () => {
  mkdirSync(join(root, 'home/.bashrc'));
  expect(await isObeyed('rc')).toBe(false);
  put('.profile', `${'#\n'.repeat(600_000)}. ~/dots/rc\n`);
  await expect(byHome(tree, waysThrough())).rejects.toThrow('your start files name too much');
});

it('what the tree itself says can neither fill the memory nor lead elsewhere', async () => {
  put('.bashrc', '. ~/dots/rc');
  const doubling = Array.from({ length: 60 }, (_, n) => `A${n + 1}=$A${n}$A${n}`).join('\n');
  put('dots/rc', `A0=/aaaaaaaaaaaaaaaa\n${doubling}\n. $A60\n. ../../outside\n`);
  writeFileSync(join(root, 'outside'), '. home/dots/other\n');
  expect(await isObeyed('rc')).toBe(true);
  expect(await isObeyed('other')).toBe(false);
  put('dots/rc', `A=${'/a'.repeat(1000)}\n. ${'$A '.repeat(10_000)}\n`);
  await expect(byHome(tree, waysThrough())).rejects.toThrow('your start files name too much');
  put('dots/rc', `. ${'/a '.repeat(80_000)}\n`);
  await expect(byHome(tree, waysThrough())).rejects.toThrow('your start files name too much');
});

it('also what a start file that is a link leads to', async () => {
  put('dots/u.py', '');
  put('.local/lib/python3.12/site-packages/other.py', '');
  symlinkSync(join(tree, 'u.py'), join(root, 'home/.local/lib/python3.12/site-packages/usercustomize.py'));
  expect(await isObeyed('u.py')).toBe(true);
  expect(await isObeyed('other.py')).toBe(false);
});

/** What people write that means no file of a project. */
it.each([
  ['.bashrc', 'alias gw=./gradlew t="./test.sh --all"', ['gradlew', 'test.sh']],
  ['.bashrc', 'export PATH="$HOME/bin:$PATH" MANPATH=/usr/share/man', ['bin/x', 'HOME_/bin/x']],
  ['.vimrc', '" source x.vim\nset path+=src', ['x.vim', 'src/main.ts']],
  ['.inputrc', '$include /etc/inputrc', ['inputrc']],
  [
    '.config/systemd/user/a.service',
    '[Service]\nWorkingDirectory=/srv\nExecStart=/usr/bin/node server.js',
    ['server.js'],
  ],
] as const)('%s: %s means none of these', async (file, says, names) => {
  put(file, says);
  const inTree = join(root, 'home').slice(1);
  for (const name of names) expect(await isObeyed(name.replace('HOME_', inTree))).toBe(false);
});
