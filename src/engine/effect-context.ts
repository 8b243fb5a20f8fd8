import type { Services } from '../contracts/services.ts';
import type { Answer, EventBody, SessionEvent } from '../session/event.ts';
import type { OpId, SessionId } from '../session/ids.ts';
import type { Question } from '../session/question.ts';
import type { State } from '../session/state.ts';
import type { Live } from './live.ts';
import type { Permits } from './permit.ts';
import type { ResolvedActions } from './resolved-action.ts';

/** The parts of the engine that carrying out effects uses. */
export type EffectContext = {
  readonly services: Services;
  readonly state: State;
  readonly live: Live;
  readonly permits: Permits;
  readonly actions: ResolvedActions;
  readonly answers: Answers;
  readonly controllers: Map<OpId, AbortController>;
  /** The engine is closing: questions stay unanswered and nothing runs. */
  readonly closed: boolean;
  /** Tells the screen that a live stream started or ended. */
  changed(): void;
  /** Resolves when everything so far is on disk, or can't be written. */
  saved(): Promise<void>;
  dispatch(body: EventBody, session?: SessionId): Promise<void>;
};

// The user's answers to questions that belong to no phase (MO-9, fleets) and bypass the state machine.

export class Answers {
  readonly #open = new Map<string, (answer: Answer | undefined) => void>();

  /** Resolves to the answer to the question of this name; undefined if it is withdrawn. */
  of(name: string, signal: AbortSignal): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      const settle = (answer: Answer | undefined) => {
        this.#open.delete(name);
        resolve(answer);
      };
      this.#open.set(name, settle);
      signal.addEventListener('abort', () => settle(undefined), { once: true });
      if (signal.aborted) settle(undefined);
    });
  }

  /** Call with each event and the state before it. */
  follow(event: SessionEvent, { questions }: State): void {
    if (event.type !== 'answered') return;
    const asked = questions.find(({ id }) => id === event.question);
    if (asked) this.#open.get(nameOf(asked) ?? '')?.(event.answer);
  }
}

function nameOf(question: Question): string | undefined {
  if (question.kind === 'review') return question.review;
  return question.kind === 'fleet' ? question.fleet : undefined;
}
