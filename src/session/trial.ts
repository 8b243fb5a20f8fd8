/** Trying a halted command before the user decides (HA-10, EF-4): how a trial begins, comes back, and ends. */
import type { Of } from './event.ts';
import type { Decided, Phase } from './phase.ts';
import type { Question } from './question.ts';
import { settle } from './stop.ts';
import type { Transition } from './transition.ts';

type Halted = Extract<Phase, { kind: 'halted' }>;
type HaltQuestion = Extract<Question, { kind: 'halt' }>;

/** The user wants to see what it would do: it runs where nothing of it stays. */
export function beginTrial(next: Transition, phase: Halted, question: HaltQuestion): void {
  const { run, dispatch, judgement, judgedAs, decided } = phase;
  const action = dispatch.actions[dispatch.index];
  if (!action || question.canTry !== true) return;
  next.unask(question.id);
  const op = next.id('op');
  const { id: session, cwd, mode } = next.conversation;
  const { id: _, session: __, asker: ___, trial: ____, ...asked } = question;
  next.phase({ kind: 'trying', op, run, dispatch, judgement, judgedAs, decided, asked });
  next.effect({ kind: 'try', session, op, judgedAs, action, cwd, mode });
}

/** The trial is over: the same HALT again, with what it would change. After an abort it is thrown away. */
export function takeTrial(next: Transition, { op, trial, result }: Of<'tried'>): void {
  const { phase } = next.conversation;
  if ((phase.kind !== 'trying' && phase.kind !== 'stopping') || phase.op !== op) return;
  if (trial.kind === 'changes') next.set({ trial: trial.id });
  if (phase.kind === 'stopping') return phase.open ? settle(next, phase.run, phase.open) : undefined;
  const { run, dispatch, judgement, judgedAs, decided, asked } = phase;
  const question = next.ask({ ...asked, trial });
  next.phase({ kind: 'halted', question, run, dispatch, judgement, judgedAs, decided, tried: { trial, result } });
}

/** A trial that no question and no apply holds any more is thrown away, whatever led there. */
export function dropTrial(next: Transition): void {
  const { trial, phase, id: session } = next.conversation;
  if (trial === undefined || (next.report === undefined && holds(phase, trial))) return;
  next.set({ trial: undefined });
  next.effect({ kind: 'discardTrial', session, trial });
}

function holds(phase: Phase, id: string): boolean {
  if (phase.kind === 'halted' && phase.tried?.trial.kind === 'changes' && phase.tried.trial.id === id) return true;
  const decided: readonly Decided[] = 'decided' in phase ? phase.decided : [];
  const slots = 'slots' in phase ? phase.slots : decided;
  return slots.some((slot) => 'trial' in slot && slot.trial?.id === id);
}
