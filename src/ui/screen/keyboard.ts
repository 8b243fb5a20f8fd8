/** Decides who has the keyboard: the prompt, or the program in the foreground (EX-4). */
import type { App } from '../../commands/app.ts';
import type { RunningCommand } from '../../contracts/commands.ts';
import { runningOf } from '../../session/slots.ts';
import { isEmpty } from '../editor/state.ts';
import type { Schedule } from '../terminal/schedule.ts';
import type { Store, Ui } from './ui.ts';

/** How long a command of the user's must run before it gets the keyboard. In ms. */
const HANDOVER_MS = 200;
/**
 * The wait in ms if keys were typed ahead: the command may turn echo off for a password, and keys that it got earlier
 * would be echoed.
 */
const HANDOVER_TYPING_MS = 700;
/** How long to wait for a starting shell with the keys typed after its first line. In ms. */
const SHELL_START_TIMEOUT_MS = 1500;

export class Keyboard {
  readonly #app: App;
  readonly #ui: Store<Ui>;
  readonly #schedule: Schedule;
  readonly ahead: TypeAhead;
  /** The user's last running command, and the last job in front. */
  #op: string | undefined;
  #job: number | undefined;
  #stopWatching = () => {};

  constructor(app: App, ui: Store<Ui>, schedule: Schedule) {
    this.#app = app;
    this.#ui = ui;
    this.#schedule = schedule;
    this.ahead = new TypeAhead(schedule);
  }

  /** The program that keys would go to: the job in front, then the user's own command, then the model's. */
  get program(): RunningCommand | undefined {
    const { shell, engine, front } = this.#app;
    const { phase } = engine.conversation;
    const own = front.job?.running ?? shell.running;
    if (own || phase.kind !== 'acting') return own;
    const commands = runningOf(phase).map(({ op }) => engine.live.commands.get(op));
    return commands.findLast((command) => command !== undefined);
  }

  /** The program that has the keyboard. */
  get owner(): RunningCommand | undefined {
    return this.#ui.get().keyboard === 'program' ? this.program : undefined;
  }

  /** A shell line was sent while nothing ran: further keys may be for its program. */
  expect(): void {
    this.ahead.begin(SHELL_START_TIMEOUT_MS);
  }

  /** Must be called after each change of the engine. */
  follow(): void {
    const { engine, front } = this.#app;
    const op = engine.state.shell.running?.op;
    if (op !== this.#op) {
      this.#op = op;
      this.#stopWatching();
      this.#stopWatching = op === undefined ? () => {} : this.#watch(op);
      // Only one program is in front: the one that the user has just started.
      if (op !== undefined) front.leave();
    }
    if (front.job?.id !== this.#job) {
      this.#job = front.job?.id;
      // A job of the model's is only watched until the user gives it the keyboard.
      if (front.job?.owner === 'user' && this.#free) this.#ui.update({ keyboard: 'program' });
    }
    if (this.#ui.get().keyboard === 'program' && !this.program) this.#ui.update({ keyboard: 'prompt' });
    if (op === undefined && !this.#app.shell.busy) this.ahead.release();
  }

  dispose(): void {
    this.#stopWatching();
    this.ahead.drop();
  }

  /** Whether no other text is being typed. */
  get #free(): boolean {
    const { keyboard, editor, panel, question } = this.#ui.get();
    return keyboard === 'prompt' && panel.kind === 'none' && !question && isEmpty(editor);
  }

  /**
   * Offers the keyboard once to a program that asks for input or has run for a moment. If a draft prevents that, a
   * program that asks is offered the keyboard again when the draft is gone.
   */
  #watch(op: string): () => void {
    const running = this.#app.engine.live.commands.get(op);
    const asks = () => running?.asks === true;
    const look = () => {
      if (asks() || running?.output.promptText) this.#offer(op, asks());
    };
    const late = () => {
      if (this.ahead.waits) cancel = this.#schedule(offer, HANDOVER_TYPING_MS - HANDOVER_MS);
      else offer();
    };
    // Keys that the program does not read return to the prompt when it ends.
    const offer = () => this.#offer(op, asks());
    let cancel = this.#schedule(late, HANDOVER_MS);
    const ends = [
      () => cancel(),
      running?.output.subscribe(look),
      running?.onModes(look),
      this.#ui.subscribe(() => {
        if (asks()) this.#offer(op, true);
      }),
    ];
    return () => {
      for (const end of ends) end?.();
    };
  }

  #offer(op: string, asks: boolean): void {
    if (this.#op !== op) return;
    const free = this.#free && this.program !== undefined;
    if (free || !asks || this.#ui.get().keyboard === 'program') {
      this.#stopWatching();
      this.#stopWatching = () => {};
    }
    if (free) this.#ui.update({ keyboard: 'program' });
    this.ahead.release();
  }
}

// Holds keys typed after a shell line until it is known whether they are for its program or for the prompt.

/**
 * Text typed right after `sudo make⏎` is the password, and must not appear in the prompt, where Enter would send it to
 * a model. So keys wait until the command has ended (then the prompt gets them) or has the keyboard (then the command
 * does).
 */
class TypeAhead {
  readonly #schedule: Schedule;
  #held: (() => void)[] | undefined;
  #cancel = () => {};

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  /** Whether keys are waiting. */
  get waits(): boolean {
    return this.#held !== undefined && this.#held.length > 0;
  }

  /** Begins to hold keys for at most `most` ms: a shell that starts more slowly is not waited for. */
  begin(most: number): void {
    if (this.#held) return;
    this.#held = [];
    this.#cancel = this.#schedule(() => this.release(), most);
  }

  /**
   * Holds a key as the function that will take it. Returns false while keys are not held: then it must be taken now.
   */
  hold(take: () => void): boolean {
    this.#held?.push(take);
    return this.#held !== undefined;
  }

  /** Passes all held keys, in order, to the current owner of the keyboard. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#cancel();
    for (const take of held) take();
  }

  /** Ctrl-C: drops the keys typed ahead, as a terminal does. */
  drop(): void {
    this.#held = undefined;
    this.#cancel();
  }
}
