import type { Engine } from '../engine/engine.ts';
import type { Forms } from '../engine/forms.ts';
import type { EventBody } from '../session/event.ts';
import type { Form, FormAnswer } from '../session/form.ts';

/** The one way from the services to the session. They are made first, and nothing of them runs before `connect`. */
export class SessionBus {
  #engine: Engine | undefined;
  #forms: Forms | undefined;
  #shown = 0;
  /** The journal can't be written at the moment: what happens is kept in memory alone. */
  unsaved = false;

  /** The second step of the assembly. */
  connect(engine: Engine, forms: Forms): void {
    this.#engine = engine;
    this.#forms = forms;
  }

  /** The session as it stands, to be read. Throws before `connect`. */
  get engine(): Engine {
    if (!this.#engine) throw new Error('a service asked for the session while it was being made');
    return this.#engine;
  }

  /** Tells the session of an event. A journal that can't be written reports that itself. */
  dispatch(event: EventBody): void {
    this.engine.dispatch(event).catch(() => {});
  }

  /** A line of the session. */
  notice(level: 'info' | 'warning', text: string): void {
    this.dispatch({ type: 'noticed', level, text });
  }

  /** A line of the program's own; no part of the session. */
  show(text: string, level: 'info' | 'warning' = 'warning'): void {
    this.#shown += 1;
    this.engine.showLocal({ kind: 'show', key: `local${this.#shown}`, entry: { kind: 'notice', level, text } });
  }

  /** Puts a server's form to the user. */
  ask(form: Form, signal: AbortSignal): Promise<FormAnswer> {
    return this.#forms?.ask(form, signal) ?? Promise.resolve({ action: 'cancel' });
  }
}
