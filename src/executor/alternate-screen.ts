import { find, wanted } from './find-bytes.ts';

/** DEC private modes that switch to the alternate screen. Source: xterm's control sequences. */
const SWITCH = /\x1b\[\?(?:[\d;]*;)?(?:47|1047|1049)(?:;[\d;]*)?([hl])/g;
const MODE = wanted('\x1b[?');
const MAX_SEQUENCE_BYTES = 32;

export type Piece = { readonly data: Buffer; readonly fullScreen: boolean };

/** Follows which of a program's output belongs to a full screen of its own. */
export class AlternateScreen {
  fullScreen = false;
  #held: Buffer | undefined;

  /** Splits a chunk at the switches; a switch belongs to the full-screen side. */
  split(chunk: Buffer): Piece[] {
    const data = this.#held ? Buffer.concat([this.#held, chunk]) : chunk;
    this.#held = undefined;
    const pieces: Piece[] = [];
    let from = 0;
    if (find(data, MODE) >= 0) {
      for (const match of data.toString('latin1').matchAll(SWITCH)) {
        const on = match[1] === 'h';
        if (on === this.fullScreen) continue;
        const cut = on ? match.index : match.index + match[0].length;
        if (cut > from) pieces.push({ data: data.subarray(from, cut), fullScreen: this.fullScreen });
        from = cut;
        this.fullScreen = on;
      }
    }
    const keep = unfinished(data, from);
    if (keep > from) pieces.push({ data: data.subarray(from, keep), fullScreen: this.fullScreen });
    if (keep < data.length) this.#held = Buffer.from(data.subarray(keep));
    return pieces;
  }

  /** What was held back as the possible start of a switch. */
  rest(): Buffer | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held;
  }
}

/** Where an unfinished `ESC [ ? …` at the end begins, else the length. */
function unfinished(data: Buffer, from: number): number {
  const at = data.lastIndexOf(0x1b);
  if (at < from || at < data.length - MAX_SEQUENCE_BYTES) return data.length;
  return /^\x1b(?:\[(?:\?[\d;]*)?)?$/.test(data.toString('latin1', at)) ? at : data.length;
}
