/** What a `:` command is. The table in `table.ts` is the one place that lists them. */
import type { App } from './app.ts';

/** A word, alone or with what it is. */
export type Argument = string | { readonly word: string; readonly note?: string };

export type Command = {
  readonly name: string;
  /** How its arguments are written, for `:help`. */
  readonly usage: string;
  readonly summary: string;
  /** What Tab offers for the last of the arguments; `before` are the ones in front of it. */
  arguments?(app: App, before: readonly string[]): readonly Argument[] | Promise<readonly Argument[]>;
  /** The arguments behind which a line for the shell stands: Tab asks the shell about it. */
  readonly shellBehind?: RegExp;
  /** Text to show, or nothing where the effect shows itself. Throws a CommandError for what the user can mend. */
  run(app: App, rest: string): Promise<string | undefined> | string | undefined;
};

/** A mistake of the user's: its message is one clear line with what to do. */
export class CommandError extends Error {}
