/** The open question on screen: focus, scrolling, editing, and when it may be answered (HA-1, law 3). */
import type { Engine } from '../../../engine/engine.ts';
import type { Answer } from '../../../session/event.ts';
import type { FormContent } from '../../../session/form.ts';
import type { Question } from '../../../session/question.ts';
import { fromVisible } from '../../../text/spelled.ts';
import type { Schedule } from '../../terminal/schedule.ts';
import type { QuestionUi, Store } from '../ui.ts';
import { beginForm, closeForm, moveTo, takeField } from './form.ts';
import { wordsOf } from './words.ts';

/**
 * The time, in ms, in which no other key may follow a letter that answers: the first letter of a word meant for the
 * prompt is not an answer. Longer than a typist’s pause, shorter than a decision.
 */
const ALONE_MS = 150;

type Holder = { readonly question?: QuestionUi | undefined };

export class QuestionDialog {
  readonly #engine: Engine;
  readonly #ui: Store<Holder>;
  readonly #fence: (milliseconds: number) => Promise<boolean>;
  readonly #schedule: Schedule;
  #arming: Arming | undefined;
  #held = false;
  /** Cancels a letter whose time has not passed yet. */
  #cancelLetter: (() => void) | undefined;
  /** Handles that letter when it turns out to start a word. */
  #lost = () => {};

  constructor(
    engine: Engine,
    ui: Store<Holder>,
    fence: (milliseconds: number) => Promise<boolean>,
    schedule: Schedule,
  ) {
    this.#engine = engine;
    this.#ui = ui;
    this.#fence = fence;
    this.#schedule = schedule;
  }

  /** Returns the open question, if any, with its secrets revealed: the user decides on what will really run. */
  get head(): Question | undefined {
    const [head] = this.#engine.state.questions;
    return head && this.#engine.actions.revealQuestion(head);
  }

  /**
   * Must be called after each change of the engine. A new question starts unarmed, with the focus on not running the
   * action.
   */
  follow(): void {
    const { head } = this;
    if (this.#ui.get().question?.id === head?.id) return;
    this.#dropLetter();
    this.#arming?.cancel();
    this.#arming = undefined;
    const question = head && {
      id: head.id,
      focus: wordsOf(head).start,
      armed: false,
      hurried: false,
      top: 0,
      ...(head.kind === 'form' ? beginForm(head) : {}),
    };
    this.#ui.update({ question });
  }

  /** Must be called once the frame that shows `id` was written: then the wait for the terminal's reply begins. */
  drawn(id: string): void {
    const shown = this.#ui.get().question;
    if (this.#held || shown?.id !== id || shown.armed || this.#arming) return;
    const armed = (calm: boolean) => this.#change(id, { armed: true, hurried: !calm });
    this.#arming = startArming(this.#fence, this.#schedule, armed);
  }

  /**
   * Called when the screen is hidden and when it is back: a question that was not visible is disarmed and waits again.
   */
  hold(held: boolean): void {
    this.#held = held;
    this.#arming?.cancel();
    this.#arming = undefined;
    const shown = this.#ui.get().question;
    if (!shown) return;
    this.#change(shown.id, { armed: false });
    if (!held) this.drawn(shown.id);
  }

  /** Must be called once a frame with these lines was drawn. Lines that were skipped do not count. */
  saw(id: string, columns: number, from: number, to: number): void {
    const shown = this.#ui.get().question;
    if (this.#held || shown?.id !== id) return;
    const known = shown.seen?.columns === columns ? shown.seen.to : 0;
    if (from <= known && to > known) this.#change(id, { seen: { columns, to } });
  }

  /**
   * Returns whether input may act on the question. Input that may not restarts the quiet time.
   * @param types whether the key can be part of a text: then it acts only after a quiet time
   */
  ready(types = true): boolean {
    const shown = this.#ui.get().question;
    if (!shown) return false;
    if (this.#cancelLetter) this.stray();
    else if (shown.armed && !(types && shown.hurried)) return true;
    if (types) this.#arming?.disturbed();
    this.#change(shown.id, { hurried: true });
    return false;
  }

  /** Called when the user types into something else: the question is disarmed, and its quiet time starts again. */
  stray(): void {
    const shown = this.#ui.get().question;
    const lost = this.#cancelLetter ? this.#lost : () => {};
    this.#dropLetter();
    lost();
    if (!shown) return;
    this.#arming?.cancel();
    this.#arming = undefined;
    this.#change(shown.id, { armed: false, hurried: true });
    this.drawn(shown.id);
  }

  /** Calls `act` once a letter has stayed alone; else `lost`. */
  byLetter(act: () => void, lost: () => void): void {
    this.#lost = lost;
    this.#cancelLetter = this.#schedule(() => {
      this.#cancelLetter = undefined;
      act();
    }, ALONE_MS);
  }

  /** Moves the focus, scrolls, or edits. */
  show(change: Partial<Omit<QuestionUi, 'id' | 'armed' | 'edit'>> & { readonly edit?: string | undefined }): void {
    const shown = this.#ui.get().question;
    if (!shown) return;
    const { edit, ...rest } = { ...shown, ...change };
    this.#ui.update({ question: edit === undefined ? rest : { ...rest, edit } });
  }

  /** Enter in the text field: takes the changed command, or goes to the next field of a form. */
  submitEdit(text: string): void {
    const { head } = this;
    const form = this.#ui.get().question?.form;
    if (head?.kind === 'form' && form) this.show(takeField(head, form, text));
    else if (this.#ui.get().question?.noting) this.answer({ kind: 'skip', note: text });
    else this.answer({ kind: 'edit', command: fromVisible(text) });
  }

  /** Goes to another field of a form and keeps the text; without a number, leaves the fields. */
  leaveField(by?: -1 | 1): void {
    const { edit = '', form } = this.#ui.get().question ?? {};
    if (!form) return this.show({ edit: undefined, noting: false });
    const kept = { values: form.values.with(form.at, edit), at: form.at };
    this.show(by === undefined ? { form: kept, edit: undefined } : moveTo(kept, form.at + by));
  }

  /** Enters the fields of a form again, at the first. */
  enterFields(): void {
    const { form } = this.#ui.get().question ?? {};
    if (form) this.show(moveTo(form, 0));
  }

  /** Sends a form, or goes to the first field with a wrong value. */
  sendForm(fill: (form: string, content: FormContent) => void): void {
    const { head } = this;
    const { form, armed } = this.#ui.get().question ?? {};
    if (head?.kind !== 'form' || !form || !armed) return;
    const closed = closeForm(head, form);
    if (!('content' in closed)) return this.show(closed);
    fill(head.form, closed.content);
    this.answer({ kind: 'proceed' });
  }

  /** Gives the answer, if the question is armed and still on screen. */
  answer(answer: Answer): void {
    const { head } = this;
    const shown = this.#ui.get().question;
    if (!head || !shown?.armed || shown.id !== head.id) return;
    void this.#engine.dispatch({ type: 'answered', question: head.id, answer }, head.session);
  }

  dispose(): void {
    this.#dropLetter();
    this.#arming?.cancel();
  }

  #dropLetter(): void {
    this.#cancelLetter?.();
    this.#cancelLetter = undefined;
  }

  #change(id: string, change: Partial<QuestionUi>): void {
    const shown = this.#ui.get().question;
    if (shown?.id === id) this.#ui.update({ question: { ...shown, ...change } });
  }
}

// A question may be answered once its frame is drawn and the user does not type into something else (HA-1).

/** How long the keyboard must be quiet, and how long to wait for a terminal that never replies. */
const QUIET_MS = 500;
const DRAWN_TIMEOUT_MS = 500;
/** After this time a question is armed even while the user types; text still answers only after a quiet time. */
const MOST_MS = 3000;

type Arming = {
  /** Must be called for all input until the keyboard was quiet: restarts the quiet time. */
  disturbed(): void;
  /** Ends the waits; nothing is armed any more. */
  cancel(): void;
};

/**
 * Starts the waits after the question's frame was given to the terminal. `armed` is called once the question may be
 * answered, and again with `calm` once the keyboard was quiet, if it was not before. `fence` is `Terminal.fence`.
 */
export function startArming(
  fence: (milliseconds: number) => Promise<boolean>,
  schedule: Schedule,
  armed: (calm: boolean) => void,
): Arming {
  let over = false;
  let drawn = false;
  let quiet = false;
  let late = false;
  let cancelQuiet = schedule(becomeQuiet, QUIET_MS);
  const cancelLate = schedule(becomeLate, MOST_MS);

  function check(): void {
    if (over || !drawn || !(quiet || late)) return;
    over = quiet;
    if (quiet) cancelLate();
    armed(quiet);
  }

  function becomeLate(): void {
    late = true;
    check();
  }

  function becomeQuiet(): void {
    quiet = true;
    check();
  }

  void fence(DRAWN_TIMEOUT_MS).then(() => {
    drawn = true;
    check();
  });

  return {
    disturbed() {
      if (over) return;
      quiet = false;
      cancelQuiet();
      cancelQuiet = schedule(becomeQuiet, QUIET_MS);
    },
    cancel() {
      over = true;
      cancelQuiet();
      cancelLate();
    },
  };
}
