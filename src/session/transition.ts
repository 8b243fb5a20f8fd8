/** One reduction in progress. State under construction is mutable only here. */
import { type Action, nameAction } from './action.ts';
import type { Effect } from './effect.ts';
import type { Entry } from './entry.ts';
import type { SessionEvent } from './event.ts';
import type { SessionId } from './ids.ts';
import type { Outcome, Phase } from './phase.ts';
import type { Asker, Question } from './question.ts';
import { type Conversation, decidesAs, type InboxItem, type State, type Turn } from './state.ts';

type OmitQuestionIds<Q> = Q extends Question ? Omit<Q, 'id' | 'session' | 'asker'> : never;

/**
 * The lists of turns in a fold that uses only the final state. They are changed in place, because thousands of events
 * would otherwise each copy thousands of turns.
 */
export type OwnedTurns = Map<SessionId, Turn[]>;

/** Questions that outlast a run. */
const WITHOUT_PHASE: ReadonlySet<Question['kind']> = new Set(['form', 'review', 'fleet']);

export class Transition {
  readonly effects: Effect[] = [];
  readonly event: SessionEvent;
  state: State;
  conversation: Conversation;
  /** Set if a sub-agent has ended: the report to its parent. */
  report?: Outcome;
  readonly #owned: OwnedTurns | undefined;

  constructor(state: State, event: SessionEvent, conversation: Conversation, owned?: OwnedTurns) {
    this.state = state;
    this.event = event;
    this.conversation = conversation;
    this.#owned = owned;
  }

  /** The new state with this conversation put back. */
  done(): readonly [State, readonly Effect[]] {
    const { conversation } = this;
    const sessions = { ...this.state.sessions, [conversation.id]: conversation };
    return [{ ...this.state, sessions }, this.effects];
  }

  set(change: Partial<Conversation>): void {
    this.conversation = { ...this.conversation, ...change };
  }

  phase(phase: Phase): void {
    this.set({ phase });
  }

  id(prefix: string): string {
    const serial = this.state.serial + 1;
    this.state = { ...this.state, serial };
    return `${prefix}${serial}`;
  }

  turn(...more: readonly Turn[]): void {
    const turns = this.ownTurns();
    turns.push(...more);
    this.set({ turns });
  }

  /** Returns the turns for a change: a copy, unless only the current fold knows the list. */
  ownTurns(): Turn[] {
    const { id, turns } = this.conversation;
    const own = this.#owned?.get(id);
    if (own === turns) return own;
    const copy = [...turns];
    this.#owned?.set(id, copy);
    return copy;
  }

  inbox(...items: readonly InboxItem[]): void {
    this.set({ inbox: [...this.conversation.inbox, ...items] });
  }

  effect(effect: Effect): void {
    this.effects.push(effect);
  }

  /** Shows an entry under `key`, or under a new one. */
  show(entry: Entry, key: string = this.id('e')): void {
    const { parent } = this.conversation;
    this.effect({ kind: 'show', key, entry, ...(parent ? { within: parent.op } : {}) });
  }

  notice(level: 'info' | 'warning' | 'error', text: string): void {
    this.show({ kind: 'notice', level, text });
  }

  /**
   * Answers the model for `action`: as its call's one result (AC-4), or as text for a line marker. If an action ran
   * again after its result, the new result goes with the next request.
   */
  answer(action: Action, text: string, kept: { readonly file?: string } = {}): void {
    const { callId } = action;
    if (callId === undefined) this.turn({ kind: 'user', origin: 'exec', text, ...kept });
    else if (this.isAnswered(callId)) this.inbox({ kind: 'note', origin: 'exec', text, ...kept });
    else this.turn({ kind: 'result', callId, text, ...kept });
  }

  /** Returns whether this call of the last reply has its result. In older journals no action ran again. */
  isAnswered(callId: string): boolean {
    const { turns, settings } = this.conversation;
    if (!decidesAs(settings, 3)) return false;
    const asked = turns.findLastIndex(({ kind }) => kind === 'assistant');
    return turns.slice(asked + 1).some((turn) => turn.kind === 'result' && turn.callId === callId);
  }

  /** The same for an action that did not run. The marker's text names it; a call's result need not. */
  answerNotRun(action: Action, text: string): void {
    this.answer(action, action.callId === undefined ? `${text}\n$ ${nameAction(action)}` : text);
  }

  ask(question: OmitQuestionIds<Question>): string {
    const id = this.id('q');
    const session = this.conversation.id;
    const { phase } = this.conversation;
    const run = phase.kind === 'idle' ? undefined : phase.run;
    const asker: Asker | undefined = run?.kind === 'delegate' ? { agent: run.agent, task: run.task } : undefined;
    const named = { ...question, id, session, ...(asker ? { asker } : {}) };
    this.state = { ...this.state, questions: [...this.state.questions, named] };
    this.effect({ kind: 'ask', session, question: id });
    return id;
  }

  /** Removes one question of this conversation, or all except those that outlast a run. */
  unask(id?: string): void {
    const goes = (q: Question) => (id === undefined ? !WITHOUT_PHASE.has(q.kind) : q.id === id);
    const stays = (q: Question) => q.session !== this.conversation.id || !goes(q);
    this.state = { ...this.state, questions: this.state.questions.filter(stays) };
  }
}
