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
export function surroundingsBlock({ named, parent }: Pick<Conversation, 'named' | 'parent'>): string {
  if (!named) return '';
  const { mode, cwd, git, system, shell, date, alone } = named;
  const block = `\n\nAt the start (later changes are told as [aish]):
Mode: ${modeWords(mode, parent === undefined)}
Directory: ${placeWords(cwd, git)}
System: ${system}; the user's shell is ${shell}. Date: ${date}`;
  if (parent) return block;
  return `${block}\n${alone ? 'Nobody is there to answer: decide, and report what is left.' : 'The user is there and can answer.'}`;
}
