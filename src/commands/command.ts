/** The type of a `:` command. The list is in `table.ts`. */
import type { App } from './app.ts';

export { CommandError } from '../text/errors.ts';

/** A word for completion, optionally with a description. */
export type Argument = string | { readonly word: string; readonly note?: string };

/** The groups of `:help`, in order. */
export const COMMAND_GROUPS = {
  talk: 'The conversation',
  agent: 'What the model may do',
  shell: 'Your shell',
  screen: 'The screen',
} as const;

export type Command = {
  readonly name: string;
  /** The syntax of its arguments. */
  readonly usage: string;
  readonly group: keyof typeof COMMAND_GROUPS;
  /** A one-line description. */
  readonly summary: string;
  /** Its forms with their meaning, for `:help NAME`. */
  readonly forms?: readonly (readonly [form: string, meaning: string])[];
  /** Completes the last argument; `before` are the arguments before it. */
  arguments?(app: App, before: readonly string[]): readonly Argument[] | Promise<readonly Argument[]>;
  /** Matches arguments that precede a shell command, which the shell then completes. */
  readonly shellBehind?: RegExp;
  /**
   * Whether the user can stop it while it runs, depending on its arguments: it only reads, or honours the signal.
   * Absent: never.
   */
  stops?(rest: string): boolean;
  /** Returns text to show, or nothing if the effect is visible. Throws a CommandError for what the user can fix. */
  run(app: App, rest: string, signal: AbortSignal): Promise<string | undefined> | string | undefined;
};
