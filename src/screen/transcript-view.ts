/** The transcript as the viewport shows it: follows the engine's entries, wraps each once, keeps the scroll place. */
import type { Engine } from '../engine/engine.ts';
import type { TranscriptItem } from '../engine/transcript.ts';
import { createLineCache } from '../render/lines.ts';
import type { Searchable } from '../render/search.ts';
import type { RenderContext } from '../render/theme.ts';
import { type Anchor, createViewport, type ViewportState as Visible } from '../render/viewport.ts';
import type { Entry } from '../session/entry.ts';
import { stripStyles } from '../text/style.ts';
import { itemLines } from './entries/children.ts';
import { entryLines, type Fold, foldLines, isFolded, MAX_UNFOLDED_LINES, revealEntry } from './entries/lines.ts';

/** Time spent on measuring in one go, and the pause between: keys must not wait. In ms. */
const MEASURE_MS = 3;
const MEASURE_PAUSE_MS = 15;
/** Entries that are looked through for a long one: each may have to be wrapped first. */
const MAX_SEARCHED_ENTRIES = 200;
/** Where an entry's heading stands: behind an empty line. */
const HEADING = 1;
/** On fewer rows every line of the output is worth more than its heading. */
const MIN_STICKY_ROWS = 6;

export class TranscriptView {
  readonly #engine: Engine;
  readonly #context: (width: number) => RenderContext;
  readonly #cache = createLineCache();
  readonly #viewport = createViewport((key, width) => this.#linesOf(key, width));
  readonly #shown = new Map<string, TranscriptItem>();
  /** What the user chose; other entries fold by themselves. */
  readonly #folds = new Map<string, Fold>();
  /** Only matching lines are shown of these. */
  readonly #filters = new Map<string, string>();
  readonly #marked = new Set<string>();
  /** Places of entries that will be shown again under their key. */
  readonly #open = new Set<number>();
  readonly #listeners = new Set<() => void>();
  /** So many entries were cleared away: they show when somebody scrolls back. */
  #cleared = 0;
  /** Somebody has scrolled back to them, though all of it may fit into the view. */
  #looksBack = false;
  #entries: readonly TranscriptItem[] = [];
  #length = 0;
  #seen = -1;
  #size = '';
  #columns = 80;
  #measuring: NodeJS.Timeout | undefined;
  /** Grows when what is visible may have changed. */
  version = 0;

  constructor(engine: Engine, context: (width: number) => RenderContext) {
    this.#engine = engine;
    this.#context = context;
  }

  /** Called when the user has moved or folded; what the engine says of its changes is not said again here. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** To be called after each change of the engine. */
  follow(): void {
    const { transcript } = this.#engine;
    if (transcript.version === this.#seen) return;
    this.#seen = transcript.version;
    if (transcript.entries !== this.#entries || transcript.entries.length < this.#length) this.#resync();
    for (const at of this.#open) this.#take(at);
    for (; this.#length < transcript.entries.length; this.#length += 1) this.#take(this.#length);
    this.version += 1;
    if (!this.followsTail) this.#measureLater();
  }

  /** Entries were taken away; those that are left keep their lines. */
  #resync(): void {
    const { entries } = this.#engine.transcript;
    const kept = new Set(entries.map((shown) => shown.key));
    const before = this.#viewport.keys().slice();
    for (const key of before) {
      if (kept.has(key)) continue;
      this.#viewport.delete(key);
      this.#cache.delete(key);
      this.#cache.delete(`${key} folded`);
      this.#shown.delete(key);
      this.#folds.delete(key);
      this.#filters.delete(key);
      this.#marked.delete(key);
    }
    this.#cleared = Math.min(this.#cleared, this.#viewport.keys().length);
    const known = this.#viewport.keys().length;
    this.#entries = entries;
    this.#length = 0;
    this.#open.clear();
    if (known > 0) return;
    // The first look at a resumed session: only what is visible is wrapped now.
    for (const shown of entries) this.#shown.set(shown.key, shown);
    this.#viewport.load(entries.map((shown) => shown.key));
  }

  #take(at: number): void {
    const shown = this.#entries[at];
    if (!shown) return;
    const had = this.#shown.get(shown.key);
    if (mayChange(shown.entry)) this.#open.add(at);
    else this.#open.delete(at);
    if (had === shown) return;
    this.#shown.set(shown.key, shown);
    this.#viewport.set(shown.key);
  }

  #wholeLinesOf(key: string, width: number): readonly string[] {
    const shown = this.#shown.get(key);
    if (!shown) return [];
    return this.#cache.get(key, shown.version, width, () =>
      itemLines(shown, this.#context(width), (entry) => revealEntry(this.#engine, entry)),
    );
  }

  #linesOf(key: string, width: number): readonly string[] {
    const fold = this.#folds.get(key) ?? 'auto';
    const entry = this.#shown.get(key)?.entry;
    if (entry?.kind === 'delegate' && isFolded(fold, entry, 0)) return this.#foldedAgent(key, width);
    const lines = this.#marksOf(key, this.#wholeLinesOf(key, width));
    const filter = this.#filters.get(key);
    if (filter !== undefined) return filteredLines(lines, filter);
    if (!entry || !isFolded(fold, entry, lines.length)) return lines;
    return foldLines(lines, fold, (left) =>
      this.#context(width).paint('dim', `  ⋯ ${left.toLocaleString('en')} lines folded`),
    );
  }

  #marksOf(key: string, lines: readonly string[]): readonly string[] {
    if (!this.#marked.has(key)) return lines;
    return lines.map((line, index) => (index === HEADING ? line.replace(/[❯▸]/, '◆') : line));
  }

  /** Shows only the lines of an entry that hold the text; all where it is empty. How many of how many. */
  filter(key: string, text: string): { readonly shown: number; readonly all: number } {
    if (text === '') this.#filters.delete(key);
    else this.#filters.set(key, text);
    this.#viewport.set(key);
    this.#changed();
    const all = this.#wholeLinesOf(key, this.#columns);
    return { shown: filteredLines(all, text).length - HEADING - 1, all: all.length - HEADING - 1 };
  }

  /** Marks an entry, or unmarks it; whether it is marked now. */
  toggleMark(key: string): boolean {
    const marks = !this.#marked.delete(key);
    if (marks) this.#marked.add(key);
    this.#viewport.set(key);
    this.#changed();
    return marks;
  }

  isMarked(key: string): boolean {
    return this.#marked.has(key);
  }

  /** The report alone: what the sub-agent did is not even wrapped for this. */
  #foldedAgent(key: string, width: number): readonly string[] {
    const shown = this.#shown.get(key);
    if (!shown) return [];
    return this.#cache.get(`${key} folded`, shown.version, width, () =>
      entryLines(revealEntry(this.#engine, shown.entry), this.#context(width)),
    );
  }

  /** The entry of a key, while it is shown, as the user sees it. */
  entryOf(key: string): Entry | undefined {
    const entry = this.#shown.get(key)?.entry;
    return entry && revealEntry(this.#engine, entry);
  }

  /** The same as it is shown: with the true texts where the session has handles (SE-3). */
  shownEntryOf(key: string): Entry | undefined {
    const entry = this.entryOf(key);
    return entry && revealEntry(this.#engine, entry);
  }

  /** What a search goes through: whole entries, folded or not. */
  get searchable(): Omit<Searchable, 'textOf'> {
    return { keys: this.#viewport.keys(), linesOf: (key) => this.#wholeLinesOf(key, this.#columns) };
  }

  /** Opens what is folded, closes what is open; false where an entry is too short for it. */
  toggleFold(key: string): boolean {
    const entry = this.entryOf(key);
    const lines = this.#wholeLinesOf(key, this.#columns).length;
    if (!entry) return false;
    if (isFolded(this.#folds.get(key) ?? 'auto', entry, lines)) this.#setFold(key, 'open');
    else if (isFolded('closed', entry, lines)) this.#setFold(key, 'closed');
    else return false;
    return true;
  }

  #setFold(key: string, fold: Fold): void {
    this.#folds.set(key, fold);
    this.#viewport.set(key);
    this.#changed();
  }

  /** What was there stands above the view, from `key` on all of it is shown. */
  clear(key?: string): void {
    const keys = this.#viewport.keys();
    const from = key === undefined ? -1 : keys.lastIndexOf(key);
    this.#cleared = from < 0 ? keys.length : from;
    this.#looksBack = false;
    this.#viewport.end();
    this.#changed();
  }

  /** Brings a line of an entry into view; one that is folded away is opened. */
  reveal(anchor: Anchor): void {
    this.#filters.delete(anchor.key);
    this.#looksBack = this.#cleared > 0;
    if (this.#linesOf(anchor.key, this.#columns).length < this.#wholeLinesOf(anchor.key, this.#columns).length)
      this.#setFold(anchor.key, 'open');
    this.#viewport.reveal(anchor);
    this.#changed();
  }

  /** The line at the top of the view. */
  top(): Anchor | undefined {
    return this.#viewport.view().rows[0];
  }

  /** The entries in view, from the top. */
  keysInView(): readonly string[] {
    return [...new Set(this.#viewport.view().rows.map((row) => row.key))];
  }

  /** The entry before or after another that has lines to show, and is wanted. */
  neighbour(key: string, direction: -1 | 1, wanted: (key: string) => boolean = () => true): string | undefined {
    const keys = this.#viewport.keys();
    let at = keys.indexOf(key) + direction;
    const skips = (each: string) => !wanted(each) || this.#linesOf(each, this.#columns).length === 0;
    while (at >= 0 && at < keys.length && skips(keys[at] ?? '')) at += direction;
    return keys[at];
  }

  /** The newest entry in view, or else at all, that is long; a sub-agent is. */
  lastLong(): string | undefined {
    const isLong = (key: string) =>
      this.#shown.get(key)?.entry.kind === 'delegate' ||
      this.#wholeLinesOf(key, this.#columns).length > MAX_UNFOLDED_LINES;
    return this.keysInView().findLast(isLong) ?? this.#viewport.keys().slice(-MAX_SEARCHED_ENTRIES).findLast(isLong);
  }

  /** The marks on lines have changed, not the lines. */
  refresh(): void {
    this.#changed();
  }

  /** What is visible in a window of this size. */
  visible(columns: number, rows: number): Visible {
    const size = `${columns}×${rows}`;
    if (size !== this.#size) {
      this.#size = size;
      this.#columns = columns;
      this.#viewport.resize(columns, rows);
    }
    return this.#withHeading(this.#afterClear(this.#viewport.view()), rows);
  }

  #afterClear(view: Visible): Visible {
    if (this.#cleared === 0 || this.#looksBack || !view.followsTail) return view;
    const keys = this.#viewport.keys();
    // They stand at the end: the search is short.
    const shows = new Map(view.rows.map(({ key }) => [key, false]));
    for (const key of shows.keys()) shows.set(key, keys.lastIndexOf(key) >= this.#cleared);
    return { ...view, rows: view.rows.filter(({ key }) => shows.get(key)) };
  }

  /** While a command's output fills the view from the top, its heading stays there: what it was, and how it went. */
  #withHeading(view: Visible, rows: number): Visible {
    const [first, ...rest] = view.rows;
    if (first === undefined || rows < MIN_STICKY_ROWS || this.#shown.get(first.key)?.entry.kind !== 'exec') return view;
    const heading = first.line > 1 ? this.#linesOf(first.key, this.#columns)[1] : undefined;
    return heading === undefined ? view : { ...view, rows: [{ ...first, text: heading }, ...rest] };
  }

  /** Whether new lines scroll into view by themselves. */
  get followsTail(): boolean {
    return this.#viewport.view().followsTail;
  }

  by(lines: number): void {
    this.#viewport.scroll(lines);
    this.#moved(lines);
  }

  page(direction: -1 | 1): void {
    this.#viewport.page(direction);
    this.#moved(direction);
  }

  halfPage(direction: -1 | 1): void {
    this.#viewport.halfPage(direction);
    this.#moved(direction);
  }

  home(): void {
    this.#viewport.home();
    this.#moved(-1);
  }

  end(): void {
    if (this.followsTail && !this.#looksBack) return;
    this.#viewport.end();
    this.#moved(1);
  }

  #moved(by: number): void {
    this.#looksBack = this.#cleared > 0 && (by < 0 || (this.#looksBack && !this.followsTail));
    this.#changed();
  }

  /** Colours have changed: every entry is drawn anew. */
  repaint(): void {
    this.#cache.clear();
    this.#changed();
  }

  dispose(): void {
    clearTimeout(this.#measuring);
    this.#listeners.clear();
  }

  #changed(): void {
    this.version += 1;
    if (!this.followsTail) this.#measureLater();
    for (const listener of this.#listeners) listener();
  }

  /** How much is below is known once everything was wrapped: in the background, and only while somebody looks. */
  #measureLater(): void {
    this.#measuring ??= setTimeout(() => {
      this.#measuring = undefined;
      if (this.followsTail) return;
      const end = performance.now() + MEASURE_MS;
      let left = true;
      let measured = false;
      while (left && performance.now() < end) {
        left = this.#viewport.measure(1);
        measured ||= left;
      }
      if (left) this.#measureLater();
      else if (measured) this.#changed();
    }, MEASURE_PAUSE_MS);
    this.#measuring.unref();
  }
}

/** The heading, and what of the rest holds the text; case counts only where the text has a capital. */
function filteredLines(lines: readonly string[], text: string): readonly string[] {
  const exact = text !== text.toLowerCase();
  return lines.filter((line, index) => {
    const plain = stripStyles(line);
    return index <= HEADING || (exact ? plain : plain.toLowerCase()).includes(text);
  });
}

function mayChange(entry: Entry): boolean {
  if (entry.kind === 'exec' || entry.kind === 'tool' || entry.kind === 'delegate') return entry.result === undefined;
  return entry.kind === 'user' && entry.queued;
}
