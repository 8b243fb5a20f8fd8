import manifest from '../../package.json' with { type: 'json' };
import type { Mode } from '../session/ids.ts';

/** What the command line asks of every front end. */
export type GlobalOptions = {
  readonly config?: string;
  readonly mode?: Mode;
  readonly model?: string;
  /** Lines in the terminal's own scrollback instead of a screen. */
  readonly inline?: true;
  /** Full path of the directory to work in. */
  readonly cwd?: string;
  /** Steps of a run and dollars of the session: the user's word for this time, whatever the configuration says. */
  readonly maxSteps?: number;
  readonly maxDollars?: number;
};

/** Which session to open; a new one by default. */
export type SessionWish = {
  /** An id, or `true` for the one left last, of those begun in this directory, that can be resumed. */
  readonly resume?: string | true;
  /** Continue in a copy and leave the session unchanged, even if another program has it open. */
  readonly fork?: boolean;
  /** It was open until now, in this very window. */
  readonly again?: true;
};

export const VERSION: string = manifest.version;
