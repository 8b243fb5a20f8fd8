/** What the user sets by hand: the mode, the preset, a new conversation. */
import { isWider, type Mode } from './ids.ts';
import { modeMeaning, modeName, setMode, whyNotEnforced } from './mode.ts';
import { noteOffer } from './offer.ts';
import { dropPending, openSlots, rememberSkipped } from './slots.ts';
import { decidesAs } from './state.ts';
import { answerUpgrade, examineNext } from './steps.ts';
import type { Transition } from './transition.ts';

/** `:reset` (CX-3). */
export function resetTurns(next: Transition): void {
  if (next.conversation.phase.kind !== 'idle') {
    return next.notice('warning', '[aish] not during a run; Ctrl-X Ctrl-C ends it');
  }
  next.set({
    turns: [],
    inbox: [],
    preplans: [],
    lastTasks: undefined,
    evictedTurns: 0,
    summary: undefined,
    named: undefined,
    toldCwd: undefined,
  });
  next.notice('info', '[aish] a new conversation starts');
}

/** `:compact`: a summary takes the place of all turns (CX-8). */
export function compact(next: Transition): void {
  const { id: session, phase, preset, turns, evictedTurns = 0 } = next.conversation;
  if (phase.kind !== 'idle') return next.notice('warning', '[aish] not during a run; Ctrl-X Ctrl-C ends it');
  if (turns.length - evictedTurns < 2) return next.notice('info', '[aish] there is nothing to summarise');
  const op = next.id('op');
  next.phase({ kind: 'replying', op, run: { kind: 'chat', preset, round: 1 }, compacts: true });
  next.effect({ kind: 'compact', session, op, preset });
}

/** The user's own choice of mode (MO-4). What was judged under the old mode is judged again. */
export function chooseMode(next: Transition, mode: Mode): void {
  const { phase, settings, parent, tightening, mode: now } = next.conversation;
  const why = whyNotEnforced(mode, settings);
  if (why !== undefined) return next.notice('error', why);
  if (phase.kind === 'awaitingModeApproval') {
    next.unask(phase.question);
    if (!isWider(mode, now)) setMode(next, mode);
    // What the user chooses so is for longer than one action.
    const { once: _, ...asked } = phase;
    return answerUpgrade(next, asked, isWider(mode, now) ? mode : undefined);
  }
  // A sub-agent never widens (MO-6).
  if (parent && isWider(mode, tightening ?? now)) return;
  if (mode === now) {
    if (tightening === undefined) return;
    next.set({ tightening: undefined });
    return next.notice('info', modeMeaning(mode));
  }
  if (isWider(now, mode) && (phase.kind === 'acting' || phase.kind === 'stoppingActions')) {
    next.set({ tightening: mode });
    // Pending actions were judged under the old mode and are judged again.
    if (phase.kind === 'acting') next.phase({ ...phase, ...dropPending(phase) });
    return next.notice('info', `[aish] ${modeName(mode)} takes effect when the running action ends`);
  }
  setMode(next, mode);
  // Who has just tightened the mode is not asked to widen it.
  if (isWider(now, mode) && decidesAs(next.conversation.settings, 3)) noteOffer(next);
  judgeAgain(next);
}

function judgeAgain(next: Transition): void {
  const { phase, id } = next.conversation;
  if (phase.kind !== 'judging' && phase.kind !== 'halted' && phase.kind !== 'trying') return;
  if (phase.kind === 'trying') next.effect({ kind: 'cancel', session: id, op: phase.op });
  next.unask();
  const { run, decided } = phase;
  const { slots, ...rest } = openSlots(phase);
  const dispatch = rememberSkipped(rest.dispatch, slots);
  const before = phase.kind === 'judging' ? phase.consent : 'asked';
  examineNext(next, run, dispatch, decided.length > 0 && before === 'edited' ? 'policy' : before);
}

/** `:model NAME` (BR-3). */
export function choosePreset(next: Transition, preset: string): void {
  next.set({ preset });
  const later = next.conversation.phase.kind === 'idle' ? '' : ' (for later runs)';
  next.notice('info', `[aish] model: ${preset}${later}`);
}
