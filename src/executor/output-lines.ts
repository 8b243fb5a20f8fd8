/** Keeps the head and tail of an output in bounded memory, from plain text or from a scrolling terminal. */
import type { IMarker, Terminal } from '@xterm/headless';
import { clean } from '../text/sanitize.ts';
import { type CellReader, renderLogicalLine } from './cells.ts';

/** The most characters kept of an output’s start and end (EX-5); such text is most of a journal’s size. */
const MAX_PART_CHARS = 32 * 1024;

/** The head and the tail of an output, line by line, in bounded memory. */
export class HeadTail {
  readonly #limit: number;
  #head: string[] = [];
  #headSize = 0;
  #headOpen = true;
  #tail: string[] = [];
  #tailFrom = 0;
  #tailSize = 0;
  /** The number of lines given to `add`. */
  added = 0;
  /** A single line exceeded a part and lost its end. */
  shortened = false;

  constructor(limit: number = MAX_PART_CHARS) {
    this.#limit = limit;
  }

  /** Whether the head accepts no more lines: it is full, or the next line is not adjacent to it. */
  get headClosed(): boolean {
    return !this.#headOpen;
  }

  add(text: string): void {
    this.added += 1;
    // A line as long as a part keeps only its first half; its end is in the full text.
    const isLong = text.length > this.#limit;
    if (isLong) this.shortened = true;
    const line = isLong ? `${clean(text.slice(0, this.#limit >> 1))}\x1b[0m…` : text;
    if (this.#headOpen && this.#headSize + line.length < this.#limit) {
      this.#head.push(line);
      this.#headSize += line.length + 1;
      return;
    }
    this.#headOpen = false;
    this.#tail.push(line);
    this.#tailSize += line.length + 1;
    while (this.#tailSize > this.#limit) {
      this.#tailSize -= (this.#tail[this.#tailFrom]?.length ?? 0) + 1;
      this.#tail[this.#tailFrom] = '';
      this.#tailFrom += 1;
    }
    if (this.#tailFrom > 4096) {
      this.#tail = this.#tail.slice(this.#tailFrom);
      this.#tailFrom = 0;
    }
  }

  /** Marks a gap in the output: the tail starts again. */
  gap(): void {
    this.#headOpen = false;
    this.#tail = [];
    this.#tailFrom = 0;
    this.#tailSize = 0;
  }

  /** `totalLines`: the lines of the whole output, if more exact than the number of calls of `add`. */
  result(totalLines: number): { head: string; tail: string; omittedLines: number } {
    const tail = this.#tail.slice(this.#tailFrom);
    const omittedLines = Math.max(0, Math.max(totalLines, this.added) - this.#head.length - tail.length);
    if (omittedLines === 0) return { head: [...this.#head, ...tail].join('\n'), tail: '', omittedLines };
    return { head: this.#head.join('\n'), tail: tail.join('\n'), omittedLines };
  }
}

/** Collects lines of a terminal once each as they scroll off, and keeps their head and tail. */
export class LineCollector {
  readonly #kept: HeadTail;
  readonly #terminal: Terminal;
  readonly #reader: CellReader;
  /** A line with more rows than this is collected while it is still being written. */
  readonly #maxOpenRows: number;
  #next: IMarker | undefined;

  constructor(terminal: Terminal, reader: CellReader, kept: HeadTail, maxOpenRows: number) {
    this.#terminal = terminal;
    this.#reader = reader;
    this.#kept = kept;
    this.#maxOpenRows = maxOpenRows;
    this.#next = terminal.registerMarker(0);
  }

  /** Collects the lines that have scrolled off; an unfinished line waits. */
  takeScrolled(): void {
    if (this.#terminal.buffer.active.type === 'alternate') return;
    const buffer = this.#terminal.buffer.normal;
    const limit = buffer.baseY;
    const from = this.#from();
    let y = from;
    while (y < limit) {
      const [text, next] = renderLogicalLine(buffer, y, limit, this.#reader);
      const isOpen = next === limit && buffer.getLine(limit)?.isWrapped === true;
      if (isOpen && limit - y < this.#maxOpenRows) break;
      this.#kept.add(text);
      y = next;
    }
    if (y > from) this.#continueAt(y - (buffer.baseY + buffer.cursorY));
  }

  /** Collects all remaining lines without blank rows at the end. Must be the last call. */
  takeRest(): void {
    const buffer = this.#terminal.buffer.normal;
    for (let y = this.#from(); y < buffer.length; ) {
      const [text, next] = renderLogicalLine(buffer, y, buffer.length, this.#reader);
      if (text === '' && isBlankFrom(buffer, next)) return;
      this.#kept.add(text);
      y = next;
    }
  }

  /** Skips the existing lines: the next one collected is the cursor's. */
  skipToCursor(): void {
    this.#continueAt(0);
  }

  #from(): number {
    return this.#next && this.#next.line >= 0 ? this.#next.line : 0;
  }

  #continueAt(offset: number): void {
    this.#next?.dispose();
    this.#next = this.#terminal.registerMarker(offset);
  }
}

function isBlankFrom(buffer: Terminal['buffer']['normal'], y: number): boolean {
  for (let at = y; at < buffer.length; at += 1) {
    if (buffer.getLine(at)?.translateToString(true) !== '') return false;
  }
  return true;
}

// Output that needs no terminal model: so far only printable ASCII in plain lines.

/**
 * The largest output that this module renders, in bytes; larger outputs go to the terminal model, which limits its
 * memory.
 */
const MAX_BYTES = 64 * 1024;
const [LF, CR] = [0x0a, 0x0d];

export class PlainOutput {
  #text = '';
  #lines: readonly string[] | undefined;

  /** Takes a chunk if all of it is plain; false: a terminal model must draw this and everything before. */
  take(data: Buffer): boolean {
    if (this.#text.length + data.length > MAX_BYTES || !isPlain(data)) return false;
    this.#text += data.toString('latin1');
    this.#lines = undefined;
    return true;
  }

  /** Returns all lines without trailing blanks and trailing empty lines. */
  lines(): readonly string[] {
    if (this.#lines) return this.#lines;
    const lines = this.#text.split('\n').map((line) => line.trimEnd());
    while (lines.at(-1) === '') lines.pop();
    this.#lines = lines;
    return lines;
  }

  /** Returns the last `max` rows of a screen with this width. */
  rows(columns: number, max: number): readonly string[] {
    return this.lines()
      .slice(-max)
      .flatMap((line) => (line.length <= columns ? [line] : wrap(line, columns)))
      .slice(-max);
  }

  lastRow(columns: number): string {
    const line = this.#text.slice(this.#text.lastIndexOf('\n') + 1);
    return line.slice(line.length - (line.length % columns || Math.min(line.length, columns)));
  }
}

function isPlain(data: Buffer): boolean {
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] ?? 0;
    if (byte > 0x1f ? byte > 0x7e : byte !== LF && (byte !== CR || data[at + 1] !== LF)) return false;
  }
  return true;
}

function wrap(line: string, columns: number): readonly string[] {
  return Array.from({ length: Math.ceil(line.length / columns) }, (_, n) =>
    line.slice(n * columns, (n + 1) * columns).trimEnd(),
  );
}
