/** What the user sets by hand: the mode, the preset, a conversation begun anew. */
import type { Mode } from './ids.ts';
import { rememberSkipped, withoutWaiting } from './lanes.ts';
import { modeNotice, NO_SANDBOX, setMode } from './mode.ts';
import { answerUpgrade, examineNext } from './steps.ts';
import { undecided } from './stop.ts';
import type { Work } from './work.ts';

/** `:reset` (CX-3). */
export function resetTurns(work: Work): void {
  if (work.conversation.phase.kind !== 'idle') {
    return work.notice('warning', '[aish] not while a run is under way; Ctrl-X Ctrl-C ends it');
  }
  work.set({ turns: [], inbox: [], preplans: [], lastTasks: undefined, gone: 0 });
  work.notice('info', '[aish] the conversation starts anew');
}

/** The user's own choice of mode (MO-4). What was judged under the old mode is judged anew. */
export function chooseMode(work: Work, mode: Mode): void {
  const { phase, settings, parent } = work.conversation;
  if (!settings.sandbox) {
    if (mode === 'restricted') work.notice('error', NO_SANDBOX);
    return;
  }
  if (phase.kind === 'awaitingModeApproval') {
    work.unask(phase.question);
    return answerUpgrade(work, phase.run, phase.dispatch, mode === 'unrestricted');
  }
  // A sub-agent never leaves Restricted (MO-6).
  if (parent && mode === 'unrestricted') return;
  if (mode === work.conversation.mode) {
    if (!work.conversation.tightening) return;
    work.set({ tightening: false });
    return work.notice('info', modeNotice(mode));
  }
  if (mode === 'restricted' && (phase.kind === 'acting' || phase.kind === 'stoppingActions')) {
    work.set({ tightening: true });
    // What waits was judged under the old mode and is judged anew.
    if (phase.kind === 'acting') work.phase({ ...phase, ...withoutWaiting(phase) });
    return work.notice('info', '[aish] Restricted takes effect when the running action ends');
  }
  setMode(work, mode);
  if (phase.kind !== 'judging' && phase.kind !== 'halted') return;
  work.unask();
  const { run, held } = phase;
  const { lanes, ...rest } = undecided(phase);
  const dispatch = rememberSkipped(rest.dispatch, lanes);
  const before = phase.kind === 'judging' ? phase.consent : 'asked';
  examineNext(work, run, dispatch, held.length > 0 && before === 'edited' ? 'policy' : before);
}

/** `:model NAME` (BR-3). */
export function choosePreset(work: Work, preset: string): void {
  work.set({ preset });
  const later = work.conversation.phase.kind === 'idle' ? '' : ' (for later runs)';
  work.notice('info', `[aish] model: ${preset}${later}`);
}
