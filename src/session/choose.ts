/** What the user sets by hand: the mode, the preset, a new conversation. */
import type { Mode } from './ids.ts';
import { modeNotice, NO_SANDBOX, setMode } from './mode.ts';
import { dropPending, rememberSkipped } from './slots.ts';
import { answerUpgrade, examineNext } from './steps.ts';
import { openSlots } from './stop.ts';
import type { Transition } from './transition.ts';

/** `:reset` (CX-3). */
export function resetTurns(next: Transition): void {
  if (next.conversation.phase.kind !== 'idle') {
    return next.notice('warning', '[aish] not during a run; Ctrl-X Ctrl-C ends it');
  }
  next.set({ turns: [], inbox: [], preplans: [], lastTasks: undefined, evictedTurns: 0 });
  next.notice('info', '[aish] a new conversation starts');
}

/** The user's own choice of mode (MO-4). What was judged under the old mode is judged again. */
export function chooseMode(next: Transition, mode: Mode): void {
  const { phase, settings, parent } = next.conversation;
  if (!settings.sandbox) {
    if (mode === 'restricted') next.notice('error', NO_SANDBOX);
    return;
  }
  if (phase.kind === 'awaitingModeApproval') {
    next.unask(phase.question);
    return answerUpgrade(next, phase.run, phase.dispatch, mode === 'unrestricted');
  }
  // A sub-agent never leaves Restricted (MO-6).
  if (parent && mode === 'unrestricted') return;
  if (mode === next.conversation.mode) {
    if (!next.conversation.tightening) return;
    next.set({ tightening: false });
    return next.notice('info', modeNotice(mode));
  }
  if (mode === 'restricted' && (phase.kind === 'acting' || phase.kind === 'stoppingActions')) {
    next.set({ tightening: true });
    // Pending actions were judged under the old mode and are judged again.
    if (phase.kind === 'acting') next.phase({ ...phase, ...dropPending(phase) });
    return next.notice('info', '[aish] Restricted takes effect when the running action ends');
  }
  setMode(next, mode);
  if (phase.kind !== 'judging' && phase.kind !== 'halted') return;
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
