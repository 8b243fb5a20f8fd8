/**
 * Filters the output of a full-screen program to the user's real terminal (EX-9). Drawing and queries pass. Anything
 * that would outlast the program or act outside its screen is removed: title, clipboard, notifications, terminal
 * colours, images that name files, window operations, printer, full reset, 8-bit controls. Images with inline data
 * pass, since the program has asked whether the terminal supports them.
 * Source of the sequences: xterm's ctlseqs, ECMA-48.
 */
import { BROKEN, COMMAND, ESC, ESCAPE, nextState, STRING, STRING_ESCAPE, TEXT } from '../text/escape-sequences.ts';
import { find, wanted } from './find-bytes.ts';

/** The first UTF-8 byte of the 8-bit controls. */
const C1_LEAD = 0xc2;
/** The longest accepted sequence except images; none that a program needs is longer. */
const MAX_SEQUENCE_BYTES = 4096;
const MAX_PICTURE_BYTES = 8 * 1024 * 1024;

/** The state after the lead byte; the other states are those of a sequence. */
const LEAD = -1;

/**
 * Window operations and printing are blocked, except queries of sizes. A full reset would also reset our own modes.
 */
const REFUSED = /^\x1b(?:c$|\[(?!1[468]t)[\x20-\x3f]*[ti]$)/;
/** OSC and DCS strings that pass: safe links, queries and resets of colours, queries to the terminal. */
const ASKED =
  /^\x1b(?:\]8;[\w=:.-]*;(?:(?:(?:https?|file):\/\/|mailto:)[\x21-\x7e]*)?|\](?:4;\d+|1[0-9]);\?|\]1(?:04(?:;\d+)*|1[0-9])|P[$+]q[\x20-\x7e]*)(?:\x07|\x1b\\)$/i;

/** The beginnings of images: sixel, kitty, iTerm2. Sources: DEC STD 070, kitty's and iTerm2's documentation. */
const PICTURE = /^\x1b(?:P[\d;]*q|_G|\]1337;(?:File|MultipartFile|FilePart)=)/;
const SIXEL = /^\x1bP[\d;]*q["#$!;\d?-~\r\n-]*\x1b\\$/;
/** An inline image of iTerm2, which would save a file without `inline=1`. */
const ITERM =
  /^\x1b\]1337;(?:(?:File|MultipartFile)=(?=[^:\x07\x1b]*\binline=1\b)[\w=;%.+/-]*(?::[\w+/=\r\n]*)?|FilePart=[\w+/=\r\n]*|FileEnd)(?:\x07|\x1b\\)$/;
const KITTY = /^\x1b_G([\w=,-]*)(?:;[\w+/=]*)?\x1b\\$/;

function isPicture(sequence: string): boolean {
  const controls = KITTY.exec(sequence)?.[1];
  // Other transmission modes name a file or shared memory.
  if (controls !== undefined) return controls.split(',').every((pair) => !pair.startsWith('t') || pair === 't=d');
  return SIXEL.test(sequence) || (ITERM.test(sequence) && isInline(sequence));
}

/** Returns whether the key occurs exactly once and as a whole word: terminals use the last of several. */
function isInline(sequence: string): boolean {
  const given = /File=([^:\x07\x1b]*)/.exec(sequence)?.[1];
  const said = given?.split(';').filter((pair) => /^inline(=|$)/.test(pair));
  return said === undefined || (said.length > 0 && said.every((pair) => pair === 'inline=1'));
}

/** A growable byte buffer. */
class Bytes {
  #buffer = Buffer.alloc(256);
  length = 0;

  push(byte: number): void {
    if (this.length === this.#buffer.length) {
      const grown = Buffer.alloc(this.length * 2);
      this.#buffer.copy(grown);
      this.#buffer = grown;
    }
    this.#buffer[this.length] = byte;
    this.length += 1;
  }

  get view(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}

/** Filters one program's output. Sequences may be split anywhere between two calls. */
export class PassthroughFilter {
  #state = TEXT;
  #held = new Bytes();
  #limit = MAX_SEQUENCE_BYTES;

  /** Returns the bytes that may go to the terminal, including bytes held back before. */
  pass(data: Uint8Array): Buffer {
    const out = new Bytes();
    for (const byte of data) this.#take(byte, out);
    return out.view;
  }

  #take(byte: number, out: Bytes): void {
    if (this.#state === TEXT && byte !== ESC && byte !== C1_LEAD) out.push(byte);
    else if (this.#state === TEXT) {
      this.#hold(byte);
      this.#state = byte === ESC ? ESCAPE : LEAD;
    } else if (this.#state === LEAD) {
      this.#state = TEXT;
      if (byte >= 0x80 && byte <= 0x9f) return;
      out.push(C1_LEAD);
      this.#take(byte, out);
    } else this.#follow(byte, out);
  }

  #hold(byte: number): void {
    this.#held = new Bytes();
    this.#held.push(byte);
    this.#limit = MAX_SEQUENCE_BYTES;
  }

  /** Processes one more byte of a sequence. */
  #follow(byte: number, out: Bytes): void {
    const next = nextState(this.#state, byte);
    // Another sequence interrupts the string, so the output is held from its start on.
    if (this.#state === STRING_ESCAPE && next !== TEXT) this.#hold(ESC);
    this.#state = next;
    if (next === BROKEN) {
      // Terminals execute a control inside a sequence; this filter ends the sequence.
      this.#state = TEXT;
      this.#take(byte, out);
      return;
    }
    if (this.#held.length === this.#limit && this.#limit < MAX_PICTURE_BYTES && PICTURE.test(this.#head))
      this.#limit = MAX_PICTURE_BYTES;
    if (this.#held.length <= this.#limit) this.#held.push(byte);
    if (next !== TEXT || this.#held.length > this.#limit) return;
    const sequence = this.#held.view.toString('latin1');
    const opened = nextState(ESCAPE, this.#held.view[1] ?? 0);
    const isString = opened === COMMAND || opened === STRING;
    const passes = isString ? ASKED.test(sequence) || isPicture(sequence) : !REFUSED.test(sequence);
    if (passes) for (const held of this.#held.view) out.push(held);
  }

  get #head(): string {
    return this.#held.view.toString('latin1', 0, 64);
  }
}

/** DEC private modes that switch to the alternate screen. Source: xterm's control sequences. */
const SWITCH = /\x1b\[\?(?:[\d;]*;)?(?:47|1047|1049)(?:;[\d;]*)?([hl])/g;
const MODE = wanted('\x1b[?');
const MAX_SWITCH_BYTES = 32;

type Piece = { readonly data: Buffer; readonly fullScreen: boolean };

/** Separates a program's output on the alternate screen from the rest. */
export class AlternateScreen {
  fullScreen = false;
  #held: Buffer | undefined;

  /** Splits a chunk at the switches; a switch belongs to the alternate screen. */
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

  /** Returns bytes held back as the possible start of a switch. */
  rest(): Buffer | undefined {
    const held = this.#held;
    this.#held = undefined;
    return held;
  }
}

/** Returns where an unfinished `ESC [ ? …` at the end starts, else the length. */
function unfinished(data: Buffer, from: number): number {
  const at = data.lastIndexOf(0x1b);
  if (at < from || at < data.length - MAX_SWITCH_BYTES) return data.length;
  return /^\x1b(?:\[(?:\?[\d;]*)?)?$/.test(data.toString('latin1', at)) ? at : data.length;
}
