/** What comes into the prompt from lines of before: ↑ and ↓, a suggestion, the last word of a line (IN-5, IN-8). */
import type { App } from '../../commands/app.ts';
import { setText } from '../editor/commands.ts';
import { History, type HistoryWalk, type Walked } from '../editor/history.ts';
import { lastWord } from '../editor/shorthand.ts';
import { type EditorState, expand } from '../editor/state.ts';
import type { AfterFailure } from './after-failure.ts';
import type { Store } from './store.ts';
import { firstWord, suggest } from './suggest.ts';
import type { Ui } from './ui.ts';

/** Keys that take of a suggestion, at the end of the text; and what. */
const TAKES: Readonly<Record<string, (rest: string) => string>> = {
  right: (rest) => rest,
  lineEnd: (rest) => rest,
  wordRight: firstWord,
};

export class Recall {
  readonly history: History;
  readonly #app: App;
  readonly #ui: Store<Ui>;
  readonly #failure: AfterFailure;
  /** A walk through the history, and the text it stands at. */
  #walk: { readonly at: HistoryWalk; readonly text: string } | undefined;
  #suggested: { readonly of: EditorState; readonly rest: string } | undefined;
  /** The word that Alt-. has put: of which line, and where it begins. */
  #argument: { readonly text: string; readonly at: number; readonly start: number } | undefined;

  constructor(app: App, ui: Store<Ui>, failure: AfterFailure) {
    this.#app = app;
    this.#ui = ui;
    this.#failure = failure;
    this.history = new History(() => app.history.entries());
  }

  /** How the line most likely goes on; in an empty prompt, what follows from the last thing that ended. Empty where nothing is suggested. */
  get suggestion(): string {
    const { editor, goalNext, panel } = this.#ui.get();
    const { ui, history, engine } = this.#app;
    if (!ui.suggestions || goalNext || panel.kind !== 'none' || editor.cursor < editor.text.length) return '';
    if (editor.text === '') return this.#failure.line;
    if (this.#suggested?.of !== editor) {
      const kept = { lines: this.history.lines(), factsOf: history.factsOf, isAgents: history.isAgents };
      this.#suggested = { of: editor, rest: suggest(editor.text, engine.shellCwd, kept) ?? '' };
    }
    return this.#suggested.rest;
  }

  /** The text behind a command that recalls something; undefined where there is nothing, or it is no such command. */
  edit(editor: EditorState, command: string): EditorState | undefined {
    const taken = TAKES[command]?.(this.suggestion) ?? '';
    if (taken !== '') return setText(editor, editor.text + taken);
    if (command === 'historyOlder') return this.#show(editor, this.history.older(this.#walkOf(editor), expand(editor)));
    if (command === 'historyNewer') return this.#show(editor, this.history.newer(this.#walkOf(editor)));
    return command === 'lastArgument' ? this.#lastArgument(editor) : undefined;
  }

  /** Another text ends a walk. */
  #walkOf({ text }: EditorState): HistoryWalk | undefined {
    return this.#walk?.text === text ? this.#walk.at : undefined;
  }

  #show(editor: EditorState, walked: Walked | undefined): EditorState | undefined {
    if (!walked) return undefined;
    const next = setText(editor, walked.text);
    this.#walk = { at: walked.walk, text: next.text };
    if (this.#app.history.isAgents(walked.text)) this.#ui.update({ hint: 'the agent ran this' });
    return next;
  }

  /** Pressed again, it goes on to the line before. */
  #lastArgument(editor: EditorState): EditorState | undefined {
    const had = this.#argument?.text === editor.text ? this.#argument : undefined;
    const lines = this.history.lines();
    const start = had?.start ?? editor.cursor;
    const before = had && editor.text.slice(start, editor.cursor);
    let at = (had?.at ?? lines.length) - 1;
    while (at >= 0 && (lastWord(lines[at] ?? '') ?? before) === before) at -= 1;
    const word = lastWord(lines[at] ?? '');
    if (word === undefined) return undefined;
    const next = setText(
      editor,
      editor.text.slice(0, start) + word + editor.text.slice(editor.cursor),
      start + word.length,
    );
    this.#argument = { text: next.text, at, start };
    return next;
  }
}
