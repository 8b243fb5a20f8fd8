/** The texts that explain each mode, for every place that shows them. */

import type { Mode } from './ids.ts';

type ModeWords = {
  readonly name: string;
  /** The mode’s description for the model, and in a notice for the user (MO-5). */
  readonly meaning: string;
  /** How the model asks for a wider mode; omitted for users. */
  readonly wider: string;
  /** The answer to “what can the model do in this mode?”, for `:mode`, Tab, help and the first screen. */
  readonly answer: string;
  readonly note: string;
  readonly help: string;
  readonly welcome: string;
  /** The mode's description in a question that offers it. */
  readonly offer: (tree: string) => string;
};

export const MODE_WORDS: Readonly<Record<Mode, ModeWords>> = {
  restricted: {
    name: 'Restricted',
    meaning:
      'Restricted. Commands run in a kernel sandbox: files can be read but not written (only $TMPDIR can), and there is no network.',
    wider: ' Use request_mode_upgrade to request write access.',
    answer: 'the model can read, not write',
    note: 'only read',
    help: 'the model only reads, without network',
    welcome: 'the model can read, not write; you can do both',
    offer: () => '',
  },
  project: {
    name: 'Project',
    meaning:
      "Project. Commands may read everything and write in this project's tree and in $TMPDIR; HTTP(S) and git over ssh wait for the user's yes, all else has loopback only; git hooks, .git/config and other auto-run files are protected. Changes can be undone.",
    wider: ' Use request_mode_upgrade if a place outside or more network is needed.',
    answer: "the model can write only in this project's tree; a connection asks first",
    note: 'write in this tree; a connection asks first',
    help: 'the model writes only in this tree; a connection asks first; :undo works',
    welcome: 'the model writes only in this tree, and :undo works',
    offer: (tree) => `y project: write in ${tree}'s tree and a private /tmp; a connection asks; undo works`,
  },
  unrestricted: {
    name: 'Unrestricted',
    meaning: 'Unrestricted. Commands may write files and use the network; destructive ones still ask the user first.',
    wider: '',
    answer: 'the model can write anywhere; destructive commands still ask first',
    note: 'write anywhere; destructive commands ask',
    help: 'the model does anything; destructive commands still ask first',
    welcome: 'the model can do anything; destructive commands ask first',
    offer: () => 'u unrestricted: write anywhere, use the network; destructive commands still ask first',
  },
};
