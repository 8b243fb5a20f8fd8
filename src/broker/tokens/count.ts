/** The ways of counting the tokens of a text: the server's own tokenizer, the library's, and by the look of it. */
import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { asArray } from '../../text/json.ts';
import { eachInTurns, Turns } from '../../text/turns.ts';
import { demoTokens } from '../demo/script.ts';
import { requestJson } from '../exchange.ts';
import { asCount } from '../json.ts';
import { apiKeyOf, type Preset, rootOf, secretsPolicy } from '../preset.ts';

/** For all texts of one call together. */
const TOKENIZE_TIMEOUT_MS = 1500;
/** Counts that are kept, by counter; more where one request has more texts. */
const MAX_CACHED = 500;

export type CounterKind = 'server' | 'library' | 'estimate' | 'demo';

type Counted = { readonly kind: CounterKind; readonly counts: readonly number[] };

/** Counts with the best counter there is for a preset, each text once. */
export class TokenCounter {
  /** Presets whose servers have no tokenizer. */
  readonly #mute = new Set<string>();
  readonly #kept = new Map<string, Map<string, number>>();

  /**
   * @param enough up to so many tokens an estimate, which is guessed high, says all there is to know: nobody waits
   * for the library
   */
  async count(preset: Preset, texts: readonly string[], enough: number, signal: AbortSignal): Promise<Counted> {
    if (preset.demo) return { kind: 'demo', counts: texts.map(demoTokens) };
    const exact = secretsPolicy(preset) === 'off' && !this.#mute.has(preset.name);
    const told = exact ? await this.#byServer(preset, texts, signal) : undefined;
    if (told) return { kind: 'server', counts: told };
    const guessed = () => this.#cached('estimate', texts, estimatesOf);
    if (!libraryIsLoaded()) {
      const counts = (await guessed()) ?? [];
      const all = counts.reduce((sum, tokens) => sum + tokens, 0);
      if (all > enough / 2) loadLibrary();
      if (all <= enough) return { kind: 'estimate', counts };
    }
    const counts = await this.#cached('library', texts, countByLibrary);
    return counts ? { kind: 'library', counts } : { kind: 'estimate', counts: (await guessed()) ?? [] };
  }

  #byServer(preset: Preset, texts: readonly string[], signal: AbortSignal) {
    return this.#cached(`${preset.name}/server`, texts, async (missing, keep) => {
      const asked = await askTokenizer(preset, missing, signal, keep);
      if ('counts' in asked) return asked.counts;
      if (!asked.again) this.#mute.add(preset.name);
      return undefined;
    });
  }

  /**
   * Counts what is not known yet; undefined when the counter gives up: what it has told to `keep` by then stays known.
   */
  async #cached(
    key: string,
    texts: readonly string[],
    count: (
      missing: readonly string[],
      keep: (text: string, tokens: number) => void,
    ) => Promise<readonly number[] | undefined>,
  ): Promise<readonly number[] | undefined> {
    const cache = this.#kept.get(key) ?? new Map<string, number>();
    this.#kept.set(key, cache);
    const missing = [...new Set(texts.filter((text) => !cache.has(text)))];
    const counts = missing.length === 0 ? [] : await count(missing, (text, tokens) => cache.set(text, tokens));
    if (!counts) return undefined;
    const now = new Map(missing.map((text, index) => [text, counts[index] ?? 0]));
    const found = texts.map((text) => now.get(text) ?? cache.get(text) ?? 0);
    for (const [text, tokens] of now) cache.set(text, tokens);
    forget(cache, texts);
    return found;
  }
}

/** The oldest go, but nothing of this request: the next one of a conversation has all of it again. */
function forget(cache: Map<string, number>, texts: readonly string[]): void {
  const most = Math.max(MAX_CACHED, 2 * texts.length);
  if (cache.size <= most) return;
  const wanted = new Set(texts);
  for (const text of cache.keys()) {
    if (cache.size <= most) return;
    if (!wanted.has(text)) cache.delete(text);
  }
}

/** The counts; or whether asking another time may help. */
type Asked = { readonly counts: readonly number[] } | { readonly again: boolean };

/**
 * `POST /tokenize` of llama.cpp (`{"content"}` → `{"tokens":[…]}`) and vLLM (`{"model","prompt"}` → `{"count"}`), one
 * request per text. Only for servers to which everything may be said as it is.
 */
async function askTokenizer(
  preset: Preset,
  texts: readonly string[],
  user: AbortSignal,
  keep: (text: string, tokens: number) => void,
): Promise<Asked> {
  const signal = AbortSignal.any([user, AbortSignal.timeout(TOKENIZE_TIMEOUT_MS)]);
  const key = await apiKeyOf(preset, signal).catch(() => undefined);
  const url = `${rootOf(preset.baseUrl)}/tokenize`;
  const counts: number[] = [];
  for (const text of texts) {
    const post = { content: text, model: preset.model, prompt: text };
    const ask = () => requestJson(url, { signal, timeoutMs: TOKENIZE_TIMEOUT_MS, key, post });
    const first = await ask();
    // A connection kept alive may be closed by the server just when it is used again.
    const answer = first.answered || signal.aborted ? first : await ask();
    const tokens = answer.body?.tokens;
    const count = asCount(answer.body?.count) ?? (Array.isArray(tokens) ? asArray(tokens).length : undefined);
    if (answer.status !== 200 || count === undefined) return { again: !answer.answered || answer.status === 503 };
    counts.push(count);
    keep(text, count);
  }
  return { counts };
}

async function estimatesOf(texts: readonly string[]): Promise<readonly number[]> {
  const counts = texts.map(() => 0);
  await eachInTurns(texts, (piece, index) => {
    counts[index] = (counts[index] ?? 0) + estimateTokens(piece);
  });
  return counts;
}

const LETTERS_PER_TOKEN = 3;
const BLANKS_PER_TOKEN = 6;
/** Of anything outside ASCII: a vocabulary that does not know a script spells it in bytes. */
const TOKENS_PER_OTHER = 1.5;

/** Tokens of a text, guessed high. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    const first = text.charCodeAt(at);
    const kind = kindOf(first);
    const from = at;
    at += 1;
    if (kind !== MARK) while (at < text.length && kindOf(text.charCodeAt(at)) === kind) at += 1;
    const length = at - from;
    if (kind === LETTER) tokens += Math.ceil(length / LETTERS_PER_TOKEN);
    else if (kind === MARK || first === TAB) tokens += length;
    else if (kind === BLANK) tokens += Math.ceil(length / BLANKS_PER_TOKEN) - 1;
    else tokens += length * TOKENS_PER_OTHER;
  }
  return Math.ceil(tokens);
}

const [OTHER, LETTER, BLANK, MARK] = [0, 1, 2, 3];
const TAB = 0x09;
/** What a character of ASCII is: each mark, and each line's end, is one by itself. */
const KINDS = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[a-zA-Z]/.test(character)
    ? LETTER
    : /[ \t]/.test(character)
      ? BLANK
      : /[!-~\n]/.test(character)
        ? MARK
        : OTHER;
});

function kindOf(code: number): number {
  return KINDS[code] ?? OTHER;
}

// Counting with a vocabulary of our own, for servers that have no tokenizer to ask.

/** Where the build has put the tokens; not there when the sources are run as they are. */
declare const AISH_TOKENS: string | undefined;
const SOURCE = '../../../node_modules/gpt-tokenizer/data/o200k_base.tiktoken';

let loading: Promise<Vocabulary | undefined> | undefined;
let settled = false;

async function load(): Promise<Vocabulary | undefined> {
  try {
    const tokens =
      typeof AISH_TOKENS === 'undefined'
        ? packTokens(await readFile(new URL(SOURCE, import.meta.url), 'utf8'))
        : await readFile(new URL(AISH_TOKENS, import.meta.url));
    return await Vocabulary.load(tokens);
  } catch {
    // Then it is guessed.
    return undefined;
  } finally {
    settled = true;
  }
}

/** Whether counting waits for nothing: the vocabulary is there, or it can't be had. */
function libraryIsLoaded(): boolean {
  return settled;
}

/** Has the vocabulary loaded; nobody has to wait for it. */
function loadLibrary(): void {
  loading ??= load();
}

/** Tokens of texts in the o200k encoding; undefined where its vocabulary can't be loaded. */
export async function countByLibrary(texts: readonly string[]): Promise<readonly number[] | undefined> {
  loading ??= load();
  const vocabulary = await loading;
  if (!vocabulary) return undefined;
  const counts: number[] = [];
  const turns = new Turns();
  for (const text of texts) counts.push(await vocabulary.count(text, turns));
  return counts;
}

// The o200k encoding, for counting. Its 200,000 tokens lie as bytes in one buffer and are found by their hash: 5 MB,
// where a table of strings takes 80.

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
