/** Who has how many columns: the rail comes and goes with what runs, and everything that runs is told its size. */
import type { App } from '../../commands/app.ts';
import { sizeForModel } from '../../engine/live.ts';
import { subAgents, waitingTasks } from '../../session/delegate.ts';
import { directoryAt } from '../../session/place.ts';
import { outputSize } from './entries/exec.ts';
import type { FullScreen } from './full-screen.ts';
import { type RailFacts, railWidth } from './rail.ts';
import type { Store } from './store.ts';
import type { Size, Ui } from './ui.ts';

export class Room {
  readonly #app: App;
  readonly #ui: Store<Ui>;
  readonly #fullScreen: () => FullScreen;

  constructor(app: App, ui: Store<Ui>, fullScreen: () => FullScreen) {
    this.#app = app;
    this.#ui = ui;
    this.#fullScreen = fullScreen;
    app.engine.live.size = outputSize(ui.get().size);
  }

  /** What goes on beside the conversation. */
  get facts(): RailFacts {
    const { engine } = this.#app;
    const { phase } = engine.conversation;
    const tasks = phase.kind !== 'idle' && phase.run.kind === 'norris' ? phase.run.tasks : undefined;
    const jobs = engine.services.jobs.running();
    const { changed } = this.#app.info();
    const cwd = directoryAt(engine.shellCwd);
    return { tasks, agents: subAgents(engine.state), waiting: waitingTasks(engine.state), jobs, changed, cwd };
  }

  /** The terminal has another size; what runs is told. */
  resize(size: Size): void {
    this.#ui.update({ size });
    this.#lay();
    this.#fitAll();
  }

  /** To be called after each change of the engine. */
  follow(): void {
    if (this.#lay()) this.#fitAll();
  }

  /** Hides the rail, or shows it again; false where there is nothing for it to show. */
  toggleRail(): boolean {
    this.#ui.update({ railHidden: this.#ui.get().railHidden !== true });
    const changed = this.#lay();
    if (changed) this.#fitAll();
    return changed;
  }

  /** The user's shell has the room of its pane, or the whole screen while its program has it. */
  fitShell(): void {
    const { columns, rows } = this.#fullScreen().active ? this.#ui.get().size : this.#app.engine.live.size;
    this.#app.shell.resize(columns, rows);
  }

  /** Whether the rail has come or gone: then everything has another width. */
  #lay(): boolean {
    const { size, rail: was, railHidden } = this.#ui.get();
    const rail = railHidden ? 0 : railWidth(size.columns, this.facts);
    if (rail !== was) this.#ui.update({ rail });
    return rail !== was;
  }

  #fitAll(): void {
    const { engine, shell } = this.#app;
    const { size, rail } = this.#ui.get();
    engine.live.size = outputSize({ ...size, columns: size.columns - rail });
    this.fitShell();
    const commands = [...engine.live.commands.values()].filter((running) => running !== shell.running);
    const models = commands.map((running) => ({ running, owner: 'model' }));
    for (const { running, owner } of [...models, ...engine.services.jobs.running()]) {
      const room = owner === 'user' ? engine.live.size : sizeForModel(engine.live.size);
      const { columns, rows } = this.#fullScreen().has(running) ? size : room;
      running.resize(columns, rows);
    }
  }
}
