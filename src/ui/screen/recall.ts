/**
 * Text that earlier lines bring into the prompt: ↑ and ↓, a suggestion, the last word, the correction of a failed line
 * (IN-5, IN-8).
 */
import type { App } from '../../commands/app.ts';
import type { LineFacts } from '../../contracts/store.ts';
import { tellsChanges } from '../../contracts/undo.ts';
import type { CommandResult } from '../../session/action.ts';
import type { SessionEvent } from '../../session/event.ts';
import { plainText } from '../../text/sanitize.ts';
import { setText } from '../editor/commands.ts';
import { History, type HistoryWalk, lastWord, type Walked } from '../editor/history.ts';
import { type EditorState, expand } from '../editor/state.ts';
import type { Store, Ui } from './ui.ts';

// Suggests the rest of a line (IN-8): the newest line of the history that begins with the draft.

type Kept = {
  /** The lines, oldest first. */
  readonly lines: readonly string[];
  readonly factsOf: (line: string) => LineFacts | undefined;
  readonly isAgents: (line: string) => boolean;
};

/** A yes holds only for what was shown before it. */
const CONFIRMATION = /^:.* yes$/;
/** The exit code of a shell for a command that does not exist. */
const NOT_FOUND = 127;
/** Matches in this directory are searched this far back; beyond that the newest match is used. */
const MAX_HERE = 500;

/** Returns the rest of the line, preferring lines that ran in this directory; undefined for none. */
export function suggest(text: string, cwd: string, { lines, factsOf, isAgents }: Kept): string | undefined {
  if (text.trim() === '' || /[\n\ufdd0-\ufdef]/.test(text)) return undefined;
  let newest: string | undefined;
  let left = MAX_HERE;
  for (let index = lines.length - 1; index >= 0 && left > 0; index -= 1) {
    const line = lines[index] ?? '';
    if (line.length <= text.length || !line.startsWith(text) || line.includes('\n') || isAgents(line)) continue;
    if (CONFIRMATION.test(line)) continue;
    left -= 1;
    const facts = factsOf(line);
    if (facts?.exit === NOT_FOUND) continue;
    if (facts?.cwd === cwd) return line.slice(text.length);
    newest ??= line.slice(text.length);
  }
  return newest;
}

/** The first word of a suggestion, with the blanks before it. */
export function firstWord(rest: string): string {
  return /^\s*[^\s/]*(?:\/|(?=\s|$))/.exec(rest)?.[0] ?? rest;
}

/** Keys that accept a suggestion at the end of the text, and how much of it. */
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
  /** A walk through the history, and its current text. */
  #walk: { readonly at: HistoryWalk; readonly text: string } | undefined;
  #suggested: { readonly of: EditorState; readonly rest: string } | undefined;
  /** The word that Alt-. inserted: its line, and its start. */
  #argument: { readonly text: string; readonly at: number; readonly start: number } | undefined;

  constructor(app: App, ui: Store<Ui>, failure: AfterFailure) {
    this.#app = app;
    this.#ui = ui;
    this.#failure = failure;
    this.history = new History(() => app.history.entries());
  }

  /** The suggested rest of the line; in an empty prompt, the follow-up of the last command or run. Empty for none. */
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

  /**
   * Returns the text after a command that recalls something; undefined where there is nothing, or for other commands.
   */
  edit(editor: EditorState, command: string): EditorState | undefined {
    const taken = TAKES[command]?.(this.suggestion) ?? '';
    if (taken !== '') return setText(editor, editor.text + taken);
    if (command === 'historyOlder') return this.#show(editor, this.history.older(this.#walkOf(editor), expand(editor)));
    if (command === 'historyNewer') return this.#show(editor, this.history.newer(this.#walkOf(editor)));
    return command === 'lastArgument' ? this.#lastArgument(editor) : undefined;
  }

  /** A changed text ends a walk. */
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

  /** Inserts the last word of the previous line; pressed again, that of the line before. */
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

// The follow-up of what has just ended: the corrected spelling of a command that was not found, asking the model about
// a failure, or the changes of a run.

type Failed = { readonly line: string; readonly exit: number; readonly corrected?: string };

/** Exit codes for wrong usage. Source: sysexits(3), bash, git. */
const USAGE_EXITS = new Set([2, 64, 129]);
const USAGE =
  /^usage:|(?:unrecognized|unknown|invalid|illegal) (?:option|argument|flag|command|subcommand)|try ['`"].* --help|is not a \S+ command/im;

/** The name that a shell did not find. Source: bash, dash, zsh, fish. */
const MISSING = /(?:command not found|Unknown command): (\S+)|([^\s:]+): (?:command )?not found(?!:)/gm;

/** The text that may precede a command's name. */
const BEFORE_COMMAND = /(?:^|[;&|({!]|\b(?:then|do|else|time|sudo|exec))$/;

/** Follows the user's commands and remembers the last one that failed. */
export class AfterFailure {
  readonly #app: App;
  readonly #hint: (text: string) => void;
  readonly #running = new Map<string, { readonly line: string; readonly private: boolean }>();
  #failed: Failed | undefined;
  #changed = false;

  /** @param hint shows one line until the next key */
  constructor(app: App, hint: (text: string) => void) {
    this.#app = app;
    this.#hint = hint;
  }

  /**
   * The suggestion for an empty prompt: the corrected last line, or the command that lists a run’s changes; empty for
   * none.
   */
  get line(): string {
    return this.#changed ? ':undo run' : (this.#failed?.corrected ?? '');
  }

  /** The question to the model about the last command; undefined where it did not fail. */
  get question(): string | undefined {
    if (!this.#failed) return undefined;
    const { line, exit } = this.#failed;
    return `\`${line}\` failed with exit code ${exit}. What is wrong, and what should I run instead?`;
  }

  /** The user sent something, so the offer to list a run's changes ends. */
  goesOn(): void {
    this.#changed = false;
  }

  /** A key was pressed, so the corrected line is offered no longer; returns whether one was. */
  dropCorrection(): boolean {
    if (this.#failed?.corrected === undefined) return false;
    const { line, exit } = this.#failed;
    this.#failed = { line, exit };
    return true;
  }

  follow(event: SessionEvent, askKey: string): void {
    if (event.type === 'shellStarted') {
      this.#running.set(event.op, event);
      this.#failed = undefined;
    }
    if (event.type === 'noticed' && tellsChanges(event.text)) {
      this.#changed = true;
      this.#hint('→, then Enter: show what it changed');
    }
    if (event.type !== 'shellEnded') return;
    const begun = this.#running.get(event.op);
    this.#running.delete(event.op);
    const { exit } = event.result;
    // The model must not hear of private commands.
    if (!begun || begun.private || exit === null || exit === 0 || event.result.note !== undefined) return;
    const { line } = begun;
    const corrected = exit === NOT_FOUND ? this.#correct(line, event.result) : undefined;
    this.#failed = { line, exit, ...(corrected === undefined ? {} : { corrected }) };
    const ask = `${askKey} asks the model`;
    if (corrected !== undefined) this.#hint(`did you mean ${corrected}? → inserts it · ${ask}`);
    else if (exit === NOT_FOUND || isUsageError(event.result)) this.#hint(`${ask} what is wrong`);
  }

  /** Returns the line with a similar name in place of an unknown one; undefined if no name is similar. */
  #correct(line: string, { head, tail }: CommandResult): string | undefined {
    const [, ...names] = [...plainText(`${head}\n${tail}`).matchAll(MISSING)].at(-1) ?? [];
    // In other languages the message is not understood: then only a line of a single command shows which word was not
    // found.
    const word = names.find(Boolean) ?? (/[;&|(){}]/.test(line) ? undefined : /^\s*([\w.+-]+)/.exec(line)?.[1]);
    const near = word === undefined ? undefined : this.#app.words.nearest(word);
    if (word === undefined || near === undefined) return undefined;
    // A word before a parenthesis is a function's name.
    const parts = line.trimStart().split(/(?<=[\s;&|({!])|(?=[\s;&|)])/);
    const before = (at: number) => parts.slice(0, at).join('').trimEnd();
    const at = parts.findIndex((part, place) => part === word && BEFORE_COMMAND.test(before(place)));
    return at < 0 ? undefined : parts.with(at, near).join('');
  }
}

function isUsageError({ exit, head, tail }: CommandResult): boolean {
  const said = plainText(`${head}\n${tail}`);
  return USAGE.test(said) || (exit !== null && USAGE_EXITS.has(exit) && /\busage\b/i.test(said));
}
