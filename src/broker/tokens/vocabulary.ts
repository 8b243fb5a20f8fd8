/**
 * The o200k encoding, for counting. The build packs its 200,000 tokens and a hash table into one file of 4 MB that is
 * used without parsing; a table of strings takes 80 MB. A separate module because the build imports it too.
 */
import { Turns } from '../../text/turns.ts';

/** A power of two, more than twice the number of tokens. */
const SLOTS = 1 << 19;
const TABLE_BYTES = SLOTS * Int32Array.BYTES_PER_ELEMENT;
/** The longest piece that is counted at once, in characters: a run of one character takes quadratic time. */
const PIECE_CHARS = 500;
const NEVER = 0x7fffffff;

/**
 * Packs a `.tiktoken` text (per line a token in base64 and its rank, ordered by rank): the hash table, then length
 * and bytes of each token. A slot contains the token's position plus one, at its hash or in a following slot; 0 means
 * empty. Throws for other text, and for more tokens than half the slots.
 */
export function packTokens(tiktoken: string): Buffer {
  const lines = tiktoken.trimEnd().split('\n');
  if (lines.length > SLOTS / 2) throw new Error(`more than ${SLOTS / 2} tokens`);
  const tokens = Buffer.concat(
    lines.flatMap((line, at) => {
      const [base64 = '', rank] = line.split(' ');
      const token = Buffer.from(base64, 'base64');
      if (Number(rank) !== at || token.length === 0 || token.length > 255) throw new Error(`not a token: ${line}`);
      return [Buffer.from([token.length]), token];
    }),
  );
  const slots = new Int32Array(SLOTS);
  for (let at = 0; at < tokens.length; at += 1 + (tokens[at] ?? 0)) {
    let slot = hashOf(tokens, at + 1, at + 1 + (tokens[at] ?? 0)) & (SLOTS - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    slots[slot] = at + 1;
  }
  return Buffer.concat([new Uint8Array(slots.buffer), tokens]);
}

/** How OpenAI's o200k_base splits a text into separately encoded words. Source: its published pattern. */
function wordsOf(upper: string, lower: string, letters: string, digits: string, flags: string): RegExp {
  const suffix = String.raw`(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?`;
  const before = String.raw`[^\r\n${letters}${digits}]?`;
  const kinds = [
    `${before}[${upper}]*[${lower}]+${suffix}`,
    `${before}[${upper}]+[${lower}]*${suffix}`,
    `[${digits}]{1,3}`,
    String.raw` ?[^\s${letters}${digits}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ];
  return new RegExp(kinds.join('|'), flags);
}

const UNICODE = wordsOf(
  String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`,
  String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`,
  String.raw`\p{L}`,
  String.raw`\p{N}`,
  'gu',
);
/** The same for ASCII. The Unicode classes take ten milliseconds to compile, which would delay a key press. */
const ASCII = wordsOf('A-Z', 'a-z', 'A-Za-z', '0-9', 'g');
const IS_ASCII = /^[\0-\x7f]*$/;

export class Vocabulary {
  readonly #tokens: Uint8Array;
  readonly #slots: Int32Array;
  readonly #encoder = new TextEncoder();
  /**
   * One word, its parts by their start, and for each part the position of the token that it makes with the next part.
   */
  readonly #word = new Uint8Array(PIECE_CHARS * 4);
  readonly #starts = new Int32Array(PIECE_CHARS * 4 + 2);
  readonly #places = new Int32Array(PIECE_CHARS * 4 + 2);

  /** @param packed the result of `packTokens` */
  constructor(packed: Buffer) {
    // A view without a copy: a buffer of this size starts at the beginning of its memory.
    this.#slots = new Int32Array(packed.buffer, packed.byteOffset, SLOTS);
    this.#tokens = packed.subarray(TABLE_BYTES);
  }

  /** Slightly too high, because the text is counted in pieces. */
  async count(text: string, turns = new Turns()): Promise<number> {
    let tokens = 0;
    for (let at = 0; at < text.length; ) {
      const piece = pieceAt(text, at);
      for (const [word] of piece.matchAll(IS_ASCII.test(piece) ? ASCII : UNICODE)) tokens += this.#inWord(word);
      at += piece.length;
      if (turns.due) await turns.next();
    }
    return tokens;
  }

  /** Returns the position of the token with these bytes of the word, in rank order; NEVER if there is none. */
  #placeOf(from: number, to: number): number {
    for (let slot = hashOf(this.#word, from, to) & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const place = (this.#slots[slot] ?? 0) - 1;
      if (place < 0) return NEVER;
      if (this.#is(place, from, to)) return place;
    }
  }

  #is(place: number, from: number, to: number): boolean {
    if (this.#tokens[place] !== to - from) return false;
    for (let n = 0; n < to - from; n += 1) if (this.#tokens[place + 1 + n] !== this.#word[from + n]) return false;
    return true;
  }

  /** Joins neighbouring parts, lowest rank first, until no two make a token. */
  #inWord(text: string): number {
    const { written } = this.#encoder.encodeInto(text, this.#word);
    if (this.#placeOf(0, written) !== NEVER) return 1;
    const [starts, places] = [this.#starts, this.#places];
    let parts = written;
    for (let part = 0; part <= parts; part += 1) starts[part] = part;
    const pair = (part: number) => (part + 2 > parts ? NEVER : this.#placeOf(starts[part] ?? 0, starts[part + 2] ?? 0));
    for (let part = 0; part < parts; part += 1) places[part] = pair(part);
    for (;;) {
      let lowest = 0;
      for (let part = 1; part < parts; part += 1)
        if ((places[part] ?? NEVER) < (places[lowest] ?? NEVER)) lowest = part;
      if ((places[lowest] ?? NEVER) === NEVER) return parts;
      starts.copyWithin(lowest + 1, lowest + 2, parts + 1);
      places.copyWithin(lowest + 1, lowest + 2, parts);
      parts -= 1;
      places[lowest] = pair(lowest);
      if (lowest > 0) places[lowest - 1] = pair(lowest - 1);
    }
  }
}

/** The FNV-1a hash. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** Returns a piece up to the last line end within reach: no token crosses a line end and continues. */
function pieceAt(text: string, at: number): string {
  const piece = text.slice(at, at + PIECE_CHARS);
  if (at + PIECE_CHARS >= text.length) return piece;
  // Search the piece, not the text: without a line end every search would go back to the beginning.
  const line = piece.lastIndexOf('\n');
  return line > 0 ? piece.slice(0, line + 1) : piece;
}
