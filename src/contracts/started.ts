/** Programs that aish-tui itself starts by name, unconfined. */
export const STARTED: readonly string[] =
  'aish-tui node sh bash zsh fish dash git ssh scp sftp ps less more man setsid tmux env stty script sudo doas docker podman kubectl ansible secret-tool pass security xclip xsel wl-copy vi vim nvim nano'.split(
    ' ',
  );

/** What it starts, unconfined, since the configuration says so. */
export type ByConfiguration = {
  /** What the configuration calls it: `the MCP server files`. */
  readonly name: string;
  /** A program with its arguments; a line for the shell as one word. */
  readonly words: readonly string[];
  /** Variables that it gets beside those of aish-tui. */
  readonly env: Readonly<Record<string, string>>;
};
