import type { Engine } from '../engine/engine.ts';
import type { Forms } from '../engine/forms.ts';
import { keyBeside } from '../engine/transcript.ts';
import type { EventBody } from '../session/event.ts';
import type { Form, FormAnswer } from '../session/form.ts';

/**
 * The only connection from the services to the session. Services are created first and must not use it before
 * `connect`.
 */
export class SessionBus {
  #engine: Engine | undefined;
  #forms: Forms | undefined;
  #shown = 0;
  readonly #connected = Promise.withResolvers<Engine>();
  /** Whether the journal can't be written at the moment, so that events are kept in memory only. */
  unsaved = false;
  /** Whether the last second opinion failed; then commands not known to be safe count as destructive. */
  withoutOpinion = false;
  /** Whether the model's changes can't be undone here, known from its first action on. */
  withoutUndo = false;

  /** The second step of the assembly. */
  connect(engine: Engine, forms: Forms): void {
    this.#engine = engine;
    this.#forms = forms;
    this.#connected.resolve(engine);
  }

  /** The current session, for reading. Throws before `connect`. */
  get engine(): Engine {
    if (!this.#engine) throw new Error('a service asked for the session while it was being made');
    return this.#engine;
  }

  /** Dispatches an event. A journal that can't be written reports that itself. */
  dispatch(event: EventBody): void {
    this.engine.dispatch(event).catch(() => {});
  }

  /** Redraws the values that are shown beside the session’s text. */
  changed(): void {
    this.#engine?.changed();
  }

  /** Adds a notice to the session. */
  notice(level: 'info' | 'warning', text: string): void {
    this.dispatch({ type: 'noticed', level, text });
  }

  /** Shows a notice that is not part of the session. */
  show(text: string, level: 'info' | 'warning' = 'warning'): void {
    this.#shown += 1;
    this.engine.showLocal({ kind: 'show', key: keyBeside(this.#shown), entry: { kind: 'notice', level, text } });
  }

  /** Resolves to the engine once it is connected. */
  get connected(): Promise<Engine> {
    return this.#connected.promise;
  }

  /** Asks the user to fill in a server's form. */
  ask(form: Form, signal: AbortSignal): Promise<FormAnswer> {
    return this.#forms?.ask(form, signal) ?? Promise.resolve({ action: 'cancel' });
  }
}
