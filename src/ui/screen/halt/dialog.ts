/** The question on screen: focus, scrolling, editing, and when it may be answered (HA-1, law 3). */
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
 * A letter answers only if no other key follows within this time: the first letter of a word that was meant for the
 * prompt is no answer. In ms; slower than a typist, quicker than a decision.
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
  /** Takes back a letter that waits to be alone. */
  #cancelLetter: (() => void) | undefined;
  /** What becomes of that letter when it was the beginning of a word. */
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

  /** The question on screen, if any, with its secrets revealed: what the user decides on is what will run. */
  get head(): Question | undefined {
    const [head] = this.#engine.state.questions;
    return head && this.#engine.actions.revealQuestion(head);
  }

  /**
   * To be called after each change of the engine: another question starts unarmed, with the focus on not running it.
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

  /** To be called once the frame that shows `id` was written: from here the terminal's answer is waited for. */
  drawn(id: string): void {
    const shown = this.#ui.get().question;
    if (this.#held || shown?.id !== id || shown.armed || this.#arming) return;
    const armed = (calm: boolean) => this.#change(id, { armed: true, hurried: !calm });
    this.#arming = startArming(this.#fence, this.#schedule, armed);
  }

  /** The screen is hidden, or back: a question that could not be seen is not armed, and begins to wait anew. */
  hold(held: boolean): void {
    this.#held = held;
    this.#arming?.cancel();
    this.#arming = undefined;
    const shown = this.#ui.get().question;
    if (!shown) return;
    this.#change(shown.id, { armed: false });
    if (!held) this.drawn(shown.id);
  }

  /** To be called once a frame with these lines was drawn. Lines that were jumped over do not count. */
  saw(id: string, columns: number, from: number, to: number): void {
    const shown = this.#ui.get().question;
    if (this.#held || shown?.id !== id) return;
    const known = shown.seen?.columns === columns ? shown.seen.to : 0;
    if (from <= known && to > known) this.#change(id, { seen: { columns, to } });
  }

  /**
   * Whether input may act on the question; what is typed and may not starts the quiet time anew. @param types whether
   * somebody who writes a text could have pressed it: then it acts only behind a quiet time
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

  /** Somebody types into something else: the question is not armed any more and the quiet time starts anew. */
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

  /** Does what a letter means, once it has stayed alone; else `lost`. */
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

  /** Enter in the text field: the changed command, or the next field of a form. */
  submitEdit(text: string): void {
    const { head } = this;
    const form = this.#ui.get().question?.form;
    if (head?.kind === 'form' && form) this.show(takeField(head, form, text));
    else if (this.#ui.get().question?.noting) this.answer({ kind: 'skip', note: text });
    else this.answer({ kind: 'edit', command: fromVisible(text) });
  }

  /** To another field of a form, keeping what was typed; without a number, out of the fields. */
  leaveField(by?: -1 | 1): void {
    const { edit = '', form } = this.#ui.get().question ?? {};
    if (!form) return this.show({ edit: undefined, noting: false });
    const kept = { values: form.values.with(form.at, edit), at: form.at };
    this.show(by === undefined ? { form: kept, edit: undefined } : moveTo(kept, form.at + by));
  }

  /** Back into the fields of a form, from the first. */
  enterFields(): void {
    const { form } = this.#ui.get().question ?? {};
    if (form) this.show(moveTo(form, 0));
  }

  /** Says yes to a form: sends it, or goes to the field that does not fit. */
  sendForm(fill: (form: string, content: FormContent) => void): void {
    const { head } = this;
    const { form, armed } = this.#ui.get().question ?? {};
    if (head?.kind !== 'form' || !form || !armed) return;
    const closed = closeForm(head, form);
    if (!('content' in closed)) return this.show(closed);
    fill(head.form, closed.content);
    this.answer({ kind: 'proceed' });
  }

  /** Gives the answer, where the question is armed and still the one on screen. */
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

// When a question may be answered: its frame is drawn, and the user is not typing into something else (HA-1).

/** How long the keyboard must have been quiet, and how long a terminal that never answers is waited for. */
const QUIET_MS = 500;
const DRAWN_TIMEOUT_MS = 500;
/** After so long a question is armed though somebody types on; what is typed still answers only behind a quiet time. */
const MOST_MS = 3000;

type Arming = {
  /** Call for everything that is typed or pasted until it was quiet: restarts the quiet time. */
  disturbed(): void;
  /** The question is gone; nothing will be armed any more. */
  cancel(): void;
};

/**
 * Starts the wait; `armed` is called once the question may be answered, and again with `calm` once it was quiet where
 * it was not. To be started after the question's frame was handed to the terminal.
 * `fence` is `Terminal.fence`.
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
