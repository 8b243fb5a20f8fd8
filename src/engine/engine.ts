/** Owns the state, dispatches events, and carries out effects through services. */

import type { Services } from '../contracts/services.ts';
import type { Effect } from '../session/effect.ts';
import type { EventBody, SessionEvent } from '../session/event.ts';
import type { Mode, OpId, SessionId } from '../session/ids.ts';
import type { Phase } from '../session/phase.ts';
import { reduce } from '../session/reduce.ts';
import { type Conversation, rootOf, type State } from '../session/state.ts';
import { Answers } from './effect-context.ts';
import { carryOut } from './effects.ts';
import { Live } from './live.ts';
import { Permits } from './permit.ts';
import { ResolvedActions } from './resolved-action.ts';
import { withoutSecrets } from './secrets-on-entry.ts';
import { type Folded, nothingFolded, type Transcript } from './transcript.ts';

/**
 * Text that returns to the prompt. A `question` was meant for the model. `typed` text was meant for a command of the
 * user that did not read it, and may contain shell lines.
 */
export type GiveBack = (text: string, kind: 'draft' | 'question' | 'typed') => void;

export class Engine {
  readonly services: Services;
  readonly transcript: Transcript;
  readonly live = new Live();
  readonly permits = new Permits();
  readonly actions: ResolvedActions;
  readonly answers = new Answers();
  /** Operations that can be cancelled. */
  readonly controllers = new Map<string, AbortController>();
  #state: State;
  #lineSerial = 0;
  /** Each waiting event, as it arrived and with its secrets hidden. */
  readonly #queue: (readonly [came: SessionEvent, event: SessionEvent])[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(event: SessionEvent) => void>();
  /** Text that returned before anyone listened, during a resume. */
  readonly #givenBack: Parameters<GiveBack>[] = [];
  readonly #giveBackListeners = new Set<GiveBack>();
  #draining = false;
  /** The start of an action was appended since the last flush request. */
  #launching = false;
  #closed = false;
  /** Settles when everything so far is on disk, or can't be written. */
  #saved: Promise<unknown> = Promise.resolve();
  /** Commands interrupted by closing: their results arrive in a moment, and are stored. */
  readonly #ending = new Map<OpId, () => void>();

  /** @param folded the state after an earlier session's events */
  constructor(services: Services, root: SessionId, folded: Folded = nothingFolded(root)) {
    this.services = services;
    this.actions = new ResolvedActions(services.secrets);
    this.#state = folded.state;
    this.transcript = folded.transcript;
  }

  get state(): State {
    return this.#state;
  }

  /** The user's conversation. */
  get conversation(): Conversation {
    return rootOf(this.#state);
  }

  /** The real path of the user's shell's working directory. */
  get shellCwd(): string {
    return this.services.secrets.reveal(this.#state.shell.cwd);
  }

  /** Dispatches one event of `session` (default: the user's conversation). Resolves once it is durable. */
  dispatch(body: EventBody, session: SessionId = this.#state.root): Promise<void> {
    if (this.#closed && !this.#isEnd(body)) return Promise.resolve();
    const came: SessionEvent = { session, at: this.services.now(), ...body, ...this.#gitFor(body) };
    const event = withoutSecrets(this.services.secrets, came);
    const durable = this.services.journal.append(event);
    // The action waits for the disk. Starts of parallel actions from this event are appended by the end of `#take`.
    this.#launching ||= event.type === 'actionStarted';
    this.#saved = durable.catch(() => {});
    this.#queue.push([came, event]);
    if (!this.#draining) this.#drain();
    return durable;
  }

  /** The git state of the user's directory, when the user sends something from it. */
  #gitFor({ type }: EventBody): { readonly git?: string } {
    if (type !== 'asked' && type !== 'norrisStarted' && type !== 'norrisContinued') return {};
    const git = this.services.gitState?.(this.shellCwd);
    return git === undefined ? {} : { git };
  }

  /** Resolves when everything so far is on disk, or can't be written. */
  async saved(): Promise<void> {
    await this.#saved;
  }

  /** Returns an id for a line of the user's. */
  newLineId(): string {
    this.#lineSerial += 1;
    return `line-${this.services.now()}-${this.#lineSerial}`;
  }

  /** Called after each change of state or transcript. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called with each event after it took effect (headless output, notifications). */
  onEvent(listener: (event: SessionEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  /** Called when lines return to the prompt: queued lines, and text typed for a command that did not read it. */
  onGiveBack(listener: GiveBack): () => void {
    this.#giveBackListeners.add(listener);
    for (const [text, kind] of this.#givenBack.splice(0)) listener(text, kind);
    return () => this.#giveBackListeners.delete(listener);
  }

  /**
   * Closes without starting anything: running operations are cancelled, open questions stay in the journal, and later
   * events are dropped except the results of running commands.
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const commands = [...this.live.commands];
    const told = commands.map(([op]) => new Promise<void>((resolve) => this.#ending.set(op, resolve)));
    for (const controller of this.controllers.values()) controller.abort();
    for (const [, command] of commands) command.interrupt();
    await Promise.allSettled(commands.map(([, command]) => command.result));
    // A waiting operation dispatches its end within this turn of the event loop, or not at all.
    await Promise.race([Promise.all(told), new Promise((resolve) => setImmediate(resolve))]);
    this.#ending.clear();
  }

  #isEnd(body: EventBody): body is Extract<EventBody, { type: 'actionEnded' | 'shellEnded' }> {
    return (body.type === 'actionEnded' || body.type === 'shellEnded') && this.#ending.has(body.op);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Shows something that is not part of the session, such as a `:` command's output. */
  showLocal(effect: Extract<Effect, { kind: 'show' }>): void {
    this.transcript.apply(effect);
    this.#notify();
  }

  /** Something outside the state has changed that a screen shows: a command started, a line waits. */
  changed(): void {
    this.#notify();
  }

  #drain(): void {
    this.#draining = true;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#take(...next);
    } finally {
      this.#draining = false;
    }
    this.#notify();
  }

  #take(came: SessionEvent, event: SessionEvent): void {
    const before = this.#state.sessions[event.session]?.phase;
    if (event.type === 'answered' && before?.kind === 'halted' && before.question === event.question) {
      const { answer } = event;
      const { kind } = answer;
      const wider = kind === 'proceed' ? answer.mode : undefined;
      if (wider !== undefined) this.#promise(event.session, before, wider);
      else if (kind === 'proceed' || kind === 'apply') this.permits.approve(before.judgedAs);
      if (kind === 'try') this.permits.approveTrial(before.judgedAs);
    }
    this.answers.follow(event, this.#state);
    const [state, effects] = reduce(this.#state, event);
    this.#state = state;
    this.actions.note(came, before, state.sessions[event.session]?.phase);
    this.permits.retain((session) => (state.sessions[session]?.phase.kind ?? 'idle') !== 'idle');
    for (const effect of effects) this.transcript.apply(effect);
    if (this.#closed) {
      if (this.#isEnd(event)) this.#ending.get(event.op)?.();
      return;
    }
    for (const listener of this.#eventListeners) listener(event);
    for (const effect of effects) {
      if (effect.kind === 'giveBack') this.giveBack(this.services.secrets.reveal(effect.text), 'question');
      else carryOut(this, effect);
    }
    if (!this.#launching) return;
    this.#launching = false;
    this.services.journal.hasten();
  }

  #promise(session: SessionId, phase: Extract<Phase, { kind: 'halted' }>, mode: Mode): void {
    const { dispatch, judgement, judgedAs } = phase;
    const action = dispatch.actions[dispatch.index];
    const { cwd } = this.#state.sessions[session] ?? {};
    if (action && cwd !== undefined) this.permits.promise({ session, action, cwd, mode }, judgement, judgedAs);
  }

  giveBack(...given: Parameters<GiveBack>): void {
    if (this.#giveBackListeners.size === 0) this.#givenBack.push(given);
    for (const listener of this.#giveBackListeners) listener(...given);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
