/**
 * What a program with a screen of its own may send to the terminal that it was lent (EX-9). It paints as it likes, and
 * asks what it likes; but whatever would outlast its screen or reach beyond it is left out: title, clipboard,
 * notifications, colours of the terminal, files by way of pictures, window, printer, a full reset, and 8-bit controls.
 * Source of the sequences: xterm's ctlseqs, ECMA-48.
 */
import { BROKEN, COMMAND, ESC, ESCAPE, nextState, STRING, STRING_ESCAPE, TEXT } from '../text/escape-sequences.ts';

/** First byte in UTF-8 of the 8-bit controls. */
const C1_LEAD = 0xc2;
/** No legitimate sequence is longer. */
const MAX_SEQUENCE_BYTES = 4096;

/** Behind the lead byte: beside the states of a sequence. */
const LEAD = -1;

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
    if (this.#state === TEXT && byte !== ESC && byte !== C1_LEAD) out.push(byte);
    else if (this.#state === TEXT) {
      this.#held = [byte];
      this.#state = byte === ESC ? ESCAPE : LEAD;
    } else if (this.#state === LEAD) {
      this.#state = TEXT;
      if (byte >= 0x80 && byte <= 0x9f) return;
      out.push(C1_LEAD);
      this.#take(byte, out);
    } else this.#follow(byte, out);
  }

  /** One more byte of a sequence. */
  #follow(byte: number, out: number[]): void {
    const next = nextState(this.#state, byte);
    // A string that another sequence breaks off: that one is held from here.
    if (this.#state === STRING_ESCAPE && next !== TEXT) this.#held = [ESC];
    this.#state = next;
    if (next === BROKEN) {
      // Terminals obey a control within a sequence; here it is over.
      this.#state = TEXT;
      this.#take(byte, out);
      return;
    }
    if (this.#held.length <= MAX_SEQUENCE_BYTES) this.#held.push(byte);
    if (next !== TEXT || this.#held.length > MAX_SEQUENCE_BYTES) return;
    const sequence = Buffer.from(this.#held).toString('latin1');
    const opened = nextState(ESCAPE, this.#held[1] ?? 0);
    const passes = opened === COMMAND || opened === STRING ? ASKED.test(sequence) : !REFUSED.test(sequence);
    if (passes) out.push(...this.#held);
  }
}
