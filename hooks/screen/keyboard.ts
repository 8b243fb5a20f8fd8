/** Who has the keyboard: the prompt, or the program in the foreground (EX-4). */
import type { Aish } from '../../src/commands/aish.ts';
import type { LiveOutput, RunningCommand } from '../../src/engine/services.ts';
import { runningOf } from '../../src/session/lanes.ts';
import { isEmpty } from '../editor/state.ts';
import type { Schedule } from '../terminal/tokenizer.ts';
import type { Store } from './store.ts';
import type { Ui } from './ui.ts';

/** How long a command of the user's runs before it gets the keyboard; quicker ones never do. In ms. */
const HANDOVER_MS = 200;

/**
 * What the program has printed in the row of its cursor, blanks kept: a question that waits for an answer, mostly.
 * Undefined where the output does not tell.
 */
export function promptTextOf(output: LiveOutput): string | undefined {
  return 'promptText' in output && typeof output.promptText === 'string' ? output.promptText : undefined;
}

export class Keyboard {
  readonly #aish: Aish;
  readonly #ui: Store<Ui>;
  readonly #schedule: Schedule;
  /** The user's command that was last seen running. */
  #op: string | undefined;
  #stopWatching = () => {};

  constructor(aish: Aish, ui: Store<Ui>, schedule: Schedule) {
    this.#aish = aish;
    this.#ui = ui;
    this.#schedule = schedule;
  }

  /** The program that keys would go to: the user's own before the model's. */
  get program(): RunningCommand | undefined {
    const { shell, engine } = this.#aish;
    const { phase } = engine.conversation;
    if (shell.running || phase.kind !== 'acting') return shell.running;
    const commands = runningOf(phase).map(({ op }) => engine.live.commands.get(op));
    return commands.findLast((command) => command !== undefined);
  }

  /** The program that has the keyboard. */
  get owner(): RunningCommand | undefined {
    return this.#ui.get().keyboard === 'program' ? this.program : undefined;
  }

  /** To be called after each change of the engine. */
  follow(): void {
    const op = this.#aish.engine.state.shell.running?.op;
    if (op !== this.#op) {
      this.#op = op;
      this.#stopWatching();
      this.#stopWatching = op === undefined ? () => {} : this.#watch(op);
    }
    if (this.#ui.get().keyboard === 'program' && !this.program) this.#ui.update({ keyboard: 'prompt' });
  }

  dispose(): void {
    this.#stopWatching();
  }

  /** A program that asks, or runs on for a moment, is one to type into. */
  #watch(op: string): () => void {
    const output = this.#aish.engine.live.commands.get(op)?.output;
    const cancel = this.#schedule(() => this.#offer(op), HANDOVER_MS);
    const unsubscribe = output?.subscribe(() => {
      if (promptTextOf(output)) this.#offer(op);
    });
    return () => {
      cancel();
      unsubscribe?.();
    };
  }

  /** Once for each command, and not while something else is being typed. */
  #offer(op: string): void {
    if (this.#op !== op) return;
    this.#stopWatching();
    this.#stopWatching = () => {};
    const { keyboard, editor, panel, question } = this.#ui.get();
    const free = keyboard === 'prompt' && panel.kind === 'none' && !question && isEmpty(editor);
    if (free && this.program) this.#ui.update({ keyboard: 'program' });
  }
}
