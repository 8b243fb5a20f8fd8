/** Bytes in pieces → lines of text, without garbage for a line that never ends. */

const [LF, CR] = [0x0a, 0x0d];
const BYTE_ORDER_MARK = '\ufeff';
const MIN_ROOM_BYTES = 64 * 1024;

/**
 * Room of the last answer, for the next one. Made anew for each, a line of megabytes would have the heap cleared up as a
 * whole, just while keys are typed: what is outside it counts as well.
 */
let spare: Buffer | undefined;

/**
 * What has not ended stays bytes, outside the heap. Only what is new is searched, so that a line costs no more than its
 * length, however many pieces it comes in. To be closed.
 */
export class LineSplitter {
  /** Its beginning is the line that has not ended; nothing where the lines end with their pieces. */
  #room: Buffer | undefined;
  #endedInReturn = false;
  #first = true;
  /** Bytes of the line that has not ended. */
  pending = 0;

  /** The lines that this piece ends, without their ends (`\n`, `\r\n` or `\r`). Keeps nothing of the piece itself. */
  push(piece: Uint8Array): readonly string[] {
    if (piece.length === 0) return [];
    const lines: string[] = [];
    // The second half of a line end whose first half came before.
    let from = this.#endedInReturn && piece[0] === LF ? 1 : 0;
    this.#endedInReturn = piece.at(-1) === CR;
    let feed = piece.indexOf(LF, from);
    let back = piece.indexOf(CR, from);
    while (feed >= 0 || back >= 0) {
      const end = back < 0 || (feed >= 0 && feed < back) ? feed : back;
      lines.push(this.#ended(piece.subarray(from, end)));
      from = end + (end === back && feed === back + 1 ? 2 : 1);
      if (feed >= 0 && feed < from) feed = piece.indexOf(LF, from);
      if (back >= 0 && back < from) back = piece.indexOf(CR, from);
    }
    this.#keep(piece.subarray(from));
    return lines;
  }

  /** The text after the last line end. */
  get rest(): string {
    return this.#text(this.#room?.subarray(0, this.pending));
  }

  /** Hands its room on. Idempotent. */
  close(): void {
    spare = this.#room ?? spare;
    this.#room = undefined;
    this.pending = 0;
  }

  #ended(end: Uint8Array): string {
    if (this.pending > 0) this.#keep(end);
    const text = this.pending > 0 ? this.rest : this.#text(end);
    this.pending = 0;
    this.#first = false;
    return text;
  }

  #text(bytes: Uint8Array | undefined): string {
    if (!bytes) return '';
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    return this.#first && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    const needed = this.pending + part.length;
    if (!this.#room) {
      this.#room = spare;
      spare = undefined;
    }
    if (!this.#room || this.#room.length < needed) {
      const larger = Buffer.allocUnsafeSlow(Math.max(MIN_ROOM_BYTES, 2 ** Math.ceil(Math.log2(needed))));
      if (this.#room) larger.set(this.#room.subarray(0, this.pending));
      this.#room = larger;
    }
    this.#room.set(part, this.pending);
    this.pending = needed;
  }
}
