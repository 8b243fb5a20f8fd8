/** Drives the pure machine by hand: applies events, keeps effects, and speaks for the services. */
import type { Examination, Judgement } from '../../src/session/action.ts';
import type { Effect } from '../../src/session/effect.ts';
import type { EventBody, SessionEvent } from '../../src/session/event.ts';
import type { Reply, ToolCall } from '../../src/session/message.ts';
import { reduce } from '../../src/session/reduce.ts';
import { type Conversation, emptyState, rootOf, type Settings, type State } from '../../src/session/state.ts';

export const settings: Settings = {
  preset: 'fast',
  maxTurns: 40,
  maxToolRounds: 16,
  maxNorrisSteps: 4,
  confirmCmd: true,
  sandbox: false,
};

export const harmless: Judgement = { destructive: false, reason: 'only reads', source: 'static' };
export const deadly: Judgement = { destructive: true, reason: 'rm -rf', source: 'static', rule: 'rm -rf' };

export function judged(judgement: Judgement, autoApproved = false): Examination {
  return { kind: 'judged', judgement, autoApproved };
}

export function reply(text: string, toolCalls: readonly ToolCall[] = [], extra: Partial<Reply> = {}): Reply {
  const finish = toolCalls.length > 0 ? 'tools' : 'stop';
  return { text, reasoning: '', toolCalls, preset: 'fast', finish, notices: [], ...extra };
}

export function bash(id: string, command: string): ToolCall {
  return { id, name: 'bash', arguments: JSON.stringify({ command }) };
}

export class Machine {
  state: State = emptyState('main');
  readonly events: SessionEvent[] = [];
  readonly effects: Effect[] = [];
  /** Effects of the last event. */
  last: readonly Effect[] = [];

  constructor(change: Partial<Settings> = {}) {
    this.send({ type: 'opened', cwd: '/work', mode: 'unrestricted', settings: { ...settings, ...change } });
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
    const [state, effects] = reduce(this.state, event);
    this.state = state;
    this.effects.push(...effects);
    this.last = effects;
    return effects;
  }

  /** The operation that is under way. */
  get op(): string {
    if (!('op' in this.phase)) throw new Error(`nothing is under way in ${this.phase.kind}`);
    return this.phase.op;
  }

  says(text: string, ...toolCalls: ToolCall[]): void {
    this.send({ type: 'replyEnded', op: this.op, reply: reply(text, toolCalls) });
  }

  judges(judgement: Judgement, autoApproved = false): void {
    this.send({ type: 'examined', op: this.op, examination: judged(judgement, autoApproved) });
  }

  /** The running action ends with this output. */
  runs(output: string, exit = 0, cwd = '/work'): void {
    const { op } = this;
    this.send({ type: 'actionStarted', op });
    const result = { exit, cwd, head: output, tail: '', omittedLines: 0, bytes: output.length, milliseconds: 5 };
    this.send({ type: 'actionEnded', op, outcome: { kind: 'command', result } });
  }

  answers(kind: 'proceed' | 'skip' | 'abort'): void {
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
