/**
 * Keys for the text field of a dialog. What types goes to the field itself (ink-text-input), once it listens: a moment
 * after it is drawn. The editing keys are the prompt's (hooks/editor), worked out here on the field's text; the field
 * is then drawn anew with its cursor where it belongs.
 */
import { isEditorCommand, runCommand, typeText } from '../editor/commands.ts';
import { createEditor, type EditorState } from '../editor/state.ts';
import { type KeyStream, oneLine } from '../terminal/key-stream.ts';
import type { Schedule } from '../terminal/schedule.ts';
import type { Token } from '../terminal/token.ts';
import type { QuestionDialog } from './halt/dialog.ts';
import type { Store, Ui } from './ui.ts';

/** How often it is looked whether the field listens, and how often at most. Times in ms. */
const POLL_MS = 5;
const MAX_POLLS = 100;

/** The text of the field that is open; undefined where none is. */
export type FieldText = { readonly read: () => string | undefined; readonly write: (text: string) => void };

/** Where a field that is drawn anew begins: `epoch` grows with every such drawing. */
type Place = { readonly epoch: number; readonly cursor: number | undefined };

export class FieldInput {
  readonly #stream: KeyStream;
  readonly #schedule: Schedule;
  readonly #text: FieldText;
  readonly #listeners = new Set<() => void>();
  #waiting: (Token | string)[] = [];
  #cancel = () => {};
  #editor: EditorState = createEditor();
  #place: Place = { epoch: 0, cursor: undefined };
  /** The drawing of the field that listens. */
  #drawn = 0;

  constructor(stream: KeyStream, schedule: Schedule, text: FieldText) {
    this.#stream = stream;
    this.#schedule = schedule;
    this.#text = text;
  }

  get place(): Place {
    return this.#place;
  }

  /** Where the cursor is in the field's text. */
  caret(text: string): number {
    return this.#editor.text === text ? this.#editor.cursor : text.length;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** To be called when a field has been drawn anew, and listens. */
  drawn(epoch: number): void {
    this.#drawn = epoch;
    this.#look(0);
  }

  /** A key that types, or a paste. */
  feed(token: Token): void {
    this.#take(token);
  }

  /** One of the editor's commands. */
  edit(command: string): void {
    this.#take(command);
  }

  /** The field is gone, and what was meant for it. What was killed may be yanked in the next one. */
  drop(): void {
    this.#waiting = [];
    this.#editor = { ...createEditor(), kills: this.#editor.kills };
    this.#place = { epoch: this.#place.epoch, cursor: undefined };
  }

  #take(input: Token | string): void {
    this.#waiting.push(input);
    if (this.#waiting.length === 1) this.#look(0);
  }

  #look(looks: number): void {
    while (this.#waiting.length > 0 && this.#stream.isRaw && this.#drawn === this.#place.epoch) {
      const [input] = this.#waiting;
      // A command works on the whole text: what was typed before it must have arrived.
      if (typeof input === 'string' && this.#stream.busy) break;
      this.#waiting.shift();
      if (typeof input === 'string') this.#run(input);
      else if (input !== undefined) this.#type(input);
    }
    this.#cancel();
    if (this.#waiting.length === 0) return;
    if (looks < MAX_POLLS) this.#cancel = this.#schedule(() => this.#look(looks + 1), POLL_MS);
    else this.#waiting = [];
  }

  #type(token: Token): void {
    this.#follow();
    if (token.type === 'key' && token.text !== undefined) this.#editor = typeText(this.#editor, token.text);
    else if (token.type === 'paste') this.#editor = typeText(this.#editor, oneLine(token.text));
    this.#stream.feed(token);
  }

  #run(command: string): void {
    this.#follow();
    if (!isEditorCommand(command)) return;
    const before = this.#editor;
    this.#editor = runCommand(before, command);
    const { text, cursor } = this.#editor;
    if (text === before.text && cursor === before.cursor) return;
    if (text !== before.text) this.#text.write(text);
    this.#place = { epoch: this.#place.epoch + 1, cursor };
    for (const listener of this.#listeners) listener();
  }

  /** The field's text is the truth; where it is another than was thought, its cursor is at its end. */
  #follow(): void {
    const text = this.#text.read() ?? '';
    if (this.#stream.busy || text === this.#editor.text) return;
    this.#editor = { ...createEditor(text), kills: this.#editor.kills };
  }
}

type Parts = {
  readonly ui: Store<Ui>;
  readonly questions: QuestionDialog;
  /** A search is repeated at every change of its text. */
  find(text: string): void;
};

/** The text of the open field: a question's command, a goal, a search. */
export function fieldText({ ui, questions, find }: Parts): FieldText {
  return {
    read() {
      const { question, panel } = ui.get();
      if (question) return question.edit;
      return panel.kind === 'goal' || panel.kind === 'find' ? panel.text : undefined;
    },
    write(text) {
      const { question, panel } = ui.get();
      if (question) questions.show({ edit: text });
      else if (panel.kind === 'goal') ui.update({ panel: { ...panel, text } });
      else if (panel.kind === 'find') find(text);
    },
  };
}
