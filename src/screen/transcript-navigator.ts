/** Reading the transcript: the entry that keys act on, the search, and copying (UI-2). */

import { type Count, countMatches, findLine, type Searchable } from '../render/search.ts';
import type { Anchor } from '../render/viewport.ts';
import type { Entry } from '../session/entry.ts';
import { type Clip, clipboardSequence } from '../terminal/modes.ts';
import { entryName, entryText } from './entries/text.ts';
import type { Store } from './store.ts';
import type { TranscriptView } from './transcript-view.ts';
import { NO_PANEL, type Ui } from './ui.ts';

export class TranscriptNavigator {
  readonly #view: TranscriptView;
  readonly #ui: Store<Ui>;
  readonly #write: (sequence: string) => void;
  /** Texts that were looked through in this search. */
  readonly #texts = new WeakMap<Entry, string>();
  #selected: string | undefined;
  #query = '';
  #match: Anchor | undefined;
  /** Where the search that is being typed began. */
  #origin: Anchor | undefined;

  /** @param write past the drawing, straight to the terminal */
  constructor(view: TranscriptView, ui: Store<Ui>, write: (sequence: string) => void) {
    this.#view = view;
    this.#ui = ui;
    this.#write = write;
  }

  /** The key of the entry that is folded and copied. */
  get selected(): string | undefined {
    return this.#selected;
  }

  get query(): string {
    return this.#query;
  }

  /** Begins with the last entry in view. */
  enter(): void {
    this.#ui.update({ panel: { kind: 'scroll', note: '' } });
    this.#select(this.#view.keysInView().findLast((key) => this.#view.entryOf(key)?.kind !== 'norrisStep'));
  }

  leave(): void {
    this.#match = undefined;
    this.#query = '';
    this.#select(undefined);
    this.#ui.update({ panel: NO_PANEL });
  }

  /** To the entry before or after; the last one when there was none. */
  step(direction: -1 | 1): void {
    const inView = this.#view.keysInView();
    const from = this.#selected !== undefined && inView.includes(this.#selected) ? this.#selected : inView.at(-1);
    const key = from === undefined ? undefined : this.#view.neighbour(from, direction);
    if (key === undefined) return;
    this.#select(key);
    this.#view.reveal({ key, line: 0 });
  }

  /** Folds or unfolds; what came of it, for the hint. */
  toggleFold(key = this.#selected): string | undefined {
    if (key === undefined) return 'nothing to fold';
    return this.#view.toggleFold(key) ? undefined : 'too short to fold';
  }

  /** Sends the entry to the terminal's clipboard; says what was copied. */
  copy(): string {
    const entry = this.#selected === undefined ? undefined : this.#view.shownEntryOf(this.#selected);
    if (!entry) return 'nothing to copy';
    const clip = clipboardSequence(entryText(entry));
    this.#write(clip.sequence);
    return copiedText(clip, entryName(entry));
  }

  /** A search begins to be typed: every change of it starts from here. */
  begin(): void {
    const top = this.#view.top();
    this.#origin = this.#match ?? (top && { key: top.key, line: top.line - 1 });
    this.#ui.update({ panel: { kind: 'find', text: '', note: '' } });
  }

  /** Another text is in the search: to the first match in view or below it, else to the nearest above. */
  find(text: string): void {
    this.#query = text;
    const ahead = findLine(this.#source, text, this.#origin, 1);
    const around = ahead && this.#origin && this.#isBefore(ahead, this.#origin);
    const note = this.#goTo(around ? findLine(this.#source, text, this.#origin, -1) : ahead);
    this.#ui.update({ panel: { kind: 'find', text, note } });
  }

  /** The search stays, for the keys that go to the next match. */
  keep(): void {
    const { panel } = this.#ui.get();
    if (panel.kind === 'find') this.#ui.update({ panel: { kind: 'scroll', note: panel.note } });
  }

  cancel(): void {
    this.#query = '';
    this.#match = undefined;
    this.#view.refresh();
    this.#ui.update({ panel: { kind: 'scroll', note: '' } });
  }

  /** To the next match, or the one before; around the ends. */
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
    return matchCount(this.#query, countMatches(this.#source, this.#query, match));
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
      text = entryText(this.#view.shownEntryOf(key) ?? entry);
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
