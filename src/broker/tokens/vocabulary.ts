/**
 * The o200k encoding, for counting. Its 200,000 tokens lie as bytes in one buffer and are found by their hash: 5 MB,
 * where a table of strings takes 80. A file of its own because the build imports it too.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { Turns } from '../../text/turns.ts';

/** Tokens that are taken in one turn of the event loop. */
const BATCH = 4096;
/** A power of two, more than twice as many as there are tokens. */
const SLOTS = 1 << 19;
const MAX_TOKENS = SLOTS / 2;
/** Characters: a run of one character takes time in the square of its length. */
const PIECE_CHARS = 500;
const NEVER = 0x7fffffff;

/**
 * The tokens of a `.tiktoken` file (a token in base64 and its rank in each line, by rank) as length and bytes, one
 * after another.
 */
export function packTokens(tiktoken: string): Buffer {
  const parts = tiktoken
    .trimEnd()
    .split('\n')
    .flatMap((line, at) => {
      const [base64 = '', rank] = line.split(' ');
      const token = Buffer.from(base64, 'base64');
      if (Number(rank) !== at || token.length === 0 || token.length > 255) throw new Error(`not a token: ${line}`);
      return [Buffer.from([token.length]), token];
    });
  return Buffer.concat(parts);
}

/** How OpenAI's o200k_base cuts a text into what is encoded by itself. Source: its published pattern. */
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
/** The same of ASCII. The classes of the other take ten milliseconds to compile, which a key may have to wait for. */
const ASCII = wordsOf('A-Z', 'a-z', 'A-Za-z', '0-9', 'g');
const IS_ASCII = /^[\0-\x7f]*$/;

export class Vocabulary {
  readonly #tokens: Buffer;
  /** Where a token's length stands, by rank. */
  readonly #places = new Int32Array(MAX_TOKENS);
  /** One more than the rank of the token with this hash, or one of the slots behind it; 0 where none is. */
  readonly #slots = new Int32Array(SLOTS);
  readonly #encoder = new TextEncoder();
  /** One word, its parts by their beginnings, and for each the rank of what it makes with the next. */
  readonly #word = new Uint8Array(PIECE_CHARS * 4);
  readonly #starts = new Int32Array(PIECE_CHARS * 4 + 2);
  readonly #ranks = new Int32Array(PIECE_CHARS * 4 + 2);

  private constructor(tokens: Buffer) {
    this.#tokens = tokens;
  }

  /** @param tokens as `packTokens` lays them out */
  static async load(tokens: Buffer): Promise<Vocabulary> {
    const vocabulary = new Vocabulary(tokens);
    let rank = 0;
    for (let at = 0; at < tokens.length; at += 1 + (tokens[at] ?? 0)) {
      if (rank % BATCH === 0) await turn();
      vocabulary.#add(rank, at);
      rank += 1;
    }
    return vocabulary;
  }

  /** A little more than exact, since it is counted in pieces. */
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

  #add(rank: number, at: number): void {
    if (rank >= MAX_TOKENS) throw new Error(`more than ${MAX_TOKENS} tokens`);
    this.#places[rank] = at;
    let slot = hashOf(this.#tokens, at + 1, at + 1 + (this.#tokens[at] ?? 0)) & (SLOTS - 1);
    while (this.#slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    this.#slots[slot] = rank + 1;
  }

  /** The rank of bytes of the word; NEVER where they are no token. */
  #rankOf(from: number, to: number): number {
    for (let slot = hashOf(this.#word, from, to) & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const rank = (this.#slots[slot] ?? 0) - 1;
      if (rank < 0) return NEVER;
      if (this.#is(this.#places[rank] ?? 0, from, to)) return rank;
    }
  }

  #is(place: number, from: number, to: number): boolean {
    if (this.#tokens[place] !== to - from) return false;
    for (let n = 0; n < to - from; n += 1) if (this.#tokens[place + 1 + n] !== this.#word[from + n]) return false;
    return true;
  }

  /** Byte pairs are joined, those of the lowest rank first, until none of what stands beside each other is a token. */
  #inWord(text: string): number {
    const { written } = this.#encoder.encodeInto(text, this.#word);
    if (this.#rankOf(0, written) !== NEVER) return 1;
    const [starts, ranks] = [this.#starts, this.#ranks];
    let parts = written;
    for (let part = 0; part <= parts; part += 1) starts[part] = part;
    const pair = (part: number) => (part + 2 > parts ? NEVER : this.#rankOf(starts[part] ?? 0, starts[part + 2] ?? 0));
    for (let part = 0; part < parts; part += 1) ranks[part] = pair(part);
    for (;;) {
      let lowest = 0;
      for (let part = 1; part < parts; part += 1) if ((ranks[part] ?? NEVER) < (ranks[lowest] ?? NEVER)) lowest = part;
      if ((ranks[lowest] ?? NEVER) === NEVER) return parts;
      starts.copyWithin(lowest + 1, lowest + 2, parts + 1);
      ranks.copyWithin(lowest + 1, lowest + 2, parts);
      parts -= 1;
      ranks[lowest] = pair(lowest);
      if (lowest > 0) ranks[lowest - 1] = pair(lowest - 1);
    }
  }
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** Up to the last line end within reach, since no token crosses one and goes on. */
function pieceAt(text: string, at: number): string {
  const piece = text.slice(at, at + PIECE_CHARS);
  if (at + PIECE_CHARS >= text.length) return piece;
  // Not in the whole text: without a line end in it each piece would be searched back to the beginning.
  const line = piece.lastIndexOf('\n');
  return line > 0 ? piece.slice(0, line + 1) : piece;
}
