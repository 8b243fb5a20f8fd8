/** What a model is told of its surroundings: once in the system message, and at each later change in a turn (CX-7). */
import { modeWords } from './mode.ts';
import { placeWords } from './place.ts';
import type { Conversation } from './state.ts';
import type { Transition } from './transition.ts';

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
