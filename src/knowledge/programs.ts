/** The other agents whose hooks `aish-guard` answers. */
export const AGENTS = ['claude-code', 'codex', 'gemini', 'copilot', 'cursor', 'opencode', 'pi'] as const;
export type Agent = (typeof AGENTS)[number];

/** Programs that aish-tui itself starts by name, outside the sandbox. */
export const STARTED: readonly string[] =
  'aish-tui node sh bash zsh fish dash git ssh scp sftp ps less more man setsid tmux env stty script sudo doas docker podman kubectl ansible secret-tool pass security xclip xsel wl-copy vi vim nvim nano'.split(
    ' ',
  );
