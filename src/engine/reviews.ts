/** The user's word on what commands left (MO-9), past the machine. */
import type { SessionEvent } from '../session/event.ts';
import type { State } from '../session/state.ts';

export class Reviews {
  readonly #open = new Map<string, (yes: boolean) => void>();

  /** Resolves to whether the user said yes; an abort is a no. */
  answer(review: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (yes: boolean) => {
        this.#open.delete(review);
        resolve(yes);
      };
      this.#open.set(review, settle);
      signal.addEventListener('abort', () => settle(false), { once: true });
      if (signal.aborted) settle(false);
    });
  }

  /** To be called with each event and the state before it. */
  follow(event: SessionEvent, { questions }: State): void {
    if (event.type !== 'answered') return;
    const asked = questions.find(({ id }) => id === event.question);
    if (asked?.kind === 'review') this.#open.get(asked.review)?.(event.answer.kind === 'proceed');
  }
}
