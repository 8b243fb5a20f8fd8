/** `clear`, `reset` and whatever else clears its terminal clears the view too (EX-3). */
import type { App } from '../../commands/app.ts';
import type { TranscriptView } from './transcript-view.ts';

export class ClearWatch {
  readonly #app: App;
  readonly #view: TranscriptView;
  /** The user's command that is watched, and whether it has cleared. */
  #op: string | undefined;
  #cleared = false;
  #stop: (() => void) | undefined;

  constructor(app: App, view: TranscriptView) {
    this.#app = app;
    this.#view = view;
  }

  /** To be called after each change of the engine, behind the view. */
  follow(): void {
    const { engine } = this.#app;
    const op = engine.state.shell.running?.op;
    if (op === this.#op) return;
    this.dispose();
    const ended = this.#op === undefined ? undefined : this.#view.entryOf(this.#op);
    // One that did nothing else leaves an empty view, as in every terminal.
    if (this.#cleared && ended?.kind === 'exec' && ended.result?.head.trim() === '') this.#view.clear();
    this.#op = op;
    this.#cleared = false;
    const output = op === undefined ? undefined : engine.live.commands.get(op)?.output;
    const look = () => {
      if (this.#cleared || !output?.cleared) return;
      this.#cleared = true;
      this.#view.clear(op);
    };
    this.#stop = output?.subscribe(look);
    look();
  }

  dispose(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
