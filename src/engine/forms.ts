/** Forms of MCP servers: asked like any question, but answered outside the journal, which stores no values. */
import type { SessionEvent } from '../session/event.ts';
import type { Form, FormAnswer, FormContent } from '../session/form.ts';
import type { Engine } from './engine.ts';

type Open = { readonly settle: (answer: FormAnswer) => void; content: FormContent | undefined };

export class Forms {
  readonly #engine: Engine;
  readonly #open = new Map<string, Open>();
  #serial = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    engine.onEvent((event) => this.#follow(event));
  }

  /**
   * Shows a form to the user. A form without an answer, after an abort or the server's withdrawal, counts as
   * cancelled.
   */
  ask(form: Form, signal: AbortSignal): Promise<FormAnswer> {
    const engine = this.#engine;
    if (engine.closed || signal.aborted) return Promise.resolve({ action: 'cancel' });
    this.#serial += 1;
    const id = `form-${engine.services.now()}-${this.#serial}`;
    return new Promise((resolve) => {
      this.#open.set(id, { settle: resolve, content: undefined });
      void engine.dispatch({ type: 'formAsked', form: id, ...form }).catch(() => {});
      signal.addEventListener('abort', () => void engine.dispatch({ type: 'formGone', form: id }).catch(() => {}), {
        once: true,
      });
    });
  }

  /** Stores the user's values, to be sent with a yes. */
  fill(form: string, content: FormContent): void {
    const open = this.#open.get(form);
    if (open) open.content = content;
  }

  #follow(event: SessionEvent): void {
    if (this.#open.size === 0) return;
    const { questions } = this.#engine.state;
    for (const [id, open] of this.#open) {
      if (questions.some((question) => question.kind === 'form' && question.form === id)) continue;
      this.#open.delete(id);
      open.settle(answerBy(event, open.content));
    }
  }
}

/** The event that removed the question determines the answer. */
function answerBy(event: SessionEvent, content: FormContent | undefined): FormAnswer {
  if (event.type !== 'answered') return { action: 'cancel' };
  if (event.answer.kind === 'proceed' && content) return { action: 'accept', content };
  return { action: event.answer.kind === 'skip' ? 'decline' : 'cancel' };
}
