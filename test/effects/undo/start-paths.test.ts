import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startPathsIn } from '../../../src/effects/undo/leftovers.ts';

let home = '';
let tree = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'aish-start-'));
  tree = join(home, 'src/app');
  mkdirSync(tree, { recursive: true });
  vi.stubEnv('HOME', home);
  vi.stubEnv('PATH', '/usr/bin:/bin');
  for (const name of ['XDG_CONFIG_HOME', 'ZDOTDIR', 'BASH_ENV', 'ENV', 'PYTHONSTARTUP', 'VIRTUAL_ENV', 'CONDA_PREFIX'])
    vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const found = () => startPathsIn(tree).map(({ path, what }) => `${path.slice(tree.length + 1)} ${what}`);

describe('a project path that shell startup files name', () => {
  it.each([
    ['.bashrc', '. ~/src/app/rc\n', 'rc is named in ~/.bashrc'],
    ['.zshrc', 'source "$HOME/src/app/aliases.zsh"\n', 'aliases.zsh is named in ~/.zshrc'],
    ['.config/fish/config.fish', 'source $HOME/src/app/a.fish\n', 'a.fish is named in ~/.config/fish/config.fish'],
    ['.bashrc', 'for f in ~/src/app/sh/*.sh; do . $f; done\n', 'sh is named in ~/.bashrc'],
    ['.profile', 'PATH=$HOME/src/app/tools:$PATH\n', 'tools is named in ~/.profile'],
    ['.ssh/config', 'Include ~/src/app/hosts\n', 'hosts is named in ~/.ssh/config'],
    ['.gitconfig', '[include]\n\tpath = ~/src/app/git/own\n', 'git/own is named in ~/.gitconfig'],
    ['src/app/.git/config', '[core]\n\thooksPath = sh/hooks\n', 'sh/hooks is named in .git/config'],
  ])('counts as a control file: %s %j', (file, text, expected) => {
    for (const path of ['rc', 'sh/hooks/pre-commit', 'tools/x']) put(`src/app/${path}`, 'x\n');
    put(file, text);
    expect(found()).toEqual([expected]);
  });

  it.each([
    ['the tree itself', 'alias app="cd ~/src/app"\n'],
    ['a directory for cd', 'alias web="cd ~/src/app/web && npm start"\n'],
    ['a variable of the file itself', 'A=~/src/app\n. $A/rc\n'],
    ['another tree', '. ~/src/application/rc\n'],
  ])('is not found in a line that names %s', (_, text) => {
    put('src/app/web/a.js', 'x\n');
    put('src/app/rc', 'x\n');
    put('.bashrc', text);
    expect(found()).toEqual([]);
  });

  it('counts where a start file is a link into the tree, directly or through other links', () => {
    put('src/app/bashrc', 'true\n');
    put('src/app/nvim/init.lua', 'x\n');
    mkdirSync(join(home, '.config'));
    symlinkSync('src/app/bashrc', join(home, '.bashrc'));
    symlinkSync('../src/app/nvim', join(home, '.config/nvim'));
    symlinkSync(join(home, 'src'), join(home, 's'));
    put('.zshrc', '. ~/s/app/rc\n');
    expect(found().sort()).toEqual(
      [
        'bashrc is ~/.bashrc',
        'nvim is ~/.config/nvim',
        'nvim/init.lua is ~/.config/nvim/init.lua',
        'nvim/init.vim is ~/.config/nvim/init.vim',
        'rc is named in ~/.zshrc',
      ].sort(),
    );
  });

  it.each(
    '.ssh/authorized_keys .config/fish/conf.d/x.fish .config/git/attributes .config/systemd/user/x.service .vimrc .config/nvim/lua/own/x.lua .config/direnv/lib .cargo/config.toml .config/pip/pip.conf .local/bin/ls .oh-my-zsh/custom/x.zsh .docker/config.json .kube/config bin/tool'.split(
      ' ',
    ),
  )('counts where ~/%s links to an existing or future path', (name) => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    symlinkSync(join(tree, 'later'), join(home, name));
    expect(found()).toEqual([`later is ~/${name}`]);
  });

  it('counts in a directory of the PATH; in an active environment only replacements of system programs count', () => {
    vi.stubEnv('PATH', `${tree}/bin:${tree}/.venv/bin:${tree}:/usr/bin`);
    vi.stubEnv('VIRTUAL_ENV', join(tree, '.venv'));
    expect(found()).toContain('bin is in your PATH');
    expect(found()).toContain('.venv/bin/git is in your PATH');
    expect(found()).not.toContain('.venv/bin is in your PATH');
  });

  it('is looked for without waiting for a pipe, but not in a file of many megabytes', () => {
    execFileSync('mkfifo', [join(home, '.bashrc')]);
    put('.zshrc', `${'x'.repeat(3_000_000)}\n. ~/src/app/rc\n`);
    expect(found()).toEqual([]);
  });
});
