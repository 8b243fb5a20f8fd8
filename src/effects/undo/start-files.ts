/** The files that a user's own programs obey when they start: shells, editors, tmux, ssh, Python, the desktop, systemd, and what names programs to others. */
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { entriesAt } from './seen.ts';

/** Below the home directory. What git obeys, git is asked. */
const FILES = words(`
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .kshrc .mkshrc .login .cshrc .tcshrc
  .inputrc .ssh/config .ssh/rc .tmux.conf .screenrc .vimrc .vim/vimrc .emacs .emacs.d/init.el .direnvrc .gdbinit .npmrc
  .kube/config .aws/config .cargo/config.toml .cargo/config .gnupg/gpg.conf .gnupg/gpg-agent.conf .mailcap .lesskey
  .claude/settings.json .gemini/settings.json .codex/config.toml .cursor/mcp.json
  .pythonrc.py .irbrc .pryrc .Rprofile .xinitrc .xsession .xprofile .xsessionrc .pam_environment
`);
/** Where the configuration of desktops lies. */
const CONFIG_FILES = words(`
  fish/config.fish tmux/tmux.conf nvim/init.vim nvim/init.lua vim/vimrc direnv/direnvrc emacs/init.el i3/config sway/config hypr/hyprland.conf
  kitty/kitty.conf alacritty/alacritty.toml wezterm/wezterm.lua starship.toml lazygit/config.yml mise/config.toml
`);
/** In `ZDOTDIR`, or at home. */
export const ZSH_FILES: readonly string[] = words('.zshenv .zprofile .zshrc .zlogin .zlogout');
/** Directories of such files. */
const DIRECTORIES = words('.bashrc.d .profile.d .zshrc.d .bash_completion.d .oh-my-zsh/custom');
const CONFIG_DIRECTORIES = words('fish/conf.d fish/functions environment.d systemd/user autostart');
/** What every Python of the user loads of its packages. */
const LOADED = /^(site|user)customize\.py$|\.pth$/;
/** Variables that name such a file. */
const VARIABLES = ['BASH_ENV', 'ENV', 'PYTHONSTARTUP'];

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Their paths, whether anything is there or not. Throws where a directory of them can't be read. */
export function startFiles(): readonly string[] {
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
    ...pythonFiles(join(home, '.local/lib')),
    ...directories.flatMap((directory) => (entriesAt(directory) ?? []).map(({ name }) => join(directory, name))),
  ];
}

function pythonFiles(libraries: string): readonly string[] {
  return (entriesAt(libraries) ?? [])
    .filter(({ name }) => name.startsWith('python'))
    .map(({ name }) => join(libraries, name, 'site-packages'))
    .flatMap((directory) => (entriesAt(directory) ?? []).map(({ name }) => join(directory, name)))
    .filter((path) => LOADED.test(basename(path)));
}
