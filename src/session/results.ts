/**
 * Shows actions to the user and reports them to the model: at the start, at the end, and in the order of the results.
 */
import { type Action, type AllowedBy, describeAction } from './action.ts';
import { noteResult } from './brake.ts';
import { fileOf, formatForModel, outputLimit } from './exec-text.ts';
import type { OpId } from './ids.ts';
import { modeName } from './mode.ts';
import type { Outcome } from './phase.ts';
import { decidesAs } from './state.ts';
import type { Transition } from './transition.ts';

/** When the user allowed it, or why no question was needed. */
type Allowance = { readonly approvedAt?: number; readonly allowedBy?: AllowedBy };

function allowanceOf({ approvedAt, allowedBy }: Allowance): Allowance {
  return { ...(approvedAt === undefined ? {} : { approvedAt }), ...(allowedBy ? { allowedBy } : {}) };
}

function labelOf({ label }: { readonly label?: string }) {
  return label === undefined ? {} : { label };
}

export function showStarted(next: Transition, op: OpId, action: Action, allowed: Allowance): void {
  const approval = allowanceOf(allowed);
  switch (action.kind) {
    case 'command': {
      const { command } = action;
      return next.show(
        {
          kind: 'exec',
          op,
          by: 'model',
          command,
          ...labelOf(action),
          cwd: next.conversation.cwd,
          private: false,
          ...approval,
        },
        op,
      );
    }
    case 'delegate':
      return next.show({ kind: 'delegate', op, task: action.task, ...approval }, op);
    case 'tool':
      return next.show({ kind: 'tool', op, name: action.name, arguments: action.arguments, ...approval }, op);
  }
}

/** The transcript row shows this already. */
const NOT_APPLIED = /^not applied[:,] /;

/** Shows the outcome as soon as it is known. */
export function showOutcome(
  next: Transition,
  op: OpId,
  action: Action,
  outcome: Outcome,
  allowed: Allowance = {},
): void {
  const approval = allowanceOf(allowed);
  if (outcome.kind === 'report') {
    const { text, failed, steps } = outcome;
    if (action.kind === 'delegate') {
      next.show({ kind: 'delegate', op, task: action.task, result: { text, failed, steps }, ...approval }, op);
    }
    return;
  }
  if (outcome.kind === 'tool') {
    const { text, failed } = outcome;
    if (action.kind === 'tool') {
      next.show(
        { kind: 'tool', op, name: action.name, arguments: action.arguments, result: { text, failed }, ...approval },
        op,
      );
    }
    return;
  }
  if (action.kind !== 'command') return;
  if (outcome.kind === 'applied') {
    const { ok, text } = outcome;
    // How the trial ended does not matter: none of its changes were applied.
    if (!ok) return next.show({ kind: 'refused', action, how: 'unapplied', reason: text.replace(NOT_APPLIED, '') }, op);
    next.notice('info', `[aish] ${text}`);
  }
  const { cwd } = next.conversation;
  const job = outcome.kind === 'job' ? { job: outcome.job } : {};
  const { command } = action;
  if (outcome.kind === 'job') next.set({ jobs: [...(next.conversation.jobs ?? []), { job: outcome.job, command }] });
  next.show(
    {
      ...{ kind: 'exec', op, by: 'model', command, ...labelOf(action), cwd, private: false },
      ...{ result: outcome.result, ...job, ...approval },
    },
    op,
  );
}

/** Tells the model the outcome, as the call's only result (AC-4). */
export function tellOutcome(next: Transition, action: Action, approved: boolean, outcome: Outcome): void {
  const file = action.kind === 'command' && 'result' in outcome ? fileOf(outcome.result) : {};
  const head = outcome.kind !== 'applied' && approved ? '[aish] action approved\n' : '';
  const words = wordsOf(next, action, outcome);
  if ('result' in outcome) next.set({ toldCwd: outcome.result.cwd });
  next.answer(action, head + words + refusalOf(next, outcome), file);
  // Ignore the file's name, which is different for each result.
  noteResult(next, action, file.file === undefined ? words : words.replaceAll(file.file, ''));
}

/** Explains which limit of the mode a command hit, because the kernel's error does not. */
function refusalOf({ conversation: { mode, settings } }: Transition, outcome: Outcome): string {
  if (outcome.kind !== 'command' || !outcome.refused || !decidesAs(settings, 3)) return '';
  if (outcome.refused === 'sandbox')
    return '\n[Unrestricted mode: its light sandbox refuses sudo, mounts, other terminals and signals to other processes]';
  return `\n[${modeName(mode)} mode: ${outcome.refused === 'write' ? 'writing there' : 'this network access'} is blocked]`;
}

function wordsOf(next: Transition, action: Action, outcome: Outcome): string {
  const { settings, budget, named, toldCwd = named?.cwd } = next.conversation;
  const short = decidesAs(settings, 3);
  const limit = short ? outputLimit(budget?.window) : undefined;
  // The model just wrote the command, so its result need not repeat it. A second result of the call is a separate
  // turn.
  const known = short && named ? toldCwd : undefined;
  const answers = action.callId !== undefined && !next.isAnswered(action.callId);
  const heading = (text: string) => (short && answers ? undefined : text);
  switch (outcome.kind) {
    case 'tool':
      return outcome.text;
    case 'applied': {
      const how = outcome.ok ? ', then applied by user' : `, but it could not be applied: ${outcome.text}`;
      return `[aish] action tried${how}\n${formatForModel(outcome.result, heading(describeAction(action)), limit, known)}`;
    }
    case 'report':
      // A line marker has no call id, so the report names the action.
      return action.callId === undefined ? `$ ${describeAction(action)}\n${outcome.text}` : outcome.text;
    case 'command':
    case 'job': {
      const { result } = outcome;
      // A call that failed to start is reported like a command; every call needs a result.
      if (action.kind === 'tool') return formatForModel(result, heading(action.name), limit, known);
      if (action.kind === 'delegate') return formatForModel(result, heading('delegate'), limit, known);
      const { command, editedFrom } = action;
      if (editedFrom === undefined) return formatForModel(result, heading(command), limit, known);
      return `[aish] the user changed the command from: ${editedFrom}\n${formatForModel(result, command, limit, known)}`;
    }
  }
}
