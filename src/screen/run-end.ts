/** What a run has changed, said when it ends, with the way back (EF-3). */
import type { App } from '../commands/app.ts';
import { summaryOf } from '../contracts/undo.ts';

export class RunEnd {
  readonly #app: App;
  readonly #say: (text: string) => void;
  /** When the run under way began, in ms since the epoch. */
  #began: number | undefined;

  constructor(app: App, say: (text: string) => void) {
    this.#app = app;
    this.#say = say;
  }

  /** To be called after each change of the engine. */
  follow(): void {
    const { phase } = this.#app.engine.conversation;
    if (phase.kind !== 'idle') {
      if (phase.run.kind === 'norris') this.#began = phase.run.startedAt;
      return;
    }
    const began = this.#began;
    this.#began = undefined;
    if (began !== undefined) void this.#tell(began);
  }

  /** Nothing where nothing was kept: then there is nothing to take back either. */
  async #tell(began: number): Promise<void> {
    const { undo } = this.#app;
    const { sessionId } = this.#app.info();
    const kept = await undo.list().catch(() => []);
    const own = kept.filter(
      ({ run, at, session, kind }) => run !== undefined && at >= began && session === sessionId && kind !== 'undo',
    );
    if (own.length > 0) this.#say(`the run: ${summaryOf(own)} · :undo run shows it, :undo run yes takes it back`);
  }
}
