import { shellQuote } from '../text/shell.ts';

/** Programs run the editor through a shell, or split it at blanks: either way it ends at once. */
const NO_EDITOR = `sh -c 'echo "no editor here: nobody can edit. Pass the text as an option or write the file." >&2; exit 1'`;

/**
 * Nobody can press a key in a pager, answer git or edit a text for a model's command. git's own editors leave the text
 * as it is and succeed, so that a merge or a rebase goes on with what git proposes; any other editor fails with a
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
};

/** The same as code for a shell on another machine. */
export const UNATTENDED_CODE = `export ${Object.entries(UNATTENDED)
  .map(([name, value]) => `${name}=${shellQuote(value)}`)
  .join(' ')}; unset ENV BASH_ENV`;
