/**
 * The parts of a row of the table. A row is data: it runs in the plain shell and inside aish-tui with the same keys.
 */

/** The text that ends the prompt of every startup file. */
export const PROMPT_TEXT = '@@P@@';

export type ShellName = 'bash' | 'zsh' | 'fish';

/** One action of the user or one wait; a plain string is a line that is sent and waited for. */
export type Step =
  | string
  /** Sends a line without waiting for it. */
  | { readonly start: string }
  | { readonly keys: string }
  /** Waits until a program of this name is in the foreground. */
  | { readonly front: string }
  /** Waits until the output contains this text. */
  | { readonly shows: string }
  /** Waits until a file of the home directory, named by its ending after `$O`, contains this text. */
  | { readonly file: string; readonly holds: string }
  /** Waits until the shell is at its prompt again and reads. */
  | { readonly prompt: true }
  /** Adds what the line showed, and what was printed before it, to the result. */
  | { readonly shown: true }
  /** Waits until the shell has ended. */
  | { readonly ended: true };

export type Row = {
  readonly name: string;
  /** The steps by shell; a shell without the feature is left out. */
  readonly steps: Partial<Readonly<Record<ShellName, readonly Step[]>>>;
  /** The expected result in a shell whose keyboard can't type it natively. */
  readonly expect?: Partial<Readonly<Record<ShellName, string>>>;
  /** A startup file of its own, read after the plain one. */
  readonly rc?: Partial<Readonly<Record<ShellName, string>>>;
  /** Files read for the result, by their ending after `$O`; `~` starts a path in the home. Default: `$O` itself. */
  readonly files?: readonly string[] | Partial<Readonly<Record<ShellName, readonly string[]>>>;
  /** Makes two runs comparable by removing process numbers and directories. */
  readonly clean?: (text: string) => string;
  /** Programs and files that a machine may lack. */
  readonly needs?: readonly string[];
  /** Changes what heavy startup files also change, or takes minutes with them natively. */
  readonly plainOnly?: boolean;
  /** Whether the row is part of `npm test`, not only of the whole table. */
  readonly short?: boolean;
};

/** A need of a row: a user who may become another user. */
export const ROOT = 'root';

export const PROMPT: Step = { prompt: true };

export function same(...steps: readonly Step[]): Row['steps'] {
  return { bash: steps, zsh: steps, fish: steps };
}

/** Steps for bash and zsh, and those for fish in its own syntax. */
export function words(steps: readonly Step[], fish: readonly Step[]): Row['steps'] {
  return { bash: steps, zsh: steps, fish };
}

export function two(...steps: readonly Step[]): Row['steps'] {
  return { bash: steps, zsh: steps };
}

export const bash = (...steps: readonly Step[]): Row['steps'] => ({ bash: steps });
export const zsh = (...steps: readonly Step[]): Row['steps'] => ({ zsh: steps });

export const withoutNumbers = (text: string) => text.replace(/\b\d{3,8}\b/g, 'PID');
export const tracedOnly = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('+'))
    .join('\n');
export const only = (word: string) => (text: string) =>
  text
    .split('\n')
    .filter((line) => line.includes(word))
    .map((line) => line.replace(/^: \d+:\d+;/, ''))
    .join('\n');

/** The steps: Ctrl-Z, the shell's list of jobs, `fg`, and the list after it. */
export function stopped(line: string): readonly Step[] {
  return [
    { start: line },
    { front: 'sleep' },
    { keys: '\x1a' },
    PROMPT,
    'jobs > $O',
    'fg',
    'jobs >> $O; echo end >> $O',
  ];
}
