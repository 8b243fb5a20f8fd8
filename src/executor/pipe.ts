/** What a command that needs no terminal writes into. */
import type { Environment } from './environment.ts';

export type ToBegin = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
};

/** Exit code as a shell tells it (128 + n for a signal); null with a reason: it could not be started. Told once. */
export type OnEnd = (code: number | null, why?: string) => void;

/** A pipe for the output of one command, and the way to start it. */
export type Pipe = {
  /** A descriptor, its taker's to close. */
  readonly read: number;
  /** Starts the command: in a session of its own, nothing to read, both of its outputs here. Its process id. Throws. */
  begin(what: ToBegin, onEnd: OnEnd): number;
  /** Nothing is to be started after all. `read` is still the taker's. */
  drop(): void;
};
