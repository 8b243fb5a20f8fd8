/** An action as one value, from which its shown, judged, executed and reported forms are derived (SE-1, law 10). */
import type { RestoredAction, Secrets } from '../contracts/secrets.ts';
import type { Action } from '../session/action.ts';
import type { SessionEvent } from '../session/event.ts';
import type { Phase } from '../session/phase.ts';
import type { Question } from '../session/question.ts';
import { readReply } from '../session/reply.ts';

/**
 * Who wrote the action: the model in its last reply, or the user at a HALT. A `replayed` one comes from the journal
 * of an earlier process: only its text with handles exists, and they are not resolved (SE-3).
 */
export type ActionOrigin = 'model' | 'edited' | 'replayed';

export type ResolvedAction = RestoredAction & {
  readonly origin: ActionOrigin;
  /** The action with handles instead of secrets: for the state, the journal and every model. */
  readonly told: Action;
};

/** A resolved action that can be judged and run. */
export type ReadyAction = Extract<ResolvedAction, { kind: 'ready' }>;

/**
 * Resolves each action once: when a reply ends, or when the user edits one. Text written by a model or the user runs
 * as written: a secret in it is part of the text, with its quotes, escapes and expansions. Only handles in the
 * written text are replaced by their values. In memory only, keyed by the action in the state.
 */
export class ResolvedActions {
  readonly #secrets: Pick<Secrets, 'restore' | 'reveal'>;
  readonly #resolved = new WeakMap<Action, ResolvedAction>();
  /** Cached, because a question and the values of its handles never change. */
  readonly #revealed = new WeakMap<Question, Question>();

  constructor(secrets: Pick<Secrets, 'restore' | 'reveal'>) {
    this.#secrets = secrets;
  }

  /**
   * Processes an event after it took effect.
   * @param came the event as it arrived, with its secrets
   * @param before the conversation's phase before it
   * @param after the phase after it
   */
  note(came: SessionEvent, before: Phase | undefined, after: Phase | undefined): void {
    if (!before || !after || !('dispatch' in after)) return;
    const { actions, index } = after.dispatch;
    if (came.type === 'replyEnded' && before.kind === 'replying' && before.op === came.op) {
      const written = readReply(came.reply).actions;
      // A hidden secret may have contained a line's marker: then the two lists don't match.
      const same = written.length === actions.length;
      for (const [at, told] of actions.entries()) this.#resolve('model', told, same ? written[at] : told);
    } else if (came.type === 'answered' && before.kind === 'halted' && before.question === came.question) {
      const told = actions[index];
      if (came.answer.kind !== 'edit' || told?.kind !== 'command') return;
      this.#resolve('edited', told, { ...told, command: came.answer.command });
    }
  }

  /** Returns the resolved form of an action in the state; one from an earlier process has the origin `replayed`. */
  of(told: Action): ResolvedAction {
    return this.#resolved.get(told) ?? this.#resolve('replayed', told, undefined);
  }

  /** Returns the question for the user: for an action, exactly the text that was judged and that runs. */
  revealQuestion(question: Question): Question {
    const known = this.#revealed.get(question);
    if (known) return known;
    const revealed = this.#secrets.reveal(question);
    const resolved = question.kind === 'halt' ? this.of(question.action) : undefined;
    const made =
      revealed.kind === 'halt' && resolved?.kind === 'ready' ? { ...revealed, action: resolved.judged } : revealed;
    this.#revealed.set(question, made);
    return made;
  }

  #resolve(origin: ActionOrigin, told: Action, written: Action | undefined): ResolvedAction {
    const resolved = { ...this.#secrets.restore(told, written), origin, told };
    this.#resolved.set(told, resolved);
    return resolved;
  }
}
