/** Past `cost.stop_at_dollars` the user is asked before a call that costs money (CO-2). Prices are the services' business. */
import type { Effect } from './effect.ts';
import type { Of, SessionEvent } from './event.ts';
import type { Phase } from './phase.ts';
import type { State } from './state.ts';
import { callModel } from './steps.ts';
import { settle } from './stop.ts';
import type { Transition } from './transition.ts';

type Result = readonly [State, readonly Effect[]];
type Awaiting = Extract<Phase, { kind: 'awaitingSpend' }>;

/** The call that was about to be made has to wait for the user. */
export function askToSpend(next: Transition, { op, preset, spent, limit, allowance }: Of<'spendReached'>): void {
  const { phase } = next.conversation;
  // Aborted in the same moment: the call was never made, so nothing else will end it.
  if (phase.kind === 'stopping' && phase.op === op) return settle(next, phase.run, phase.open);
  if (phase.kind !== 'replying' || phase.op !== op) return;
  const question = next.ask({ kind: 'spend', preset, spent, limit, allowance });
  next.phase({ kind: 'awaitingSpend', question, run: phase.run, upTo: spent + allowance });
}

/** A yes lets the session cost one slice more; the call is made after all. */
export function letSpend(next: Transition, { question, run, upTo }: Awaiting): void {
  next.unask(question);
  next.state = { ...next.state, allowedDollars: Math.max(upTo, next.state.allowedDollars ?? 0) };
  callModel(next, run);
}

/** A yes holds for the session: it answers all other spend questions as well. */
export function forSpenders(
  [state, effects]: Result,
  event: Of<'answered'>,
  reduce: (state: State, event: SessionEvent) => Result,
): Result {
  let result: Result = [state, effects];
  for (const { kind, id: question, session } of state.questions) {
    if (kind !== 'spend') continue;
    const [next, more] = reduce(result[0], { ...event, question, session });
    result = [next, [...result[1], ...more]];
  }
  return result;
}
