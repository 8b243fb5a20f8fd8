import { shellQuote } from '../text/shell.ts';

/**
 * An editor that fails at once. Some programs run the editor through a shell, others split the value at blanks: this
 * works with both.
 */
const NO_EDITOR = `sh -c 'echo "no editor here: nobody can edit. Pass the text as an option or write the file." >&2; exit 1'`;

/**
 * Variables for a model's commands, where nobody can use a pager, answer git or edit a text. git's own editors keep
 * the text and succeed, so that a merge or rebase continues with git's proposal; any other editor fails with a
 * message.
 */
export const UNATTENDED: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  EDITOR: NO_EDITOR,
  VISUAL: NO_EDITOR,
  // A program that checks for updates or counts its users would cause a network question in every project.
  NO_UPDATE_NOTIFIER: '1',
  DO_NOT_TRACK: '1',
  npm_config_update_notifier: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  HOMEBREW_NO_AUTO_UPDATE: '1',
  CHECKPOINT_DISABLE: '1',
  DOTNET_CLI_TELEMETRY_OPTOUT: '1',
  NEXT_TELEMETRY_DISABLED: '1',
};

/** The same variables as code for a shell on another machine. */
export const UNATTENDED_CODE = `export ${Object.entries(UNATTENDED)
  .map(([name, value]) => `${name}=${shellQuote(value)}`)
  .join(' ')}; unset ENV BASH_ENV`;
