/**
 * Decides whether an action asks first. Only the mode and the kind of effect count, not where the action came from
 * (AC-6).
 */
import type { Action, Examination, Judgement } from './action.ts';
import { isAllowed, isGranted, isRead, readsFreely } from './grants.ts';
import type { Mode } from './ids.ts';
import { leaveAnswer } from './leaving.ts';
import type { HaltReason } from './question.ts';
import type { Run } from './run.ts';
import { decidesAs } from './state.ts';
import type { Transition } from './transition.ts';

/**
 * The kind of an action's effect.
 * `reads`: changes nothing. `kept`: `:undo` can reverse it. `other`: neither is known. `subAgent`: a task whose own
 * actions are judged one by one. `server`: a tool of an MCP server, which runs outside every sandbox. `credential`:
 * may show a key to a remote model. `leaves`: sends data to another machine. `loses`: the gate found something
 * destructive.
 */
export type EffectKind = 'reads' | 'kept' | 'other' | 'subAgent' | 'server' | 'credential' | 'leaves' | 'loses';

/**
 * How the user consents.
 * `run`: no question. `confirm`: a tool call asks unless the user has allowed the tool; a command follows
 * `confirm_cmd` in a chat, and asks nothing in a run. `ask`: asks unless the user has allowed the tool. `once`: asks
 * once for each receiver, per run or per chat session. `halt`: opens the HALT dialog.
 */
export type Consent = 'run' | 'confirm' | 'ask' | 'once' | 'halt';

/** Kinds that are the same in every mode. */
const EVERYWHERE = { subAgent: 'confirm', server: 'ask', credential: 'ask', loses: 'halt' } as const;

/** In Restricted the kernel refuses writes; after a refusal aish-tui asks once about the mode. */
export const CONSENT: Readonly<Record<Mode, Readonly<Record<EffectKind, Consent>>>> = {
  restricted: { reads: 'run', kept: 'run', other: 'run', leaves: 'run', ...EVERYWHERE },
  project: { reads: 'run', kept: 'run', other: 'confirm', leaves: 'once', ...EVERYWHERE },
  unrestricted: { reads: 'confirm', kept: 'confirm', other: 'confirm', leaves: 'once', ...EVERYWHERE },
};

type Judged = Extract<Examination, { kind: 'judged' }>;
type Within = Pick<Transition, 'state' | 'conversation'>;

/** Returns the kind of an action's effect in `mode`, from its judgement. */
export function effectOf(action: Action, judgement: Judgement, mode: Mode): EffectKind {
  if (judgement.destructive) return 'loses';
  if (judgement.leaves) return 'leaves';
  if (judgement.credential) return 'credential';
  if (action.kind === 'delegate') return 'subAgent';
  if (action.kind === 'tool' && action.name.includes('__')) return 'server';
  if (judgement.readOnly || isRead(judgement, mode)) return 'reads';
  return judgement.kept || judgement.recoverable ? 'kept' : 'other';
}

/** Returns why the user is asked before an action without consent; undefined if it runs without a question. */
export function consentFor(within: Within, run: Run, action: Action, examined: Judged): HaltReason | undefined {
  const { mode, settings } = within.conversation;
  if (!decidesAs(settings, 3)) return consentOfOlder(within, run, action, examined);
  const { judgement, autoApproved, tool } = examined;
  const effect = effectOf(action, judgement, mode);
  const rule = CONSENT[mode][effect];
  if (rule === 'halt') return 'destructive';
  if (effect === 'leaves') return consentToSend(within, run, action, examined);
  if (rule === 'ask') {
    const allowed = !judgement.credential && (autoApproved || isGranted(within, action, tool));
    return allowed ? undefined : 'consent';
  }
  const asksAll = run.kind === 'chat' && settings.confirmCmd === true;
  if (!asksAll && (rule === 'run' || (action.kind !== 'tool' && run.kind !== 'chat'))) return undefined;
  if (readsFreely(within, judgement) || isAllowed(within, judgement.parts)) return undefined;
  if (action.kind !== 'tool' && action.callId === undefined) return settings.confirmCmd ? 'consent' : undefined;
  return autoApproved || isGranted(within, action, tool) ? undefined : 'consent';
}

/**
 * The same for data that leaves the machine. If it can't leave, or the user has agreed, the action's other effects
 * decide.
 */
function consentToSend(within: Within, run: Run, action: Action, examined: Judged): HaltReason | undefined {
  const { leaves = [], ...judgement } = examined.judgement;
  return CONSENT[within.conversation.mode].leaves === 'run' || leaveAnswer(within.state, leaves) === true
    ? consentFor(within, run, action, { ...examined, judgement })
    : 'consent';
}

/**
 * Returns the same for journals of semantics 1 and 2, where a chat asked in every mode. Destructive actions have halted
 * before this.
 */
function consentOfOlder(within: Within, run: Run, action: Action, { judgement, autoApproved, tool }: Judged) {
  const { settings } = within.conversation;
  if (judgement.credential && (run.kind === 'chat' || decidesAs(settings, 2))) return 'consent';
  if (action.kind !== 'tool' && run.kind !== 'chat') return undefined;
  if (readsFreely(within, judgement)) return undefined;
  if (action.callId === undefined) return settings.confirmCmd ? 'consent' : undefined;
  return autoApproved || isGranted(within, action, tool) ? undefined : 'consent';
}
