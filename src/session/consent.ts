/** Whether an action asks first: the mode and the kind of its effect decide, never the surface it came from (AC-6). */
import type { Action, Examination, Judgement } from './action.ts';
import { isAllowed, isGranted, isRead, readsFreely } from './grants.ts';
import type { Mode } from './ids.ts';
import { leaveWord } from './leaving.ts';
import type { HaltReason } from './question.ts';
import type { Run } from './run.ts';
import { decidesAs } from './state.ts';
import type { Transition } from './transition.ts';

/**
 * The kind of an action's effect. `reads`: changes nothing. `kept`: `:undo` can put it back. `other`: neither is known.
 * `subAgent`: a task whose own actions are judged one by one. `server`: a tool of an MCP server, which runs outside
 * every mode. `credential`: may show a key to a model elsewhere. `leaves`: sends something to another machine.
 * `loses`: the gate found something destructive.
 */
export type EffectKind = 'reads' | 'kept' | 'other' | 'subAgent' | 'server' | 'credential' | 'leaves' | 'loses';

/**
 * `run`: without a question. `confirm`: a tool call after a yes, unless the user has allowed the tool; a command as
 * `confirm_cmd` says in a chat, and without a question in a run. `ask`: after a yes, unless the user has allowed the
 * tool. `once`: after a yes, once for each receiver in a run, in a chat in the session. `halt`: the HALT dialog.
 */
export type Consent = 'run' | 'confirm' | 'ask' | 'once' | 'halt';

/** The same in every mode. */
const EVERYWHERE = { subAgent: 'confirm', server: 'ask', credential: 'ask', loses: 'halt' } as const;

/** In Restricted the kernel refuses writes, and a refusal leads to one question about the mode. */
export const CONSENT: Readonly<Record<Mode, Readonly<Record<EffectKind, Consent>>>> = {
  restricted: { reads: 'run', kept: 'run', other: 'run', leaves: 'run', ...EVERYWHERE },
  project: { reads: 'run', kept: 'run', other: 'confirm', leaves: 'once', ...EVERYWHERE },
  unrestricted: { reads: 'confirm', kept: 'confirm', other: 'confirm', leaves: 'once', ...EVERYWHERE },
};

type Judged = Extract<Examination, { kind: 'judged' }>;
type Within = Pick<Transition, 'state' | 'conversation'>;

/** The kind of what an action would do in `mode`, by its judgement. */
export function effectOf(action: Action, judgement: Judgement, mode: Mode): EffectKind {
  if (judgement.destructive) return 'loses';
  if (judgement.leaves) return 'leaves';
  if (judgement.credential) return 'credential';
  if (action.kind === 'delegate') return 'subAgent';
  if (action.kind === 'tool' && action.name.includes('__')) return 'server';
  if (judgement.readOnly || isRead(judgement, mode)) return 'reads';
  return judgement.kept || judgement.recoverable ? 'kept' : 'other';
}

/** Why the user is asked before an action that nobody has consented to runs; undefined where it runs without. */
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
 * The same of what leaves the machine: where nothing can, or the user has said yes, what the action does beside sending
 * is asked about as ever.
 */
function consentToSend(within: Within, run: Run, action: Action, examined: Judged): HaltReason | undefined {
  const { leaves = [], ...judgement } = examined.judgement;
  return CONSENT[within.conversation.mode].leaves === 'run' || leaveWord(within.state, leaves) === true
    ? consentFor(within, run, action, { ...examined, judgement })
    : 'consent';
}

/**
 * The same for journals of semantics 1 and 2, in which a chat asked in every mode. What is destructive has halted
 * before.
 */
function consentOfOlder(within: Within, run: Run, action: Action, { judgement, autoApproved, tool }: Judged) {
  const { settings } = within.conversation;
  if (judgement.credential && (run.kind === 'chat' || decidesAs(settings, 2))) return 'consent';
  if (action.kind !== 'tool' && run.kind !== 'chat') return undefined;
  if (readsFreely(within, judgement)) return undefined;
  if (action.callId === undefined) return settings.confirmCmd ? 'consent' : undefined;
  return autoApproved || isGranted(within, action, tool) ? undefined : 'consent';
}
