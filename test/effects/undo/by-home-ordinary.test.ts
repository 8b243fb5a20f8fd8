/** Start files as people have them: in a project that they do not name nothing asks, and in one that they name only what they run. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { byHome } from '../../../src/effects/undo/by-home.ts';
import { obeyedBy } from '../../../src/effects/undo/obeyed-by.ts';
import { waysThrough } from '../../../src/effects/undo/ways.ts';
import { homeForEach } from './home-of-ours.ts';

let root: string;
let home: string;
homeForEach('home/u', (made) => {
  root = made;
  home = join(root, 'home/u');
});

/** `@{` stands for a dollar sign and a brace. */
function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text.replaceAll('@{', '$'.concat('{')));
  }
}

/** What work in a project makes and changes. */
const ORDINARY = [
  ...[
    'README.md',
    'Makefile',
    'package.json',
    'src/main.ts',
    'src/lib/a.sh',
    'bin/run',
    'lib/index.js',
    'tests/test_a.py',
  ],
  ...[
    'node_modules/.bin/tsc',
    'build/app',
    'docs/conf.py',
    'scripts/release.sh',
    'target/debug/app',
    'run',
    'init.lua',
  ],
];

/** Which of these files of the tree count. */
async function counted(tree: string, names: readonly string[] = ORDINARY): Promise<readonly string[]> {
  mkdirSync(join(home, tree, 'src'), { recursive: true });
  const of = obeyedBy(await byHome(join(home, tree), waysThrough()));
  return names.filter((name) => of({ path: join(home, tree, name), kind: 'file' }));
}

/** As a distribution puts it into each new home. */
const DISTRIBUTION = {
  '.profile': `
if [ -n "$BASH_VERSION" ] && [ -f "$HOME/.bashrc" ]; then . "$HOME/.bashrc"; fi
if [ -d "$HOME/bin" ]; then PATH="$HOME/bin:$PATH"; fi
[ -d "$HOME/.local/bin" ] && PATH="$HOME/.local/bin:$PATH"
`,
  '.bashrc': `
case $- in *i*) ;; *) return ;; esac
HISTCONTROL=ignoreboth
command -v lesspipe >/dev/null && eval "$(SHELL=/bin/sh lesspipe)"
if [ -z "@{debian_chroot:-}" ] && [ -r /etc/debian_chroot ]; then debian_chroot=$(cat /etc/debian_chroot); fi
PS1='@{debian_chroot:+($debian_chroot)}\\u@\\h:\\w\\$ '
if [ -x /usr/bin/dircolors ]; then
  test -r ~/.dircolors && eval "$(dircolors -b ~/.dircolors)" || eval "$(dircolors -b)"
  alias ls='ls --color=auto'
fi
alias ll='ls -alF'
alias ..='cd ..' ...='cd ../..'
alias alert='notify-send -i "$([ $? = 0 ] && echo terminal || echo error)" "$(history|tail -n1|sed -e "s/a/b/")"'
[ -f ~/.bash_aliases ] && . ~/.bash_aliases
for file in /usr/share/bash-completion/bash_completion /etc/bash_completion; do [ -r $file ] && . $file && break; done
`,
  '.bash_aliases': `
alias app='cd ~/src/app' work="cd $HOME/src && ls"
mkcd() { mkdir -p "$1" && cd "$1"; }
up() { cd "$(printf '../%.0s' $(seq 1 $1))"; }
proj() { cd "$HOME/src/$1" && source venv/bin/activate; }
extract() { case $1 in *.tar.gz) tar xzf "$1" ;; *.zip) unzip "$1" ;; esac; }
gpall() { for d in ~/src/*/; do (cd "$d" && git pull); done; }
alias sync='rsync -av -e ssh ~/src/app/ host:app/'
export EDITOR=vim CDPATH=.:~/src
`,
};

/** With a framework, its plugins, and what installers of tools add. */
const FRAMEWORK = {
  '.zshrc': `
export ZSH="$HOME/.oh-my-zsh"
ZSH_THEME="robbyrussell"
plugins=(git docker npm z)
source $ZSH/oh-my-zsh.sh
export NVM_DIR="$HOME/.nvm"
[ -s "$NVM_DIR/nvm.sh" ] && \\. "$NVM_DIR/nvm.sh"
export PYENV_ROOT="$HOME/.pyenv"
[[ -d $PYENV_ROOT/bin ]] && export PATH="$PYENV_ROOT/bin:$PATH"
eval "$(pyenv init -)"
. "$HOME/.cargo/env"
export PATH="$HOME/.local/bin:@{KREW_ROOT:-$HOME/.krew}/bin:$PATH"
export GOPATH=$HOME/go; path+=("$GOPATH/bin")
[ -f ~/.fzf.zsh ] && source ~/.fzf.zsh
if [ -f '/opt/sdk/path.zsh.inc' ]; then . '/opt/sdk/path.zsh.inc'; fi
__conda_setup="$("$HOME/conda/bin/conda" 'shell.zsh' 'hook' 2> /dev/null)"
if [ $? -eq 0 ]; then eval "$__conda_setup"; else
  if [ -f ~/conda/etc/profile.d/conda.sh ]; then . ~/conda/etc/profile.d/conda.sh; fi
fi
fpath+=~/.zfunc; autoload -Uz compinit && compinit
alias zshrc="@{EDITOR:-vim} ~/.zshrc"
`,
  '.oh-my-zsh/oh-my-zsh.sh': `
[[ -n "$ZSH" ]] || export ZSH="@{@{(%):-%x}:a:h}"
[[ -n "$ZSH_CUSTOM" ]] || ZSH_CUSTOM="$ZSH/custom"
fpath=("$ZSH/functions" "$ZSH/completions" $fpath)
is_plugin() { local base_dir=$1 name=$2; builtin test -f $base_dir/plugins/$name/$name.plugin.zsh; }
for plugin ($plugins); do
  if is_plugin "$ZSH_CUSTOM" "$plugin"; then fpath=("$ZSH_CUSTOM/plugins/$plugin" $fpath)
  elif is_plugin "$ZSH" "$plugin"; then fpath=("$ZSH/plugins/$plugin" $fpath); fi
done
_omz_source() { local filepath="$1"; if [[ -f "$ZSH_CUSTOM/$filepath" ]]; then source "$ZSH_CUSTOM/$filepath"; else source "$ZSH/$filepath"; fi; }
for lib_file ("$ZSH"/lib/*.zsh); do _omz_source "lib/@{lib_file:t}"; done
for plugin ($plugins); do _omz_source "plugins/$plugin/$plugin.plugin.zsh"; done
for config_file ("$ZSH_CUSTOM"/*.zsh(N)); do source "$config_file"; done
`,
  '.oh-my-zsh/custom/mine.zsh': 'alias a="cd ~/src/app && npm start"\n',
  '.oh-my-zsh/lib/git.zsh': 'function git_root() { cd "$(git rev-parse --show-toplevel || echo .)"; }\n',
  '.zshenv': '. "$HOME/.cargo/env"\n',
};

/** Which reads its parts out of a repository. */
const DOTFILES = {
  '.bashrc': `
export DOTFILES="$HOME/dotfiles"
for file in "$DOTFILES"/shell/{exports,aliases,functions}.sh; do
  [ -r "$file" ] && source "$file"
done
unset file
export PATH="$DOTFILES/bin:$PATH"
[ -f "$DOTFILES/local/$(hostname).sh" ] && . "$DOTFILES/local/$(hostname).sh"
alias dots='cd $DOTFILES && git status'
`,
  'dotfiles/shell/exports.sh': 'export EDITOR=vim\nsource "$DOTFILES/shell/more.sh"\n',
  '.gitconfig': '[include]\n\tpath = ~/dotfiles/git/config\n',
};

describe('in a project that they do not name', () => {
  it.each([
    ['a distribution’s', DISTRIBUTION],
    ['a framework’s', FRAMEWORK],
    ['what reads a repository', DOTFILES],
    ['all of them', { ...DISTRIBUTION, ...FRAMEWORK, ...DOTFILES }],
  ])('%s: nothing that work makes and changes counts', async (_, files) => {
    put(files);
    expect(await counted('src/app')).toEqual([]);
    const { shapes } = await byHome(join(home, 'src/app'), waysThrough());
    expect(shapes).toEqual([]);
  });
});

it('in the repository that they read: what they run, and nothing else', async () => {
  put(DOTFILES);
  expect(await counted('dotfiles')).toEqual(['bin/run']);
  const run = ['shell/exports.sh', 'shell/aliases.sh', 'shell/more.sh', 'bin/new', 'local/here.sh'];
  expect(await counted('dotfiles', run)).toEqual(run);
  expect(await counted('dotfiles', ['install.sh', 'shell/README', 'shell/other.sh', 'nvim/a.lua'])).toEqual([]);
});

it('in the framework itself, which reads what it is told in an argument: everything', async () => {
  put(FRAMEWORK);
  const run = ['lib/git.zsh', 'plugins/git/git.plugin.zsh', 'custom/new.zsh', 'functions/f', 'README.md'];
  expect(await counted('.oh-my-zsh', run)).toEqual(run);
});
