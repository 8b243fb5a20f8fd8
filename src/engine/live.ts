/**
 * Streams beside the state machine, by operation: the reply being written, and running commands. Read at frame rate.
 */
import type { RunningCommand } from '../contracts/commands.ts';
import type { OpId } from '../session/ids.ts';

/** Text of a reply as it arrives. */
export class LiveReply {
  text = new GrowingText();
  reasoning = new GrowingText();
  /** The server has accepted the request. */
  opened = false;
  /** An attempt failed; the next one starts at `until`, in ms. */
  pause: { readonly why: string; readonly until: number } | undefined;
  /** When the request was sent, and when its first byte is overdue, in ms. */
  patience: { readonly from: number; readonly until: number } | undefined;
  /** The preparation that runs before the request is made, in words. */
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

  /** Drops the received text: the next attempt starts at `until`, in ms. */
  wait(why: string, until: number): void {
    this.again();
    this.pause = { why, until };
    this.#changed();
  }

  /** Drops the received text: the request is sent again. */
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

/** The size of a command's output area on screen, inside its frame. */
export type OutputSize = { readonly columns: number; readonly rows: number };

/** The minimum terminal size for a model's command: in a smaller one the model would read truncated tables. */
const MIN_SIZE: OutputSize = { columns: 80, rows: 24 };

/** Returns the size for a model's command: the user's terminal, unless it is too narrow. */
export function sizeForModel({ columns, rows }: OutputSize): OutputSize {
  return { columns: Math.max(columns, MIN_SIZE.columns), rows: Math.max(rows, MIN_SIZE.rows) };
}

export class Live {
  /** The terminal size for new commands. */
  size: OutputSize = { columns: 80, rows: 24 };
  readonly replies = new Map<OpId, LiveReply>();
  readonly commands = new Map<OpId, RunningCommand>();
  /** The progress reported by tools. */
  readonly progress = new Map<OpId, string>();
  /** The tools not described to the model, as last reported to the user. */
  leftTools = '';
  /** Why the last summary failed, as reported to the user. */
  noSummary = '';
}

// A text that grows by pieces and is read at its end.

/** The characters of a part; only the last part still grows. */
const PART_CHARS = 64 * 1024;

/**
 * Appending costs only the appended text, and reading only what is read. A growing string would be flattened by each
 * read, a megabyte per frame, and its garbage would be collected while the user types.
 */
export class GrowingText {
  readonly #parts: string[] = [];
  #last = '';
  #length = 0;

  /** The length in UTF-16 units. */
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

  /** Returns a part of the text, as `String.slice` does. */
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
