/** What a model is told of its surroundings: once in the system message, and at each later change in a turn (CX-7). */
import type { Mode } from './ids.ts';
import { modeWords } from './mode.ts';
import { placeWords } from './place.ts';
import type { Conversation } from './state.ts';
import type { Transition } from './transition.ts';

/** Facts that stay the same until the session is resumed. Clean text. */
export type Surroundings = {
  /** The operating system, as `Debian GNU/Linux 13, Linux 6.12 x64`. */
  readonly system: string;
  /** The name of the user's shell. */
  readonly shell: string;
  readonly date: string;
};

/** What the system message of a conversation says. It stays, so that the server's prompt cache holds. */
export type Named = Surroundings & {
  readonly mode: Mode;
  readonly cwd: string;
  readonly git?: string;
  readonly alone?: true;
};

/** Fixes what the system message says, with the first request after a start, a resume or a reset. */
export function nameSurroundings(next: Transition): void {
  const { settings, named, mode, cwd, git } = next.conversation;
  if (!settings.surroundings || named) return;
  next.set({
    named: {
      ...settings.surroundings,
      mode,
      cwd,
      ...(git === undefined ? {} : { git }),
      ...(settings.alone ? { alone: true } : {}),
    },
  });
}

/** The block behind the system prompt; empty for journals that know no surroundings. */
export function surroundingsBlock({ named }: Pick<Conversation, 'named'>): string {
  if (!named) return '';
  const { mode, cwd, git, system, shell, date, alone } = named;
  return `\n\nAt the start (later changes are told as [aish]):
Mode: ${modeWords(mode)}
Directory: ${placeWords(cwd, git)}
System: ${system}; the user's shell is ${shell}. Date: ${date}
${alone ? 'Nobody is there to answer: decide, and report what is left.' : 'The user is there and can answer.'}`;
}
