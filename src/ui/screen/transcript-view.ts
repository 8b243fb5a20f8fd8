/** The transcript for the viewport: follows the engine's entries, wraps each once, keeps the scroll position. */
import { tellsChanges } from '../../contracts/undo.ts';
import type { Engine } from '../../engine/engine.ts';
import type { TranscriptItem } from '../../engine/transcript.ts';
import { nameAction } from '../../session/action.ts';
import type { Entry } from '../../session/entry.ts';
import { visible } from '../../text/sanitize.ts';
import type { Searchable } from '../render/search.ts';
import type { RenderContext } from '../render/theme.ts';
import { type Anchor, createLineCache, createViewport, type ViewportState as Visible } from '../render/viewport.ts';
import { stepLine } from './entries/exec.ts';
import {
  entryLines,
  type Fold,
  filteredLines,
  foldedThoughts,
  foldLines,
  HEADING,
  isFolded,
  itemLines,
  MAX_UNFOLDED_LINES,
  otherFold,
  revealEntry,
} from './entries/lines.ts';
import { changesLines, norrisEndedLines, type RunTale, taskLine } from './entries/norris.ts';

/** The most entries that are searched for a long one: each may have to be wrapped first. */
const MAX_SEARCHED_ENTRIES = 200;
/** Inline: the most lines that are printed at once; of a resumed session the last ones. */
const MAX_PRINTED_LINES = 2000;
/** The fewest rows with which the heading of an output stays visible; with fewer, a line of output is worth more. */
const MIN_STICKY_ROWS = 6;

export class TranscriptView {
  readonly #engine: Engine;
  readonly #context: (width: number) => RenderContext;
  readonly #foldKey: () => string;
  readonly #inline: boolean;
  readonly #cache = createLineCache();
  readonly #viewport = createViewport((key, width) => this.#linesOf(key, width));
  readonly #shown = new Map<string, TranscriptItem>();
  /** The folds that the user chose; other entries fold automatically. */
  readonly #folds = new Map<string, Fold>();
  /** Texts by which the lines of entries are filtered. */
  readonly #filters = new Map<string, string>();
  readonly #marked = new Set<string>();
  readonly #steps = new RunSteps();
  /** Indexes of entries that will be shown again under their key. */
  readonly #open = new Set<number>();
  readonly #listeners = new Set<() => void>();
  /** The number of entries that were cleared away; scrolling back shows them. */
  #cleared = 0;
  /** Whether the user has scrolled back to cleared entries, even where everything fits into the view. */
  #looksBack = false;
  /** Inline: entries from here on may be repeated in a new window. */
  #wiped = 0;
  /** Inline: rows for the terminal's scrollback. */
  #finished: string[] = [];
  #entries: readonly TranscriptItem[] = [];
  #length = 0;
  #seen = -1;
  #size = '';
  #columns = 80;
  /** Measures lines in idle time: the number of lines below the view is known once everything was wrapped. */
  readonly #measuring = new Measuring({
    wanted: () => !this.followsTail,
    step: () => this.#viewport.measure(1),
    measured: () => this.#changed(),
  });
  /** Grows when the visible lines may have changed. */
  version = 0;

  /**
   * @param foldKey the key that folds and unfolds; empty: unbound
   * @param inline final entries are shown once, in the terminal's scrollback
   */
  constructor(
    engine: Engine,
    context: (width: number) => RenderContext,
    foldKey: () => string = () => '',
    inline = false,
  ) {
    this.#engine = engine;
    this.#context = context;
    this.#foldKey = foldKey;
    this.#inline = inline;
  }

  /** Reports that the user has scrolled or folded; changes that the engine reports are not repeated here. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Must be called after each change of the engine. */
  follow(): void {
    const { transcript } = this.#engine;
    if (transcript.version === this.#seen) return;
    this.#seen = transcript.version;
    if (transcript.entries !== this.#entries || transcript.entries.length < this.#length) this.#resync();
    for (const at of this.#open) this.#take(at);
    for (; this.#length < transcript.entries.length; this.#length += 1) {
      const shown = transcript.entries[this.#length];
      if (shown) this.#steps.note(shown);
      this.#take(this.#length);
    }
    this.version += 1;
    this.#measuring.later();
  }

  /** Removes entries that no longer exist; the others keep their lines. */
  #resync(): void {
    const { entries } = this.#engine.transcript;
    const kept = new Set(entries.map((shown) => shown.key));
    const before = this.#viewport.keys().slice();
    for (const key of before) {
      if (kept.has(key)) continue;
      this.#viewport.delete(key);
      this.#cache.delete(key);
      this.#cache.delete(`${key} folded`);
      this.#cache.delete(`${key} step`);
      this.#shown.delete(key);
      this.#folds.delete(key);
      this.#filters.delete(key);
      this.#marked.delete(key);
    }
    this.#cleared = Math.min(this.#cleared, this.#viewport.keys().length);
    this.#wiped = Math.min(this.#wiped, this.#cleared);
    const known = this.#viewport.keys().length;
    this.#entries = entries;
    this.#length = 0;
    this.#open.clear();
    this.#steps.restart();
    if (known > 0) return;
    // The first look at a resumed session: only the visible entries are wrapped now.
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
    // This entry decides whether the next one has a blank line above it.
    const next = had && this.#entries[at + 1];
    if (next) this.#viewport.set(next.key);
  }

  #wholeLinesOf(key: string, width: number): readonly string[] {
    const shown = this.#shown.get(key);
    if (!shown) return [];
    if (shown.entry.kind === 'norrisStep') return this.#taskOf(shown, width);
    const tale = this.#steps.taleOf(key);
    const ends = this.#shown.get(this.#before(key) ?? '')?.entry.kind === 'norrisEnded';
    if (shown.entry.kind === 'norrisEnded' && tale) {
      const { secrets } = this.#engine.services;
      return [' ', ...norrisEndedLines(secrets.reveal(shown.entry), this.#context(width), secrets.reveal(tale))];
    }
    if (shown.entry.kind === 'notice' && ends && tellsChanges(shown.entry.text))
      return changesLines(this.#engine.services.secrets.reveal(shown.entry.text), this.#context(width));
    const lines = this.#cache.get(key, shown.version, width, () =>
      itemLines(shown, this.#context(width), (entry) => revealEntry(this.#engine, entry)),
    );
    // Notices in a row are one block.
    const isNotice = (each: string | undefined) => this.#shown.get(each ?? '')?.entry.kind === 'notice';
    return isNotice(key) && isNotice(this.#before(key)) ? lines.slice(HEADING) : lines;
  }

  /** A step consists of the rows of its action; where it begins a task, the task is named. */
  #taskOf({ key, entry }: TranscriptItem, width: number): readonly string[] {
    if (entry.kind !== 'norrisStep' || !entry.task || !this.#steps.beginsTask(key)) return [];
    const { task } = this.#engine.services.secrets.reveal(entry);
    return task ? [' ', taskLine(task, this.#context(width))] : [];
  }

  /** Returns the step of a run that is shown as one row, unless the user has opened it. */
  #stepOf(key: string) {
    if ((this.#folds.get(key) ?? 'auto') !== 'auto' || this.#filters.has(key)) return undefined;
    return this.#steps.finished(key, this.#shown.get(key)?.entry);
  }

  /** Returns the key of the entry before another one, skipping step numbers. */
  #before(key: string): string | undefined {
    const keys = this.#viewport.keys();
    let at = keys.lastIndexOf(key) - 1;
    const isNumber = (each: string) =>
      this.#shown.get(each)?.entry.kind === 'norrisStep' && !this.#steps.beginsTask(each);
    while (at >= 0 && isNumber(keys[at] ?? '')) at -= 1;
    return keys[at];
  }

  #linesOf(key: string, width: number): readonly string[] {
    const fold = this.#folds.get(key) ?? 'auto';
    const entry = this.#shown.get(key)?.entry;
    if (this.#stepOf(key)) {
      const before = this.#before(key);
      const row = this.#cache.get(`${key} step`, this.#shown.get(key)?.version ?? 0, width, () => {
        const step = this.#steps.finished(key, this.entryOf(key));
        return step ? [stepLine(step.entry, step.step, this.#context(width))] : [];
      });
      return before !== undefined && this.#stepOf(before) ? row : [' ', ...row];
    }
    if (entry?.kind === 'delegate' && isFolded(fold, entry, 0)) return this.#foldedAgent(key, width);
    const lines = this.#marksOf(key, this.#wholeLinesOf(key, width));
    const filter = this.#filters.get(key);
    if (filter !== undefined) return filteredLines(lines, filter);
    if (!entry || !isFolded(fold, entry, lines.length)) return lines;
    if (entry.kind === 'thoughts')
      return [' ', foldedThoughts(lines.length - HEADING, this.#context(width).paint, this.#foldKey())];
    return foldLines(lines, fold, this.#context(width).paint, this.#foldKey());
  }

  #marksOf(key: string, lines: readonly string[]): readonly string[] {
    if (!this.#marked.has(key)) return lines;
    return lines.map((line, index) => (index === HEADING ? line.replace(/[❯▸]/, '◆') : line));
  }

  /**
   * Shows only the lines of an entry that contain the text; all where the text is empty. Returns how many of how many.
   */
  filter(key: string, text: string): { readonly shown: number; readonly all: number } {
    if (text === '') this.#filters.delete(key);
    else this.#filters.set(key, text);
    this.#viewport.set(key);
    this.#changed();
    const all = this.#wholeLinesOf(key, this.#columns);
    return { shown: filteredLines(all, text).length - HEADING - 1, all: all.length - HEADING - 1 };
  }

  /** Marks an entry, or removes its mark; returns whether it is marked now. */
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

  /** Returns the report alone, without wrapping the sub-agent's work. */
  #foldedAgent(key: string, width: number): readonly string[] {
    const shown = this.#shown.get(key);
    if (!shown) return [];
    return this.#cache.get(`${key} folded`, shown.version, width, () =>
      entryLines(revealEntry(this.#engine, shown.entry), this.#context(width)),
    );
  }

  /** Returns the entry of a key while it is shown, with the user's secrets in place of the session's handles (SE-3). */
  entryOf(key: string): Entry | undefined {
    const entry = this.#shown.get(key)?.entry;
    return entry && revealEntry(this.#engine, entry);
  }

  /** The text of a search: whole entries, folded or not. */
  get searchable(): Omit<Searchable, 'textOf'> {
    return { keys: this.#viewport.keys(), linesOf: (key) => this.#wholeLinesOf(key, this.#columns) };
  }

  /** Opens a folded entry and folds an open one; false where it is too short. */
  toggleFold(key: string): boolean {
    const entry = this.entryOf(key);
    const lines = this.#wholeLinesOf(key, this.#columns).length;
    if (!entry) return false;
    const isStep = this.#steps.finished(key, entry) !== undefined;
    const other = otherFold(this.#folds.get(key) ?? 'auto', entry, lines, isStep);
    if (other) this.#setFold(key, other);
    return other !== undefined;
  }

  #setFold(key: string, fold: Fold): void {
    this.#folds.set(key, fold);
    this.#viewport.set(key);
    const next = this.neighbour(key, 1);
    if (next !== undefined) this.#viewport.set(next);
    this.#changed();
  }

  /** Inline: moves the entries that have become final to the rows for the scrollback. */
  #finish(): void {
    if (!this.#inline || !this.followsTail || this.#looksBack) return;
    const keys = this.#viewport.keys();
    const from = this.#cleared;
    const isFinal = (key = '') => this.#shown.has(key) && !mayChange(this.#shown.get(key)?.entry as Entry);
    while (isFinal(keys[this.#cleared])) this.#cleared += 1;
    this.#finished.push(...this.#tail(from, MAX_PRINTED_LINES));
  }

  /** Returns the last lines before the first entry in the view, at most `most`, none from entries before `from`. */
  #tail(from: number, most: number): readonly string[] {
    const lines: string[] = [];
    const keys = this.#viewport.keys();
    for (let at = this.#cleared - 1; at >= from && lines.length < most; at -= 1)
      lines.unshift(...this.#printedLinesOf(keys[at] ?? ''));
    return lines.slice(-most);
  }

  /** The user's own output is not folded: the terminal scrolls through it. */
  #printedLinesOf(key: string): readonly string[] {
    const entry = this.#shown.get(key)?.entry;
    if (entry?.kind === 'exec' && entry.by === 'user' && !this.#folds.has(key)) this.#folds.set(key, 'open');
    return this.#linesOf(key, this.#columns);
  }

  /** Inline: returns the rows for the scrollback since the last call. */
  takeFinished(): readonly string[] {
    return this.#finished.splice(0);
  }

  /** Inline: shows the last rows once more, in a window of this size that was begun anew. */
  repeat(columns: number, rows: number): void {
    this.#columns = columns;
    this.#finished = [...this.#tail(this.#wiped, rows)];
  }

  /** Inline: prints an entry again, after it was unfolded. */
  print(key: string): void {
    const isPrinted = this.#viewport.keys().lastIndexOf(key) < this.#cleared;
    if (isPrinted && this.#folds.get(key) === 'open') this.#finished.push(...this.#linesOf(key, this.#columns));
  }

  /** Shows an entry that was cleared away or printed, while it is selected. */
  lookBack(): void {
    this.#looksBack = this.#cleared > 0;
  }

  /** Clears the view: earlier entries are above it, and everything from `key` on is shown. */
  clear(key?: string): void {
    const keys = this.#viewport.keys();
    const from = key === undefined ? -1 : keys.lastIndexOf(key);
    this.#cleared = from < 0 ? keys.length : from;
    this.#wiped = this.#cleared;
    this.#looksBack = false;
    this.#viewport.end();
    this.#changed();
  }

  /** Scrolls a line of an entry into view; a folded line is opened. */
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

  /** Returns the previous or next entry that has lines and is `wanted`. */
  neighbour(key: string, direction: -1 | 1, wanted: (key: string) => boolean = () => true): string | undefined {
    const keys = this.#viewport.keys();
    let at = keys.indexOf(key) + direction;
    const skips = (each: string) => !wanted(each) || this.#linesOf(each, this.#columns).length === 0;
    while (at >= 0 && at < keys.length && skips(keys[at] ?? '')) at += direction;
    return keys[at];
  }

  /** Returns the lines of an entry as shown. */
  linesAt(key: string): readonly string[] {
    return this.#linesOf(key, this.#columns);
  }

  /** Returns the newest long entry in view, or else at all. A sub-agent's entry counts as long. */
  lastLong(): string | undefined {
    const isLong = (key: string) =>
      this.#shown.get(key)?.entry.kind === 'delegate' ||
      this.#stepOf(key) !== undefined ||
      this.#wholeLinesOf(key, this.#columns).length > MAX_UNFOLDED_LINES;
    return this.keysInView().findLast(isLong) ?? this.#viewport.keys().slice(-MAX_SEARCHED_ENTRIES).findLast(isLong);
  }

  /** Redraws marks on lines; the lines themselves are unchanged. */
  refresh(): void {
    this.#changed();
  }

  /** Returns the lines that are visible in a window of this size. */
  visible(columns: number, rows: number): Visible {
    const size = `${columns}×${rows}`;
    if (size !== this.#size) {
      this.#size = size;
      this.#columns = columns;
      this.#viewport.resize(columns, rows);
    }
    this.#finish();
    return this.#withHeading(this.#afterClear(this.#viewport.view()), rows);
  }

  #afterClear(view: Visible): Visible {
    if (this.#cleared === 0 || this.#looksBack || !view.followsTail) return view;
    const keys = this.#viewport.keys();
    // Running entries are at the end, so the search is short.
    const shows = new Map(view.rows.map(({ key }) => [key, false]));
    for (const key of shows.keys()) shows.set(key, keys.lastIndexOf(key) >= this.#cleared);
    return { ...view, rows: view.rows.filter(({ key }) => shows.get(key)) };
  }

  /** While a command's output fills the view from the top, its heading stays on the first row. */
  #withHeading(view: Visible, rows: number): Visible {
    const [first, ...rest] = view.rows;
    if (first === undefined || rows < MIN_STICKY_ROWS || this.#shown.get(first.key)?.entry.kind !== 'exec') return view;
    const heading = first.line > 1 ? this.#linesOf(first.key, this.#columns)[1] : undefined;
    return heading === undefined ? view : { ...view, rows: [{ ...first, text: heading }, ...rest] };
  }

  /** Whether new lines scroll into view automatically. */
  get followsTail(): boolean {
    return this.#viewport.followsTail();
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

  /** Redraws every entry after a change of colours. */
  repaint(): void {
    this.#cache.clear();
    this.#changed();
  }

  dispose(): void {
    this.#measuring.stop();
    this.#listeners.clear();
  }

  #changed(): void {
    this.version += 1;
    this.#measuring.later();
    for (const listener of this.#listeners) listener();
  }
}

function mayChange(entry: Entry): boolean {
  if (entry.kind === 'exec' || entry.kind === 'tool' || entry.kind === 'delegate') return entry.result === undefined;
  return entry.kind === 'user' && entry.queued;
}

// Wraps entries outside the view, a few at a time, while the user reads above the end.

/** Milliseconds of work at a time, and of the pause between, in which keys are handled. */
const MEASURE_MS = 3;
const PAUSE_MS = 15;

type Measured = {
  /** Returns whether measuring is useful now. */
  wanted(): boolean;
  /** Measures one more entry; false when all are measured. */
  step(): boolean;
  /** Called when all entries have become measured. */
  measured(): void;
};

class Measuring {
  readonly #of: Measured;
  #timer: NodeJS.Timeout | undefined;

  constructor(of: Measured) {
    this.#of = of;
  }

  /** Begins to measure soon, if measuring is useful. */
  later(): void {
    if (!this.#of.wanted()) return;
    this.#timer ??= setTimeout(() => this.#go(), PAUSE_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #go(): void {
    this.#timer = undefined;
    if (!this.#of.wanted()) return;
    const end = performance.now() + MEASURE_MS;
    let left = true;
    let measured = false;
    while (left && performance.now() < end) {
      left = this.#of.step();
      measured ||= left;
    }
    if (left) this.later();
    else if (measured) this.#of.measured();
  }
}

// Maps actions of the transcript to steps of a run, and finds where a task begins. Takes the entries in order.

type Exec = Extract<Entry, { kind: 'exec' }>;

class RunSteps {
  readonly #steps = new Map<string, number>();
  /** Keys of the steps that begin a task. */
  readonly #tasks = new Set<string>();
  /** The known facts about each ended run, by the key of its last entry. */
  readonly #tales = new Map<string, RunTale>();
  #tale: RunTale | undefined;
  #step = 0;
  #task = 0;

  /** Must be called for every entry once, in order. */
  note({ key, entry }: TranscriptItem): void {
    this.#tell(key, entry);
    if (entry.kind === 'norrisBegan' || entry.kind === 'norrisEnded') this.#step = 0;
    if (entry.kind === 'norrisBegan') this.#task = 0;
    if (entry.kind === 'norrisStep') {
      this.#step = entry.step;
      if (entry.task && entry.task.k !== this.#task) this.#tasks.add(key);
      this.#task = entry.task?.k ?? this.#task;
    }
    if (entry.kind === 'exec' && entry.by === 'model' && this.#step > 0) this.#steps.set(key, this.#step);
  }

  #tell(key: string, entry: Entry): void {
    const tale = this.#tale;
    if (entry.kind === 'norrisBegan') {
      this.#tale = { goal: entry.goal, maxSteps: entry.maxSteps, tasks: [], asked: [] };
    } else if (!tale) return;
    else if (entry.kind === 'norrisEnded') {
      this.#tales.set(key, tale);
      this.#tale = undefined;
    } else this.#tale = { ...tale, ...planOf(tale, entry), asked: [...tale.asked, ...askedIn(entry)] };
  }

  taleOf(key: string): RunTale | undefined {
    return this.#tales.get(key);
  }

  /** Starts again with the first entry. */
  restart(): void {
    this.#tale = undefined;
    this.#step = 0;
    this.#task = 0;
  }

  beginsTask(key: string): boolean {
    return this.#tasks.has(key);
  }

  /** Returns the step of an action that succeeded, which is shown as one row; undefined for anything else. */
  finished(key: string, entry: Entry | undefined): { readonly step: number; readonly entry: Exec } | undefined {
    const step = this.#steps.get(key);
    return step !== undefined && entry?.kind === 'exec' && entry.result?.exit === 0 ? { step, entry } : undefined;
  }
}

/** Returns the tasks with the steps that each has taken: a new plan keeps those that were begun. */
function planOf({ tasks }: RunTale, entry: Entry): Pick<RunTale, 'tasks'> {
  if (entry.kind === 'plan') {
    const begun = tasks.filter(({ steps }) => steps > 0);
    return { tasks: [...begun, ...entry.tasks.map((text) => ({ text, steps: 0 }))] };
  }
  if (entry.kind !== 'norrisStep' || !entry.task) return { tasks };
  const { k, text } = entry.task;
  const list = [...tasks];
  list[k - 1] = { text, steps: (list[k - 1]?.steps ?? 0) + 1 };
  return { tasks: list };
}

/** Returns an action that was put to the user, in words. */
function askedIn(entry: Entry): readonly string[] {
  if (entry.kind === 'exec' && entry.approvedAt !== undefined) return [`approved: ${oneLine(entry.command)}`];
  if (entry.kind === 'tool' && entry.approvedAt !== undefined)
    return [`approved: ${oneLine(`${entry.name} ${entry.arguments}`)}`];
  if (entry.kind === 'refused' && entry.at !== undefined) return [`${entry.how}: ${oneLine(nameAction(entry.action))}`];
  return [];
}

const oneLine = (text: string) => visible(text).replace(/\s+/g, ' ');
