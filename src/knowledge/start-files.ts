/**
 * Start files: files that the user's own shells, editors, desktop and tools read when they start, and the variables
 * that name such files.
 */

const words = (list: string): readonly string[] => list.trim().split(/\s+/);

/** Start files below the home directory. */
export const HOME_START_FILES = words(`
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .kshrc .mkshrc .login .cshrc .tcshrc
  .inputrc .ssh/config .ssh/rc .tmux.conf .screenrc .vimrc .vim/vimrc .emacs .emacs.d/init.el .direnvrc .gdbinit .npmrc
  .kube/config .aws/config .cargo/config.toml .cargo/config .gnupg/gpg.conf .gnupg/gpg-agent.conf .mailcap .lesskey
  .claude/settings.json .gemini/settings.json .codex/config.toml .cursor/mcp.json
  .pythonrc.py .irbrc .pryrc .Rprofile .xinitrc .xsession .xprofile .xsessionrc .pam_environment
`);
/** Start files of zsh in `ZDOTDIR`, or in the home directory. */
export const ZSH_START_FILES = words('.zshenv .zprofile .zshrc .zlogin .zlogout');
/** Start files in the directory for programs’ configuration (`XDG_CONFIG_HOME`). */
export const CONFIG_START_FILES = words(`
  fish/config.fish tmux/tmux.conf nvim/init.vim nvim/init.lua vim/vimrc direnv/direnvrc emacs/init.el i3/config sway/config
  hypr/hyprland.conf kitty/kitty.conf alacritty/alacritty.toml wezterm/wezterm.lua starship.toml lazygit/config.yml mise/config.toml
`);
/** Directories in which every file is a start file. */
export const HOME_START_DIRECTORIES = words('.bashrc.d .profile.d .zshrc.d .bash_completion.d .oh-my-zsh/custom');
export const CONFIG_START_DIRECTORIES = words('fish/conf.d fish/functions environment.d systemd/user autostart');
/** Variables that name a start file. */
export const START_VARIABLES: readonly string[] = ['BASH_ENV', 'ENV', 'PYTHONSTARTUP'];
