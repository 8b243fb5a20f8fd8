/**
 * The lines of an output: its head and tail, kept in bounded memory, from plain text or from a terminal that scrolls.
 */
import type { IMarker, Terminal } from '@xterm/headless';
import { clean } from '../text/sanitize.ts';
import { type CellReader, renderLogicalLine } from './cells.ts';

/** Characters kept of the start and of the end of an output (EX-5): most of what a journal takes on the disk. */
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
  /** Lines that were given to `add`. */
  added = 0;
  /** A single line was longer than a part and lost its end. */
  shortened = false;

  constructor(limit: number = MAX_PART_CHARS) {
    this.#limit = limit;
  }

  /** No further line goes to the head: it is full, or what follows is not adjacent to it. */
  get headClosed(): boolean {
    return !this.#headOpen;
  }

  add(text: string): void {
    this.added += 1;
    // One line as long as a part keeps its first half: its end is in the full text.
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

  /** Something was left out here: the tail starts again. */
  gap(): void {
    this.#headOpen = false;
    this.#tail = [];
    this.#tailFrom = 0;
    this.#tailSize = 0;
  }

  /** `totalLines`: lines of the whole output, where better known than from what was added. */
  result(totalLines: number): { head: string; tail: string; omittedLines: number } {
    const tail = this.#tail.slice(this.#tailFrom);
    const omittedLines = Math.max(0, Math.max(totalLines, this.added) - this.#head.length - tail.length);
    if (omittedLines === 0) return { head: [...this.#head, ...tail].join('\n'), tail: '', omittedLines };
    return { head: this.#head.join('\n'), tail: tail.join('\n'), omittedLines };
  }
}

/** Takes lines out of a terminal as they scroll off its screen, each of them once, and keeps their head and tail. */
export class LineCollector {
  readonly #kept: HeadTail;
  readonly #terminal: Terminal;
  readonly #reader: CellReader;
  /** A line that is longer than this many rows is taken while it is still being written. */
  readonly #maxOpenRows: number;
  #next: IMarker | undefined;

  constructor(terminal: Terminal, reader: CellReader, kept: HeadTail, maxOpenRows: number) {
    this.#terminal = terminal;
    this.#reader = reader;
    this.#kept = kept;
    this.#maxOpenRows = maxOpenRows;
    this.#next = terminal.registerMarker(0);
  }

  /** Takes the lines that have scrolled off since; a line still being written waits. */
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

  /** Takes all that is left, less the blank rows at its end. The last call. */
  takeRest(): void {
    const buffer = this.#terminal.buffer.normal;
    for (let y = this.#from(); y < buffer.length; ) {
      const [text, next] = renderLogicalLine(buffer, y, buffer.length, this.#reader);
      if (text === '' && isBlankFrom(buffer, next)) return;
      this.#kept.add(text);
      y = next;
    }
  }

  /** Skips what is there: the next line to take is the cursor's. */
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

// Output that needs no terminal model: so far it is printable ASCII in lines, each of which stands as it came.

/** More than this is what a model with its bounds is for. */
const MAX_BYTES = 64 * 1024;
const [LF, CR] = [0x0a, 0x0d];

export class PlainOutput {
  #text = '';
  #lines: readonly string[] | undefined;

  /** Takes what is still plain, whole; false: a model must draw this, and all that came before. */
  take(data: Buffer): boolean {
    if (this.#text.length + data.length > MAX_BYTES || !isPlain(data)) return false;
    this.#text += data.toString('latin1');
    this.#lines = undefined;
    return true;
  }

  /** All lines, without blanks at their ends and without blank ones at the end of all. */
  lines(): readonly string[] {
    if (this.#lines) return this.#lines;
    const lines = this.#text.split('\n').map((line) => line.trimEnd());
    while (lines.at(-1) === '') lines.pop();
    this.#lines = lines;
    return lines;
  }

  /** The same in rows of a screen, at most `max` from the end. */
  rows(columns: number, max: number): readonly string[] {
    return this.lines()
      .slice(-max)
      .flatMap((line) => (line.length <= columns ? [line] : wrap(line, columns)))
      .slice(-max);
  }

  /** What stands in the last row. */
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
