/** What a `:` command is. The table in `table.ts` is the one place that lists them. */
import type { App } from './app.ts';

export { CommandError } from '../text/errors.ts';

/** A word, optionally with a description. */
export type Argument = string | { readonly word: string; readonly note?: string };

/** What `:help` puts side by side, in its order. */
export const COMMAND_GROUPS = {
  talk: 'The conversation',
  agent: 'What the model may do',
  shell: 'Your shell',
  screen: 'The screen',
} as const;

export type Command = {
  readonly name: string;
  /** How its arguments are written. */
  readonly usage: string;
  readonly group: keyof typeof COMMAND_GROUPS;
  /** What it does, in one line beside its name. */
  readonly summary: string;
  /** Ways to write it, and what each does: what `:help NAME` adds. */
  readonly forms?: readonly (readonly [form: string, meaning: string])[];
  /** What Tab offers for the last argument; `before` are the arguments in front of it. */
  arguments?(app: App, before: readonly string[]): readonly Argument[] | Promise<readonly Argument[]>;
  /** Matches the arguments that a shell command follows: Tab asks the shell about that. */
  readonly shellBehind?: RegExp;
  /**
   * Whether the user can stop it while it runs, by its arguments: it only looks, or heeds the signal. Absent: never.
   */
  stops?(rest: string): boolean;
  /** Text to show, or nothing if the effect is visible anyway. Throws a CommandError for what the user can fix. */
  run(app: App, rest: string, signal: AbortSignal): Promise<string | undefined> | string | undefined;
};
