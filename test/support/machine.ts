/** Drives the pure machine by hand: applies events, keeps effects, and plays the services. */
import type { Examination, Judgement } from '../../src/session/action.ts';
import { subAgents } from '../../src/session/delegate.ts';
import type { Effect } from '../../src/session/effect.ts';
import type { EventBody, SessionEvent } from '../../src/session/event.ts';
import type { Mode } from '../../src/session/ids.ts';
import type { Reply, ToolCall } from '../../src/session/message.ts';
import type { Outcome } from '../../src/session/phase.ts';
import type { Trial } from '../../src/session/question.ts';
import { reduce } from '../../src/session/reduce.ts';
import { type Conversation, emptyState, rootOf, type Settings, type State } from '../../src/session/state.ts';
import type { OwnedTurns } from '../../src/session/transition.ts';

export const settings: Settings = {
  preset: 'fast',
  maxTurns: 40,
  maxToolRounds: 16,
  maxNorrisSteps: 4,
  confirmCmd: true,
  sandbox: false,
};

export const harmless: Judgement = { destructive: false, reason: 'only reads', source: 'static' };
export const readOnly: Judgement = { ...harmless, readOnly: true };
export const deadly: Judgement = { destructive: true, reason: 'rm -rf', source: 'static', rule: 'rm -rf' };

export function judged(judgement: Judgement, autoApproved = false): Examination {
  return { kind: 'judged', judgement, autoApproved };
}

export function reply(text: string, toolCalls: readonly ToolCall[] = [], extra: Partial<Reply> = {}): Reply {
  const finish = toolCalls.length > 0 ? 'tools' : 'stop';
  return { text, reasoning: '', toolCalls, preset: 'fast', finish, notices: [], wholeCommands: true, ...extra };
}

export function bash(id: string, command: string): ToolCall {
  return { id, name: 'bash', arguments: JSON.stringify({ command }) };
}

export function delegate(id: string, task: string): ToolCall {
  return { id, name: 'delegate', arguments: JSON.stringify({ task }) };
}

/** Returns the result of a command that has ended. */
export function printed(output: string, exit = 0, cwd = '/work'): Outcome {
  const bytes = output.length;
  return { kind: 'command', result: { exit, cwd, head: output, tail: '', omittedLines: 0, bytes, milliseconds: 5 } };
}

/** The result of a trial, or that it could not tell. */
export function triedAs(id: string, tells = true): Trial {
  if (!tells) return { kind: 'cannotTell', why: 'a mount point lies below' };
  const counts = { deleted: 1, changed: 0, created: 0 };
  const row = { path: '/work/x', kind: 'deleted', type: 'file', bytes: 5 } as const;
  const rest = { more: 0, deletedBytes: 5, writtenBytes: 0, doubts: [], moves: [], diff: '-x' };
  return { kind: 'changes', id, exit: 0, counts, rows: [row], digest: `digest of ${id}`, ...rest };
}

/** The result of a trial whose command changes nothing. */
export function triedToNothing(id: string): Trial {
  const counts = { deleted: 0, changed: 0, created: 0 };
  return { ...triedAs(id), counts, rows: [], deletedBytes: 0, diff: '' } as Trial;
}

/** Returns the outstanding operations of a session, in the order of the reply. */
export function opsOf(state: State, session: string): readonly string[] {
  const phase = state.sessions[session]?.phase;
  if (!phase) return [];
  if ('op' in phase) return [phase.op];
  return 'slots' in phase ? phase.slots.flatMap((slot) => (slot.kind === 'running' ? [slot.op] : [])) : [];
}

export class Machine {
  state: State = emptyState('main');
  readonly events: SessionEvent[] = [];
  readonly effects: Effect[] = [];
  /** Turns that an event may extend in place; without it, every state stays unchanged. */
  owned: OwnedTurns | undefined;
  /** The effects of the last event. */
  last: readonly Effect[] = [];

  constructor(change: Partial<Settings> = {}, mode: Mode = 'unrestricted') {
    this.send({ type: 'opened', cwd: '/work', mode, settings: { ...settings, ...change } });
  }

  get conversation(): Conversation {
    return rootOf(this.state);
  }

  get phase() {
    return this.conversation.phase;
  }

  send(body: EventBody, session = 'main'): readonly Effect[] {
    const event: SessionEvent = { session, at: 1000 + this.events.length, ...body };
    this.events.push(event);
    const [state, effects] = reduce(this.state, event, this.owned);
    this.state = state;
    this.effects.push(...effects);
    this.last = effects;
    return effects;
  }

  /** The first outstanding operation. */
  get op(): string {
    return this.opOf('main');
  }

  opOf(session: string): string {
    const [op] = opsOf(this.state, session);
    if (op === undefined) throw new Error(`nothing is running in ${session}`);
    return op;
  }

  /** The running sub-agents, by session id, oldest first. */
  get children(): readonly string[] {
    return subAgents(this.state).map(({ conversation }) => conversation.id);
  }

  says(text: string, ...toolCalls: ToolCall[]): void {
    this.send({ type: 'replyEnded', op: this.op, reply: reply(text, toolCalls) });
  }

  /** A reply whose actions are all read-only. */
  reads(text: string, ...toolCalls: ToolCall[]): void {
    this.send({ type: 'replyEnded', op: this.op, reply: reply(text, toolCalls), reading: true });
  }

  judges(judgement: Judgement, autoApproved = false, session = 'main'): void {
    this.send({ type: 'examined', op: this.opOf(session), examination: judged(judgement, autoApproved) }, session);
  }

  /** The running action ends with this output. */
  runs(output: string, exit = 0, cwd = '/work', session = 'main'): void {
    const op = this.opOf(session);
    this.send({ type: 'actionStarted', op }, session);
    this.send({ type: 'actionEnded', op, outcome: printed(output, exit, cwd) }, session);
  }

  /** The approved delegations start their sub-agents, as the engine does. */
  spawns(): void {
    for (const op of opsOf(this.state, 'main')) {
      this.send({ type: 'actionStarted', op });
      this.send({ type: 'spawned', parent: 'main', op }, `agent-${op}`);
    }
  }

  /** Sends a sub-agent's reply. */
  agentSays(session: string, text: string, ...toolCalls: ToolCall[]): void {
    this.send({ type: 'replyEnded', op: this.opOf(session), reply: reply(text, toolCalls) }, session);
  }

  answers(kind: 'proceed' | 'skip' | 'abort' | 'try' | 'apply' | 'always' | 'unrestricted'): void {
    const question = this.state.questions[0];
    if (!question) throw new Error('no question waits');
    this.send({ type: 'answered', question: question.id, answer: { kind } });
  }

  /** Entries shown, the last version of each. */
  get shown() {
    const entries = new Map<string, Extract<Effect, { kind: 'show' }>['entry']>();
    for (const effect of this.effects) if (effect.kind === 'show') entries.set(effect.key, effect.entry);
    return [...entries.values()];
  }
}
