/** One action, one value: what is shown, judged, run and told are projections of it (SE-1, law 10). */
import type { RestoredAction, Secrets } from '../contracts/secrets.ts';
import type { Action } from '../session/action.ts';
import type { SessionEvent } from '../session/event.ts';
import type { Phase } from '../session/phase.ts';
import type { Question } from '../session/question.ts';
import { readReply } from '../session/reply.ts';

/**
 * Who wrote the action: the model in its last reply, or the user at a HALT. A `replayed` one comes from the journal of
 * an earlier process: only its text with handles is left, and no handle in it is resolved (SE-3).
 */
export type ActionOrigin = 'model' | 'edited' | 'replayed';

export type ResolvedAction = RestoredAction & {
  readonly origin: ActionOrigin;
  /** With handles in place of secrets: what the state and the journal hold and what any model is told. */
  readonly told: Action;
};

/** A resolved action that can be judged and run. */
export type ReadyAction = Extract<ResolvedAction, { kind: 'ready' }>;

/**
 * Resolves each action once: when a reply ends, or when the user edits one. What a model or the user wrote runs as it
 * was written: a secret in it is a piece of its text, with the quotes, escapes and expansions around it. Only handles
 * that stand in that text are replaced by their values. In memory only, by the action of the state that it belongs to.
 */
export class ResolvedActions {
  readonly #secrets: Pick<Secrets, 'restore' | 'reveal'>;
  readonly #resolved = new WeakMap<Action, ResolvedAction>();
  /** A question never changes, nor does what its handles stand for. */
  readonly #revealed = new WeakMap<Question, Question>();

  constructor(secrets: Pick<Secrets, 'restore' | 'reveal'>) {
    this.#secrets = secrets;
  }

  /**
   * Takes note of an event that took effect.
   * @param came the event as it came, with its secrets
   * @param before the phase of its conversation until then
   * @param after the phase since
   */
  note(came: SessionEvent, before: Phase | undefined, after: Phase | undefined): void {
    if (!before || !after || !('dispatch' in after)) return;
    const { actions, index } = after.dispatch;
    if (came.type === 'replyEnded' && before.kind === 'replying' && before.op === came.op) {
      const written = readReply(came.reply).actions;
      // A secret may have taken in the marker of a line: then the two lists can't be matched.
      const same = written.length === actions.length;
      for (const [at, told] of actions.entries()) this.#resolve('model', told, same ? written[at] : told);
    } else if (came.type === 'answered' && before.kind === 'halted' && before.question === came.question) {
      const told = actions[index];
      if (came.answer.kind !== 'edit' || told?.kind !== 'command') return;
      this.#resolve('edited', told, { ...told, command: came.answer.command });
    }
  }

  /** The value of an action of the state. One that was never written in this process is `replayed`. */
  of(told: Action): ResolvedAction {
    return this.#resolved.get(told) ?? this.#resolve('replayed', told, undefined);
  }

  /** The question as its user sees it: of an action it is the very text that was judged and that runs. */
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
