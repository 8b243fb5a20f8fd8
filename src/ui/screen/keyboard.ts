/** Who has the keyboard: the prompt, or the program in the foreground (EX-4). */
import type { App } from '../../commands/app.ts';
import type { RunningCommand } from '../../contracts/commands.ts';
import { runningOf } from '../../session/slots.ts';
import { isEmpty } from '../editor/state.ts';
import type { Schedule } from '../terminal/schedule.ts';
import type { Store, Ui } from './ui.ts';

/** How long a command of the user's runs before it gets the keyboard; quicker ones never do. In ms. */
const HANDOVER_MS = 200;
/** The same where keys were typed ahead: it may yet ask, and what is typed before that would be echoed. */
const HANDOVER_TYPING_MS = 700;
/** How long a shell that still comes up is waited for, with what was typed behind its first line. */
const SHELL_START_TIMEOUT_MS = 1500;

export class Keyboard {
  readonly #app: App;
  readonly #ui: Store<Ui>;
  readonly #schedule: Schedule;
  readonly ahead: TypeAhead;
  /** The user's command that was last seen running, and the job that was last seen in front. */
  #op: string | undefined;
  #job: number | undefined;
  #stopWatching = () => {};

  constructor(app: App, ui: Store<Ui>, schedule: Schedule) {
    this.#app = app;
    this.#ui = ui;
    this.#schedule = schedule;
    this.ahead = new TypeAhead(schedule);
  }

  /** The program that keys would go to: the job in front, then the user's own before the model's. */
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

  /** A shell line was sent while nothing ran: what is typed from here on may be for its program. */
  expect(): void {
    this.ahead.begin(SHELL_START_TIMEOUT_MS);
  }

  /** To be called after each change of the engine. */
  follow(): void {
    const { engine, front } = this.#app;
    const op = engine.state.shell.running?.op;
    if (op !== this.#op) {
      this.#op = op;
      this.#stopWatching();
      this.#stopWatching = op === undefined ? () => {} : this.#watch(op);
      // One thing is in front: what the user has just started.
      if (op !== undefined) front.leave();
    }
    if (front.job?.id !== this.#job) {
      this.#job = front.job?.id;
      // A job of the model is only watched; keys go to it when the user asks for that.
      if (front.job?.owner === 'user' && this.#free) this.#ui.update({ keyboard: 'program' });
    }
    if (this.#ui.get().keyboard === 'program' && !this.program) this.#ui.update({ keyboard: 'prompt' });
    if (op === undefined && !this.#app.shell.busy) this.ahead.release();
  }

  dispose(): void {
    this.#stopWatching();
    this.ahead.drop();
  }

  /** Nothing else is being typed. */
  get #free(): boolean {
    const { keyboard, editor, panel, question } = this.#ui.get();
    return keyboard === 'prompt' && panel.kind === 'none' && !question && isEmpty(editor);
  }

  /**
   * A program that asks, or runs on for a moment, is one to type into: it is offered the keyboard, once. Where a draft
   * is in the way, one that asks is offered it again when the draft is gone.
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
    // What it does not read comes back to the prompt behind its end.
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

// Keys typed behind a shell line, before it is known whether they are for its program or for the prompt.

/**
 * What is typed right behind `sudo make⏎` is the password, and must not stand in the prompt, where Enter would send it
 * to a model. So keys wait until the command has ended (then they are the prompt's) or has the keyboard (then its own).
 */
class TypeAhead {
  readonly #schedule: Schedule;
  #held: (() => void)[] | undefined;
  #cancel = () => {};

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  /** Keys have been typed that wait. */
  get waits(): boolean {
    return this.#held !== undefined && this.#held.length > 0;
  }

  /** Begins to hold, for `most` ms: a shell that is not up by then is not waited for. */
  begin(most: number): void {
    if (this.#held) return;
    this.#held = [];
    this.#cancel = this.#schedule(() => this.release(), most);
  }

  /** Holds a key, given as what takes it later. False while nothing is held: it is to be taken now. */
  hold(take: () => void): boolean {
    this.#held?.push(take);
    return this.#held !== undefined;
  }

  /** It is decided: everything held goes, in order, to what has the keyboard now. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#cancel();
    for (const take of held) take();
  }

  /** Ctrl-C: what was typed ahead is forgotten, as a terminal does. */
  drop(): void {
    this.#held = undefined;
    this.#cancel();
  }
}
