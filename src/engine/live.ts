/** Streams beside the machine: the reply being written and the commands that run, by operation. Read at frame rate. */
import type { RunningCommand } from '../contracts/commands.ts';
import type { OpId } from '../session/ids.ts';

/** Text of a reply as it arrives. */
export class LiveReply {
  text = new GrowingText();
  reasoning = new GrowingText();
  /** The server has taken the request. */
  opened = false;
  /** An attempt failed, and the next one begins at `until`, in ms. */
  pause: { readonly why: string; readonly until: number } | undefined;
  /** When the request went out, and when its server has waited too long with the first word, in ms. */
  patience: { readonly from: number; readonly until: number } | undefined;
  /** What goes on before the request is made, in words. */
  doing: string | undefined;
  version = 0;
  readonly preset: string;
  readonly startedAt: number;
  readonly #listeners = new Set<() => void>();

  constructor(preset: string, startedAt: number) {
    this.preset = preset;
    this.startedAt = startedAt;
  }

  addText(delta: string): void {
    this.text.add(delta);
    this.#changed();
  }

  does(doing: string | undefined): void {
    this.doing = doing;
    this.#changed();
  }

  sent(from: number, ms: number): void {
    this.patience = { from, until: from + ms };
    this.#changed();
  }

  open(): void {
    this.opened = true;
    this.#changed();
  }

  addReasoning(delta: string): void {
    this.reasoning.add(delta);
    this.#changed();
  }

  /** Drops what has arrived: the next attempt begins at `until`, in ms. */
  wait(why: string, until: number): void {
    this.again();
    this.pause = { why, until };
    this.#changed();
  }

  /** Drops what has arrived: the request is sent again. */
  again(): void {
    this.text = new GrowingText();
    this.reasoning = new GrowingText();
    this.opened = false;
    this.patience = undefined;
    this.pause = undefined;
    this.#changed();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** Columns and rows that the output of a command has on the screen, beside its frame. */
export type OutputSize = { readonly columns: number; readonly rows: number };

/** The least that a model's command sees of a terminal: below it tables are cut, and the model reads them cut. */
const MIN_SIZE: OutputSize = { columns: 80, rows: 24 };

/** What a model's command is given: the user's terminal, unless it is too narrow to read from. */
export function sizeForModel({ columns, rows }: OutputSize): OutputSize {
  return { columns: Math.max(columns, MIN_SIZE.columns), rows: Math.max(rows, MIN_SIZE.rows) };
}

export class Live {
  /** What commands start with. */
  size: OutputSize = { columns: 80, rows: 24 };
  readonly replies = new Map<OpId, LiveReply>();
  readonly commands = new Map<OpId, RunningCommand>();
  /** The progress that a tool reports. */
  readonly progress = new Map<OpId, string>();
  /** The tools that were not described to the model, as the user was told. */
  leftTools = '';
  /** Why the last summary was not written, as the user was told. */
  noSummary = '';
}

// A text that grows by pieces and is read at its end.

/** Characters of a part; only the last one still grows. */
const PART_CHARS = 64 * 1024;

/**
 * Appending costs what is appended and reading what is read. A plain string that grows is copied as a whole by each
 * look into it, a megabyte for every frame, and those copies are cleared away just when keys are typed.
 */
export class GrowingText {
  readonly #parts: string[] = [];
  #last = '';
  #length = 0;

  /** In UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#last += piece;
    this.#length += piece.length;
    if (this.#last.length < PART_CHARS) return;
    this.#parts.push(this.#last);
    this.#last = '';
  }

  /** As that of a string. */
  slice(from: number, to = this.#length): string {
    const start = from < 0 ? Math.max(0, this.#length + from) : from;
    const end = Math.min(to < 0 ? this.#length + to : to, this.#length);
    const found: string[] = [];
    let begins = this.#length - this.#last.length;
    if (end > begins) found.push(this.#last.slice(Math.max(0, start - begins), end - begins));
    for (let at = this.#parts.length - 1; at >= 0 && begins > start; at -= 1) {
      const part = this.#parts[at] ?? '';
      begins -= part.length;
      if (end > begins) found.push(part.slice(Math.max(0, start - begins), end - begins));
    }
    return found.reverse().join('');
  }

  toString(): string {
    return this.slice(0);
  }
}
