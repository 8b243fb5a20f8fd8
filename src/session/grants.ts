/**
 * Consent that lasts for a session: for one tool as it was defined then, for what only reads, or for the program and
 * subcommand of a command (AC-7). Never for a destructive call (SF-10).
 */
import type { Action, AllowParts, Judgement, ToolFacts } from './action.ts';
import { isWider, type Mode, type QuestionId } from './ids.ts';
import type { Question } from './question.ts';
import { rootOf, type State } from './state.ts';
import type { Transition } from './transition.ts';

type Within = Pick<Transition, 'state' | 'conversation'>;

/** What `always` would allow: a tool, reading commands, or these rules. */
export type Grant = { readonly of: 'tool' | 'reads' } | { readonly of: 'rules'; readonly rules: readonly string[] };

/** Whether a question may be answered with `always`, and for what that would be. */
export function grantOf(question: Question): Grant | undefined {
  if (question.kind !== 'halt' || question.judgement.destructive) return undefined;
  const { action, judgement, mode, tool, why } = question;
  if (action.kind === 'tool') return tool === undefined ? undefined : { of: 'tool' };
  if (action.kind !== 'command') return undefined;
  if (isRead(judgement, mode)) return { of: 'reads' };
  const { parts, credential, leaves } = judgement;
  if (!parts || credential || leaves || why !== 'consent') return undefined;
  const rules = [...parts.acts, ...(mode === 'unrestricted' ? parts.reads : [])];
  return rules.length === 0 ? undefined : { of: 'rules', rules };
}

/** Remembers the user's consent to what a question asks about; false where it can't be given. */
export function grantAlways(next: Transition, id: QuestionId): boolean {
  const question = next.state.questions.find((one) => one.id === id);
  const grant = question && grantOf(question);
  if (question?.kind !== 'halt' || grant === undefined) return false;
  if (grant.of === 'rules') {
    allow(next, grant.rules);
    return true;
  }
  if (grant.of === 'reads') {
    next.state = { ...next.state, readsGranted: next.conversation.mode };
    next.notice('info', '[aish] commands that only read are not asked about again in this session');
    return true;
  }
  const { action, tool } = question;
  if (action.kind !== 'tool' || !tool) return false;
  next.state = { ...next.state, grants: { ...next.state.grants, [action.name]: tool.definition } };
  next.notice(
    'info',
    `[aish] ${action.name} is not asked about again in this session, as long as its definition stays the same`,
  );
  return true;
}

/** Adds allow rules to the session. */
export function allow(next: Transition, rules: readonly string[]): void {
  const { allowed = [] } = next.state;
  next.state = { ...next.state, allowed: [...new Set([...allowed, ...rules])] };
  next.notice('info', `[aish] not asked about again in this session: ${rules.join(', ')} (:allow lists them)`);
}

/** Takes back a rule of the session or of the configuration, or what was allowed under this name. */
export function disallow(next: Transition, rule: string): void {
  const { allowed = [], grants = {}, readsGranted, outside, ...others } = next.state;
  const state = outside && rule !== OUTSIDE ? { ...others, outside } : others;
  const { [rule]: _, ...tools } = grants;
  const reads = readsGranted === undefined || rule === READS ? {} : { readsGranted };
  next.state = { ...state, ...reads, grants: tools, allowed: allowed.filter((one) => one !== rule) };
  const { settings } = next.conversation;
  const { allow: kept } = settings;
  if (kept)
    next.set({ settings: { ...settings, allow: { ...kept, rules: kept.rules.filter((one) => one !== rule) } } });
  next.notice('info', `[aish] asked about again: ${rule}`);
}

/** The name of the consent to commands that only read. */
export const READS = 'reads';
/** The name of the consent to commands outside the light sandbox. */
export const OUTSIDE = 'outside';

/** All that is allowed in this session, by name: rules, kept rules, tools, reading commands. */
export function allowedIn(state: State) {
  const { allow: kept } = rootOf(state).settings;
  return {
    session: state.allowed ?? [],
    kept: kept?.rules ?? [],
    tools: Object.keys(state.grants ?? {}),
    reads: state.readsGranted !== undefined,
    outside: state.outside === true,
    leaving: state.leaving ?? [],
  };
}

/** Whether rules allow every part of a command that does not run by itself; reading does, outside Unrestricted. */
export function isAllowed({ state, conversation: { cwd, mode } }: Within, parts: AllowParts | undefined): boolean {
  if (!parts) return false;
  const { allow: kept } = rootOf(state).settings;
  const isInside = kept && (cwd === kept.tree || cwd.startsWith(`${kept.tree.replace(/\/$/, '')}/`));
  const rules = new Set([...(state.allowed ?? []), ...(isInside ? kept.rules : [])]);
  const reads = mode === 'unrestricted' && state.readsGranted !== mode ? parts.reads : [];
  return [...parts.acts, ...reads].every((part) => rules.has(part));
}

/** Whether a command only reads, in this mode. */
export function isRead({ looks }: Judgement, mode: Mode): boolean {
  return looks === true || (looks === 'held' && mode !== 'unrestricted');
}

/** A command that only reads needs no consent: the user has given it, or the kernel lets it do nothing else (AC-3). */
export function readsFreely({ state, conversation: { settings, mode } }: Within, judgement: Judgement): boolean {
  if (!isRead(judgement, mode)) return false;
  const { readsGranted: given } = state;
  // What was said where the kernel bounds it says nothing of a mode where it doesn't.
  if (given !== undefined && !isWider(mode, given)) return true;
  return settings.confirmCmd === 'acts' && mode !== 'unrestricted';
}

/** Whether the user has consented to this tool, defined just so. */
export function isGranted(within: Pick<Transition, 'state'>, action: Action, tool: ToolFacts | undefined): boolean {
  return action.kind === 'tool' && tool !== undefined && grantFor(within, action.name) === tool.definition;
}

/** The tool's facts, marked where the user had consented to another definition. */
export function withChange(next: Transition, action: Action, tool: ToolFacts): ToolFacts {
  const granted = action.kind === 'tool' ? grantFor(next, action.name) : undefined;
  return granted === undefined || granted === tool.definition ? tool : { ...tool, changed: true };
}

function grantFor({ state: { grants = {} } }: Pick<Transition, 'state'>, name: string): string | undefined {
  return Object.hasOwn(grants, name) ? grants[name] : undefined;
}
