/** What a `:` command is. The table in `table.ts` is the one place that lists them. */
import type { App } from './app.ts';

/** A word, optionally with a description. */
export type Argument = string | { readonly word: string; readonly note?: string };

export type Command = {
  readonly name: string;
  /** How its arguments are written, for `:help`. */
  readonly usage: string;
  readonly summary: string;
  /** What Tab offers for the last argument; `before` are the arguments in front of it. */
  arguments?(app: App, before: readonly string[]): readonly Argument[] | Promise<readonly Argument[]>;
  /** Matches the arguments that a shell command follows: Tab asks the shell about that. */
  readonly shellBehind?: RegExp;
  /** Whether the user can stop it while it runs, by its arguments: it only looks, or heeds the signal. Absent: never. */
  stops?(rest: string): boolean;
  /** Text to show, or nothing if the effect is visible anyway. Throws a CommandError for what the user can fix. */
  run(app: App, rest: string, signal: AbortSignal): Promise<string | undefined> | string | undefined;
};

/** A user error: its message is one clear line that says what to do. */
export class CommandError extends Error {}
