/** The texts that explain each mode, for every place that shows them. */

import type { Mode } from './ids.ts';

type ModeWords = {
  readonly name: string;
  /** For the model, and in a notice for the user (MO-5). */
  readonly meaning: string;
  /** How the model asks for a wider mode; omitted for users. */
  readonly wider: string;
  /** What the model can do in the mode: for `:mode`, Tab, help and the first screen. */
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
    help: 'it reads; it writes nothing and has no network',
    welcome: 'the model can read, not write; you can do both',
    offer: () => '',
  },
  project: {
    name: 'Project',
    meaning:
      "Project. Commands may read everything and write in this project's tree and in $TMPDIR; HTTP(S) and git over ssh wait for the user's yes, all else has loopback only; git hooks, .git/config and what else runs later outside are out of reach. What is changed can be put back.",
    wider: ' Use request_mode_upgrade if a place outside or more network is needed.',
    answer: "the model can write in this project's tree and nowhere else; a connection asks first",
    note: 'write in this tree; a connection asks first',
    help: 'it writes in this tree only; a connection asks first; :undo takes it back',
    welcome: 'the model writes in this tree only, and :undo takes it back',
    offer: (tree) => `y project: write in ${tree}'s tree and a private /tmp; a connection asks; undo works`,
  },
  unrestricted: {
    name: 'Unrestricted',
    meaning: 'Unrestricted. Commands may write files and use the network; destructive ones are still put to the user.',
    wider: '',
    answer: 'the model can write',
    note: 'also write',
    help: 'it does anything; what destroys still asks',
    welcome: 'the model may do what you may; what destroys asks first',
    offer: () => 'u unrestricted: write anywhere, use the network; what destroys still asks',
  },
};
