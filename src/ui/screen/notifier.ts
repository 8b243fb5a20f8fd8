/** Rings a bell and notifies when a question or a command waits for the user, or when a long run has ended. */
import type { Engine } from '../../engine/engine.ts';

/** A run or a command shorter than this ends without a word. In ms. */
const MIN_RUN_MS = 10_000;

export type NotifierOptions = {
  readonly engine: Engine;
  /** `ui.notify`. */
  readonly enabled: boolean;
  /** Past the drawing, straight to the terminal. */
  readonly write: (sequence: string) => void;
  /** Whether a full-screen program draws now: nothing may be written into its sequences. */
  readonly away: () => boolean;
};

export class Notifier {
  readonly #options: NotifierOptions;
  #question: string | undefined;
  #asking = false;
  #since: number | undefined;
  #command: { readonly op: string; readonly since: number } | undefined;
  /** What the terminal said last; some never say it. */
  #focused = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    // What is open at a resume is seen at once: somebody has just started the program.
    this.#question = options.engine.state.questions[0]?.id;
  }

  focus(focused: boolean): void {
    this.#focused = focused;
  }

  /** To be called after each change of the engine. */
  follow(): void {
    const { engine } = this.#options;
    const now = engine.services.now();
    const question = engine.state.questions[0]?.id;
    if (question !== this.#question && question !== undefined) this.#ring('aish-tui: a question is waiting for you');
    this.#question = question;
    const asking = asksOf(engine);
    if (asking && !this.#asking) this.#ring('aish-tui: a command is waiting for your input');
    this.#asking = asking;
    this.#followCommand(engine, now);
    const busy = engine.conversation.phase.kind !== 'idle';
    if (busy) this.#since ??= now;
    else if (this.#since !== undefined) {
      if (now - this.#since > MIN_RUN_MS) this.#ring('aish-tui: the run has ended');
      this.#since = undefined;
    }
  }

  /** The user's own command has taken its time: they may look elsewhere by now. */
  #followCommand(engine: Engine, now: number): void {
    const op = engine.state.shell.running?.op;
    if (op === this.#command?.op) return;
    if (this.#command && now - this.#command.since > MIN_RUN_MS) this.#ring('aish-tui: your command has ended');
    this.#command = op === undefined ? undefined : { op, since: now };
  }

  /**
   * BEL for every terminal; OSC 9 (iTerm2, kitty, WezTerm, Windows Terminal) is ignored by the others. The words are
   * ours alone.
   */
  #ring(words: string): void {
    const { enabled, write, away } = this.#options;
    if (enabled && !this.#focused && !away()) write(`\x07\x1b]9;${words}\x07`);
  }
}

/** Whether a command of the model waits for input: nobody but the user can give it (EX-4). */
function asksOf({ live, state }: Engine): boolean {
  return [...live.commands].some(([op, running]) => op !== state.shell.running?.op && running.asks);
}
