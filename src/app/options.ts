import manifest from '../../package.json' with { type: 'json' };
import type { Mode } from '../session/ids.ts';

/** The command line's options that every front end shares. */
export type GlobalOptions = {
  readonly config?: string;
  readonly mode?: Mode;
  readonly model?: string;
  /** Draw on the normal screen, and leave what is final to the terminal's own scrollback. */
  readonly inline?: true;
  /** The absolute path of the working directory. */
  readonly cwd?: string;
  /** Limits for a run and for the session; they override the configuration. */
  readonly maxSteps?: number;
  readonly maxDollars?: number;
};

/** Which session to open; a new one by default. */
export type SessionWish = {
  /** An id, or `true` for the latest resumable session that began in this directory. */
  readonly resume?: string | true;
  /** Continue in a copy and leave the session unchanged, even if another program has it open. */
  readonly fork?: boolean;
  /** The session was open in this window until now. */
  readonly again?: true;
};

export const VERSION: string = manifest.version;
