/**
 * Consent that lasts for a session: for a tool with its current definition, for commands that only read, or for a
 * program with its subcommand (AC-7). Never for a destructive call (SF-10).
 */
import type { Action, AllowParts, Judgement, ToolFacts } from './action.ts';
import { isWider, type Mode, type QuestionId } from './ids.ts';
import type { Question } from './question.ts';
import { rootOf, type State } from './state.ts';
import type { Transition } from './transition.ts';

type Within = Pick<Transition, 'state' | 'conversation'>;

/** The permission that `always` would give: for a tool, for reading commands, or by these rules. */
export type Grant =
  | { readonly of: 'tool' | 'reads' | 'agents' }
  | { readonly of: 'rules'; readonly rules: readonly string[] };

/** Returns the consent that the answer `always` would give; undefined if the question does not offer that answer. */
export function grantOf(question: Question): Grant | undefined {
  if (question.kind !== 'halt' || question.judgement.destructive) return undefined;
  const { action, judgement, mode, tool, why } = question;
  if (action.kind === 'tool') return tool === undefined ? undefined : { of: 'tool' };
  if (action.kind === 'delegate') return why === 'consent' ? { of: 'agents' } : undefined;
  if (action.kind !== 'command') return undefined;
  if (isRead(judgement, mode)) return { of: 'reads' };
  const { parts, credential, leaves } = judgement;
  if (!parts || credential || leaves || why !== 'consent') return undefined;
  const rules = [...parts.acts, ...(mode === 'unrestricted' ? parts.reads : [])];
  return rules.length === 0 ? undefined : { of: 'rules', rules };
}

/** Stores the user's lasting consent; returns false if the question does not allow one. */
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
  if (grant.of === 'agents') {
    next.state = { ...next.state, grants: { ...next.state.grants, [AGENTS]: '' } };
    next.notice('info', '[aish] sub-agents are not asked about again in this session; their own actions are');
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

/** Removes a rule of the session or the configuration, or a consent by its name. */
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

/** The name of the consent to read-only commands. */
export const READS = 'reads';
/** The name of the consent to start sub-agents, which is that of their built-in tool. */
const AGENTS = 'delegate';
/** The name of the consent to run outside the light sandbox. */
export const OUTSIDE = 'outside';

/** Lists everything that is allowed in this session by name. */
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

/**
 * Returns whether rules allow every part of a command that needs consent; outside Unrestricted, reading parts need
 * none.
 */
export function isAllowed({ state, conversation: { cwd, mode } }: Within, parts: AllowParts | undefined): boolean {
  if (!parts) return false;
  const { allow: kept } = rootOf(state).settings;
  const isInside = kept && (cwd === kept.tree || cwd.startsWith(`${kept.tree.replace(/\/$/, '')}/`));
  const rules = new Set([...(state.allowed ?? []), ...(isInside ? kept.rules : [])]);
  const reads = mode === 'unrestricted' && state.readsGranted !== mode ? parts.reads : [];
  return [...parts.acts, ...reads].every((part) => rules.has(part));
}

/** Returns whether a command only reads in this mode. */
export function isRead({ looks }: Judgement, mode: Mode): boolean {
  return looks === true || (looks === 'held' && mode !== 'unrestricted');
}

/**
 * Returns whether a read-only command needs no consent: the user has given it, or the kernel prevents anything else
 * (AC-3).
 */
export function readsFreely({ state, conversation: { settings, mode } }: Within, judgement: Judgement): boolean {
  if (!isRead(judgement, mode)) return false;
  const { readsGranted: given } = state;
  // A consent given in a sandboxed mode does not apply in a wider mode.
  if (given !== undefined && !isWider(mode, given)) return true;
  return settings.confirmCmd === 'acts' && mode !== 'unrestricted';
}

/** Returns whether the user has consented to this tool with this definition. */
export function isGranted(within: Pick<Transition, 'state'>, action: Action, tool: ToolFacts | undefined): boolean {
  if (action.kind === 'delegate') return grantFor(within, AGENTS) !== undefined;
  return action.kind === 'tool' && tool !== undefined && grantFor(within, action.name) === tool.definition;
}

/** Returns the tool's facts, marked if the user consented to a different definition. */
export function withChange(next: Transition, action: Action, tool: ToolFacts): ToolFacts {
  const granted = action.kind === 'tool' ? grantFor(next, action.name) : undefined;
  return granted === undefined || granted === tool.definition ? tool : { ...tool, changed: true };
}

function grantFor({ state: { grants = {} } }: Pick<Transition, 'state'>, name: string): string | undefined {
  return Object.hasOwn(grants, name) ? grants[name] : undefined;
}
