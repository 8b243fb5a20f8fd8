/** A brake on loops: an identical call with an identical result is refused the third time in a row. */
import { type Action, describeAction } from './action.ts';
import { decidesAs } from './state.ts';
import type { Transition } from './transition.ts';

const MOST = 2;
/** Commands that a model repeats on purpose, to see whether something has ended. */
const WAITS = /\b(?:sleep|wait|watch|timeout|inotifywait|tail -[fF])\b/;

const REPEATED =
  '[aish] not run: you have run this twice with the same result. Do something else, or say what is in the way.';

function callOf(action: Action): string {
  return `${action.kind}:${describeAction(action)}`;
}

function mayRepeat(action: Action): boolean {
  if (action.kind === 'command') return action.job || WAITS.test(action.command);
  return action.kind === 'tool' && (action.name === 'jobs' || /wait|poll|sleep/i.test(action.name));
}

/** Counts a call together with the result that the model got. */
export function noteResult(next: Transition, action: Action, result: string): void {
  if (!decidesAs(next.conversation.settings, 3)) return;
  const { repeats } = next.conversation;
  const call = callOf(action);
  const same = repeats?.call === call && repeats.result === result;
  next.set({ repeats: { call, result, count: same ? repeats.count + 1 : 1 } });
}

/** Why the action is refused: it would be the third identical attempt in a row. The attempt counts too. */
export function braked(next: Transition, action: Action): string | undefined {
  const { repeats } = next.conversation;
  if (!repeats || repeats.count < MOST || repeats.call !== callOf(action) || mayRepeat(action)) return undefined;
  next.set({ repeats: { ...repeats, count: repeats.count + 1 } });
  return REPEATED;
}

/** Returns whether the model repeats a refused call with no user to notice. */
export function isLooping({ conversation: { settings, repeats } }: Transition): boolean {
  return settings.alone === true && (repeats?.count ?? 0) > MOST + 1;
}
