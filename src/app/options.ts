import manifest from '../../package.json' with { type: 'json' };
import type { Mode } from '../session/ids.ts';

/** What the command line asks of every front end. */
export type GlobalOptions = {
  readonly config?: string;
  readonly mode?: Mode;
  readonly model?: string;
};

/** Which session to open; a new one by default. */
export type SessionWish = {
  /** An id, or `true` for the newest one that can be resumed. */
  readonly resume?: string | true;
  /** Continue in a copy and leave the session unchanged, even if another program has it open. */
  readonly fork?: boolean;
};

export const VERSION: string = manifest.version;
