/** What a `:` command is. The table in `table.ts` is the one place that lists them. */
import type { Aish } from './aish.ts';

export type Command = {
  readonly name: string;
  /** How its arguments are written, for `:help`. */
  readonly usage: string;
  readonly summary: string;
  /** Words that Tab offers for the first argument. */
  arguments?(aish: Aish): readonly string[];
  /** Text to show, or nothing where the effect shows itself. Throws a CommandError for what the user can mend. */
  run(aish: Aish, rest: string): Promise<string | undefined> | string | undefined;
};

/** A mistake of the user's: its message is one clear line with what to do. */
export class CommandError extends Error {}
