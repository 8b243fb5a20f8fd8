/** What the rows of the table are made of. What a shell does for the one who types is data: each row runs in the plain shell and inside aish-tui, with the same keys. */

/** What every startup file's prompt ends with. */
export const PROMPT_TEXT = '@@P@@';

export type ShellName = 'bash' | 'zsh' | 'fish';

/** One thing that the one at the keyboard does or waits for; a plain string is a line, sent and waited for. */
export type Step =
  | string
  /** A line that is sent and not waited for. */
  | { readonly start: string }
  | { readonly keys: string }
  /** Until a program of this name is in front. */
  | { readonly front: string }
  /** Until the output holds this text. */
  | { readonly shows: string }
  /** Until a file of the home directory, named by its ending behind `$O`, holds this text. */
  | { readonly file: string; readonly holds: string }
  /** Until the shell is at its prompt again, and reads. */
  | { readonly prompt: true }
  /** What the line has shown, and what came before it behind the last one, joins the result. */
  | { readonly shown: true }
  /** Until the shell has ended. */
  | { readonly ended: true };

export type Row = {
  readonly name: string;
  /** By shell; one that has no such thing is left out. */
  readonly steps: Partial<Readonly<Record<ShellName, readonly Step[]>>>;
  /** What it must give, in a shell whose keyboard can't type it natively. */
  readonly expect?: Partial<Readonly<Record<ShellName, string>>>;
  /** A startup file of its own, behind the plain one. */
  readonly rc?: Partial<Readonly<Record<ShellName, string>>>;
  /** Files read for the result, by their ending behind `$O`; `~` begins a path in the home. Default: `$O` itself. */
  readonly files?: readonly string[] | Partial<Readonly<Record<ShellName, readonly string[]>>>;
  /** Makes two runs comparable: process numbers, directories. */
  readonly clean?: (text: string) => string;
  /** Programs and files that the machine may do without. */
  readonly needs?: readonly string[];
  /** Works on what startup files may hold, so that heavy ones would be in its way; or takes them minutes natively. */
  readonly plainOnly?: boolean;
  /** Part of `npm test`, not only of the whole table. */
  readonly short?: boolean;
};

/** Among what a row needs: to be somebody who may become somebody else. */
export const ROOT = 'root';

export const PROMPT: Step = { prompt: true };

export function same(...steps: readonly Step[]): Row['steps'] {
  return { bash: steps, zsh: steps, fish: steps };
}

/** bash and zsh, and fish in its own words. */
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

/** Ctrl-Z, what the shell lists, `fg`, and what it lists then. */
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
