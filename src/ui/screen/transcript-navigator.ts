/** Reading the transcript: the selected entry, the search, and copying (UI-2). */

import type { Entry } from '../../session/entry.ts';
import { visible } from '../../text/sanitize.ts';
import { headsCode } from '../render/markdown.ts';
import { type Count, countMatches, findLine, occurrences, type Searchable } from '../render/search.ts';
import type { Anchor } from '../render/viewport.ts';
import { type Clip, clipboardSequence } from '../terminal/terminal.ts';
import { codeOf, entryName, entryText, partOf } from './entries/lines.ts';
import type { TranscriptView } from './transcript-view.ts';
import { NO_PANEL, type Store, type Ui } from './ui.ts';

/** The most characters of a command that name it in a note. */
const MAX_NAME = 30;

export class TranscriptNavigator {
  readonly #view: TranscriptView;
  readonly #ui: Store<Ui>;
  readonly #write: (sequence: string) => void;
  /** The texts of entries, cached during a search. */
  readonly #texts = new WeakMap<Entry, string>();
  #selected: string | undefined;
  #query = '';
  #match: Anchor | undefined;
  /** The place where the search in progress began. */
  #origin: Anchor | undefined;

  readonly #readOutput: (file: string) => Promise<string>;

  /**
   * @param write writes to the terminal without the compositor
   * @param readOutput reads the full text of an output that was cut
   */
  constructor(
    view: TranscriptView,
    ui: Store<Ui>,
    write: (sequence: string) => void,
    readOutput: (file: string) => Promise<string>,
  ) {
    this.#view = view;
    this.#ui = ui;
    this.#write = write;
    this.#readOutput = readOutput;
  }

  /** The key of the entry that fold and copy act on. */
  get selected(): string | undefined {
    return this.#selected;
  }

  /** The line of the current match. */
  get match(): Anchor | undefined {
    return this.#match;
  }

  get query(): string {
    return this.#query;
  }

  /** Selects the last entry in view. */
  enter(): void {
    this.#ui.update({ panel: { kind: 'scroll', note: '' } });
    this.#view.lookBack();
    this.#select(this.#view.keysInView().findLast((key) => this.#view.entryOf(key)?.kind !== 'norrisStep'));
  }

  leave(): void {
    this.#match = undefined;
    this.#query = '';
    this.#select(undefined);
    this.#ui.update({ panel: NO_PANEL });
  }

  /** The selected entry, as the user sees it. */
  get entry(): Entry | undefined {
    return this.#selected === undefined ? undefined : this.#view.entryOf(this.#selected);
  }

  /** Selects an entry and scrolls to it. */
  goTo(key: string): void {
    this.#ui.update({ panel: { kind: 'scroll', note: '' } });
    this.#select(key);
    this.#view.reveal({ key, line: 0 });
  }

  /**
   * Goes to the previous or next entry that is `wanted`; from none, to the last one. Returns false where there is none.
   */
  step(direction: -1 | 1, wanted?: (key: string) => boolean): boolean {
    const inView = this.#view.keysInView();
    const from = this.#selected !== undefined && inView.includes(this.#selected) ? this.#selected : inView.at(-1);
    const key = from === undefined ? undefined : this.#view.neighbour(from, direction, wanted);
    if (key === undefined) return false;
    this.#select(key);
    this.#view.reveal({ key, line: 0 });
    return true;
  }

  /** Goes to the previous or next command; from the prompt, to the last one. */
  stepCommand(direction: -1 | 1): boolean {
    return this.step(direction, (key) => this.#view.entryOf(key)?.kind === 'exec');
  }

  /** Folds or unfolds an entry, and returns a hint. */
  toggleFold(key = this.#selected): string | undefined {
    if (key === undefined) return 'nothing to fold';
    return this.#view.toggleFold(key) ? undefined : 'too short to fold';
  }

  /** The text that was copied last. */
  copied = '';

  /** Copies the entry, or a part of a command, to the terminal's clipboard, and returns a hint. */
  copy(part: 'all' | 'command' | 'output' = 'all'): string {
    const { entry } = this;
    const text = entry && (part === 'all' ? entryText(entry) : partOf(entry, part));
    if (entry === undefined || text === undefined || text === '') return 'nothing to copy';
    return this.copyText(text, part === 'output' ? `output of ${entryName(entry)}` : entryName(entry));
  }

  /** Copies the code block of an answer, each time the next one; an entry without code as a whole. */
  copyCode(): string {
    const { entry } = this;
    const blocks = entry ? codeOf(entry) : [];
    if (blocks.length === 0) return this.copy();
    const at = (blocks.indexOf(this.copied) + 1) % blocks.length;
    return this.#copyBlock(blocks, at) ?? 'nothing to copy';
  }

  /** Copies the code block whose first row is this line of an entry; undefined where that is none. */
  copyCodeAt({ key, line }: Anchor): string | undefined {
    const rows = this.#view.linesAt(key).slice(0, line + 1);
    const entry = this.#view.entryOf(key);
    if (!entry || !headsCode(rows.at(-1) ?? '')) return undefined;
    return this.#copyBlock(codeOf(entry), rows.filter(headsCode).length - 1);
  }

  #copyBlock(blocks: readonly string[], at: number): string | undefined {
    const block = blocks[at];
    const which = blocks.length > 1 ? ` ${at + 1} of ${blocks.length}` : '';
    return block === undefined ? undefined : this.copyText(block, `code block${which}`);
  }

  /** Copies a text to the terminal's clipboard, and returns a hint with its size. */
  copyText(text: string, name: string): string {
    this.copied = text;
    const clip = clipboardSequence(text);
    this.#write(clip.sequence);
    return copiedText(clip, name);
  }

  toggleMark(): string {
    if (this.#selected === undefined) return 'nothing to mark';
    return this.#view.toggleMark(this.#selected) ? 'marked' : 'no longer marked';
  }

  /** Goes to the next mark, around the end. */
  nextMark(): boolean {
    const { keys } = this.#view.searchable;
    const at = this.#selected === undefined ? -1 : keys.indexOf(this.#selected);
    const key = [...keys.slice(at + 1), ...keys.slice(0, at + 1)].find((each) => this.#view.isMarked(each));
    if (key === undefined) return false;
    this.#select(key);
    this.#view.reveal({ key, line: 0 });
    return true;
  }

  /** Begins to filter the lines of the selected entry by the text typed next. */
  beginFilter(): boolean {
    if (this.#selected === undefined) return false;
    this.#ui.update({ panel: { kind: 'find', text: '', note: '', filter: this.#selected } });
    return true;
  }

  /** Begins a search: each change of its text starts from here. */
  begin(): void {
    const top = this.#view.top();
    this.#origin = this.#match ?? (top && { key: top.key, line: top.line - 1 });
    this.#ui.update({ panel: { kind: 'find', text: '', note: '' } });
  }

  /** Searches for a changed text: goes to the first match in view or below, else to the nearest above. */
  find(text: string): void {
    const { panel } = this.#ui.get();
    if (panel.kind === 'find' && panel.filter !== undefined) {
      const { shown, all } = this.#view.filter(panel.filter, text);
      this.#ui.update({ panel: { ...panel, text, note: text === '' ? '' : `${shown} of ${all} lines` } });
      return;
    }
    this.#query = text;
    const ahead = findLine(this.#source, text, this.#origin, 1);
    const around = ahead && this.#origin && this.#isBefore(ahead, this.#origin);
    const note = this.#goTo(around ? findLine(this.#source, text, this.#origin, -1) : ahead);
    this.#ui.update({ panel: { kind: 'find', text, note } });
  }

  /** Ends the input and keeps the search for the keys that go to the next match. */
  keep(): void {
    const { panel } = this.#ui.get();
    if (panel.kind === 'find') this.#ui.update({ panel: { kind: 'scroll', note: panel.note } });
  }

  cancel(): void {
    const { panel } = this.#ui.get();
    if (panel.kind === 'find' && panel.filter !== undefined) this.#view.filter(panel.filter, '');
    this.#query = '';
    this.#match = undefined;
    this.#view.refresh();
    this.#ui.update({ panel: { kind: 'scroll', note: '' } });
  }

  /** Goes to the next match, or the previous one, around the ends. */
  next(direction: -1 | 1): void {
    const note = this.#goTo(findLine(this.#source, this.#query, this.#match, direction));
    this.#ui.update({ panel: { kind: 'scroll', note } });
  }

  #goTo(match: Anchor | undefined): string {
    this.#match = match;
    if (match) {
      this.#select(match.key);
      this.#view.reveal(match);
    } else this.#view.refresh();
    const note = matchCount(this.#query, countMatches(this.#source, this.#query, match));
    void this.#lookInCut(this.#query, note);
    return note;
  }

  /**
   * Adds to the note the last output whose left-out middle contains the query: no line of the transcript shows that
   * match.
   */
  async #lookInCut(query: string, note: string): Promise<void> {
    if (query.trim() === '') return;
    for (const key of this.#view.searchable.keys.toReversed()) {
      const entry = this.#view.entryOf(key);
      const result = entry?.kind === 'exec' ? entry.result : undefined;
      if (entry?.kind !== 'exec' || !result?.file || result.omittedLines === 0) continue;
      const whole = await this.#readOutput(result.file).catch(() => '');
      const { panel } = this.#ui.get();
      if (query !== this.#query || (panel.kind !== 'find' && panel.kind !== 'scroll') || panel.note !== note) return;
      if (occurrences(whole, query) <= occurrences(`${result.head}\n${result.tail}`, query)) continue;
      const name = visible(entry.command).slice(0, MAX_NAME);
      this.#ui.update({ panel: { ...panel, note: `${note} · also in the part not shown of ${name}: ${result.file}` } });
      return;
    }
  }

  #isBefore(one: Anchor, other: Anchor): boolean {
    const { keys } = this.#view.searchable;
    return one.key === other.key ? one.line < other.line : keys.indexOf(one.key) < keys.indexOf(other.key);
  }

  #select(key: string | undefined): void {
    this.#selected = key;
    this.#view.refresh();
  }

  get #source(): Searchable {
    return { ...this.#view.searchable, textOf: (key) => this.#textOf(key) };
  }

  #textOf(key: string): string {
    const entry = this.#view.entryOf(key);
    if (!entry) return '';
    let text = this.#texts.get(entry);
    if (text === undefined) {
      text = entryText(entry);
      this.#texts.set(entry, text);
    }
    return text;
  }
}

function copiedText({ characters, cut }: Clip, name: string): string {
  const much = `${characters.toLocaleString('en')} characters`;
  return cut ? `copied the first ${much} of "${name}": the rest is too long` : `copied "${name}" (${much})`;
}

function matchCount(query: string, { index, count, more }: Count): string {
  if (query.trim() === '') return '';
  if (count === 0) return more ? `"${query}": still looking` : `"${query}": no match`;
  return `"${query}": ${index === 0 ? '?' : index} of ${count}${more ? '+' : ''}`;
}
