import type { IMarker, Terminal } from '@xterm/headless';
import { type CellReader, renderLogicalLine } from './cells.ts';
import type { HeadTail } from './head-tail.ts';

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
