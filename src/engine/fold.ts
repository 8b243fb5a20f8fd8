/** The fold of a journal: state and transcript as they were, nothing carried out (RE-3). */
import type { SessionEvent } from '../session/event.ts';
import type { SessionId } from '../session/ids.ts';
import { reduce } from '../session/reduce.ts';
import { emptyState, type State } from '../session/state.ts';
import type { OwnedTurns } from '../session/transition.ts';
import { Transcript } from './transcript.ts';

/** Events between two looks at the keys: some milliseconds of work. */
const EVENTS_PER_TURN = 500;

export type Folded = { readonly state: State; readonly transcript: Transcript };

/** What a session is before its first event. */
export function nothingFolded(root: SessionId): Folded {
  return { state: emptyState(root), transcript: new Transcript() };
}

/** All at once. */
export function foldEvents(events: Iterable<SessionEvent>, root: SessionId): Folded {
  const fold = folding(events, root);
  for (;;) {
    const step = fold.next();
    if (step.done) return step.value;
  }
}

/** @param turn lets keys through between two pieces of work */
export async function foldInPieces(
  events: Iterable<SessionEvent>,
  root: SessionId,
  turn: () => Promise<void>,
): Promise<Folded> {
  const fold = folding(events, root);
  for (;;) {
    const step = fold.next();
    if (step.done) return step.value;
    await turn();
  }
}

/** Pauses between pieces of work. */
function* folding(events: Iterable<SessionEvent>, root: SessionId): Generator<undefined, Folded> {
  const owned: OwnedTurns = new Map();
  const transcript = new Transcript();
  let state = emptyState(root);
  let left = EVENTS_PER_TURN;
  for (const event of events) {
    const [next, effects] = reduce(state, event, owned);
    state = next;
    for (const effect of effects) transcript.apply(effect);
    left -= 1;
    if (left > 0) continue;
    left = EVENTS_PER_TURN;
    yield;
  }
  return { state, transcript };
}
