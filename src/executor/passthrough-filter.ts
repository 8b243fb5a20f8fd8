/**
 * What a program with a screen of its own may send to the terminal that it was lent (EX-9). It paints as it likes, and
 * asks what it likes; but whatever would outlast its screen or reach beyond it is left out: title, clipboard,
 * notifications, colours of the terminal, files by way of pictures, window, printer, a full reset, and 8-bit controls.
 * Source of the sequences: xterm's ctlseqs, ECMA-48.
 */

const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
/** First byte in UTF-8 of the 8-bit controls. */
const C1_LEAD = 0xc2;
/** A longer sequence is no sequence that anyone needs. */
const MAX_SEQUENCE_BYTES = 4096;

const TEXT = 0;
const ESCAPE = 1;
const CONTROL = 2;
const STRING = 3;
const STRING_ESCAPE = 4;
const LEAD = 5;

/** Window operations and printing go nowhere; a full reset would take our modes with it. */
const REFUSED = /^\x1b(?:c$|\[[\x20-\x3f]*[ti]$)/;
/** Strings that pass: links to where links may lead, questions about colours, their resetting, questions to the terminal. */
const ASKED =
  /^\x1b(?:\]8;[\w=:.-]*;(?:(?:(?:https?|file):\/\/|mailto:)[\x21-\x7e]*)?|\](?:4;\d+|1[0-9]);\?|\]1(?:04(?:;\d+)*|1[0-9])|P[$+]q[\x20-\x7e]*)(?:\x07|\x1b\\)$/i;

/** A filter for one program's time on the screen. Sequences may be torn anywhere between two calls. */
export class PassthroughFilter {
  #state = TEXT;
  #held: number[] = [];

  /** The part of `data` that may go to the terminal, with what was held back before. */
  pass(data: Uint8Array): Buffer {
    const out: number[] = [];
    for (const byte of data) this.#take(byte, out);
    return Buffer.from(out);
  }

  #take(byte: number, out: number[]): void {
    switch (this.#state) {
      case TEXT:
        if (byte === ESC) this.#hold(byte, ESCAPE);
        else if (byte === C1_LEAD) this.#hold(byte, LEAD);
        else out.push(byte);
        return;
      case LEAD:
        this.#state = TEXT;
        if (byte >= 0x80 && byte <= 0x9f) return;
        out.push(C1_LEAD);
        this.#take(byte, out);
        return;
      case ESCAPE:
        if (byte >= 0x20 && byte <= 0x2f) this.#hold(byte, ESCAPE);
        else if (byte === 0x5b && this.#held.length === 1) this.#hold(byte, CONTROL);
        else if (this.#held.length === 1 && isStringStart(byte)) this.#hold(byte, STRING);
        else this.#end(byte, out);
        return;
      case CONTROL:
        if (byte >= 0x20 && byte <= 0x3f) this.#hold(byte, CONTROL);
        else this.#end(byte, out);
        return;
      case STRING:
        if (byte === BEL) this.#end(byte, out);
        else if (byte === CAN || byte === SUB) this.#state = TEXT;
        else this.#hold(byte, byte === ESC ? STRING_ESCAPE : STRING);
        return;
      default:
        if (byte === 0x5c) this.#end(byte, out);
        else {
          // Broken off by another sequence.
          this.#hold(ESC, ESCAPE);
          this.#take(byte, out);
        }
    }
  }

  #hold(byte: number, state: number): void {
    if (state === LEAD || (state === ESCAPE && byte === ESC)) this.#held = [];
    if (this.#held.length < MAX_SEQUENCE_BYTES) this.#held.push(byte);
    this.#state = state;
  }

  /** The sequence is whole with this byte, or ended by one that can't be part of it. */
  #end(byte: number, out: number[]): void {
    this.#state = TEXT;
    const sequence = Buffer.from([...this.#held, byte]);
    const isString = isStringStart(sequence[1] ?? 0);
    if (!isString && (byte < 0x30 || byte > 0x7e)) {
      // No sequence ends so. Terminals obey a control within one; here it is over.
      this.#take(byte, out);
      return;
    }
    if (sequence.length > MAX_SEQUENCE_BYTES) return;
    const text = sequence.toString('latin1');
    if (isString ? ASKED.test(text) : !REFUSED.test(text)) for (const each of sequence) out.push(each);
  }
}

/** DCS, SOS, OSC, PM and APC begin with these. */
function isStringStart(byte: number): boolean {
  return byte === 0x50 || byte === 0x58 || byte === 0x5d || byte === 0x5e || byte === 0x5f;
}
