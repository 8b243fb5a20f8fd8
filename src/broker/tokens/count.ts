/** Three ways to count tokens: the server's tokenizer, the library's, and an estimate. */

import { readFile } from 'node:fs/promises';
import { asArray } from '../../text/json.ts';
import { eachInTurns, Turns } from '../../text/turns.ts';
import { demoTokens } from '../demo.ts';
import { requestJson } from '../exchange.ts';
import { asCount } from '../json.ts';
import { apiKeyOf, headersOf, type Preset, rootOf, secretsPolicy } from '../preset.ts';
import { packTokens, Vocabulary } from './vocabulary.ts';

/** Milliseconds for all texts of one call together. */
const TOKENIZE_TIMEOUT_MS = 1500;
/** How many counts are cached per counter; more if one request has more texts. */
const MAX_CACHED = 500;

export type CounterKind = 'server' | 'library' | 'estimate' | 'demo';

type Counted = { readonly kind: CounterKind; readonly counts: readonly number[] };

/** Counts with the best available counter for a preset, each text once. */
export class TokenCounter {
  /** Presets whose servers have no tokenizer. */
  readonly #mute = new Set<string>();
  readonly #kept = new Map<string, Map<string, number>>();

  async count(preset: Preset, texts: readonly string[], signal: AbortSignal): Promise<Counted> {
    if (preset.demo) return { kind: 'demo', counts: texts.map(demoTokens) };
    const exact = secretsPolicy(preset) === 'off' && !this.#mute.has(preset.name);
    const told = exact ? await this.#byServer(preset, texts, signal) : undefined;
    if (told) return { kind: 'server', counts: told };
    const counts = await this.#cached('library', texts, countByLibrary);
    if (counts) return { kind: 'library', counts };
    return { kind: 'estimate', counts: (await this.#cached('estimate', texts, estimatesOf)) ?? [] };
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
   * Counts texts that are not cached; undefined if the counter gives up. Counts already passed to `keep` stay cached.
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

/** Removes the oldest entries but none of this request, because the next one contains all of it again. */
function forget(cache: Map<string, number>, texts: readonly string[]): void {
  const most = Math.max(MAX_CACHED, 2 * texts.length);
  if (cache.size <= most) return;
  const wanted = new Set(texts);
  for (const text of cache.keys()) {
    if (cache.size <= most) return;
    if (!wanted.has(text)) cache.delete(text);
  }
}

/** The counts, or whether asking again later may help. */
type Asked = { readonly counts: readonly number[] } | { readonly again: boolean };

/**
 * `POST /tokenize` of llama.cpp (`{"content"}` → `{"tokens":[…]}`) and vLLM (`{"model","prompt"}` → `{"count"}`), one
 * request per text. Only for servers that may get unfiltered text.
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
  const headers = headersOf(preset);
  const counts: number[] = [];
  for (const text of texts) {
    const post = { content: text, model: preset.model, prompt: text };
    const ask = () => requestJson(url, { signal, timeoutMs: TOKENIZE_TIMEOUT_MS, key, headers, post });
    const first = await ask();
    // The server may close a kept-alive connection just when it is reused: try once more.
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
/** The tokens per character outside ASCII: a vocabulary without that script encodes it as bytes. */
const TOKENS_PER_OTHER = 1.5;

/** Estimates the tokens of a text, rather too high. */
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
/** Classes of ASCII characters; each mark and line end counts by itself. */
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

// Counts with a built-in vocabulary, for servers without a tokenizer.

/** The path of the vocabulary in a build; undefined when the sources run directly. */
declare const AISH_TOKENS: string | undefined;
const SOURCE = '../../../node_modules/gpt-tokenizer/data/o200k_base.tiktoken';

let loading: Promise<Vocabulary | undefined> | undefined;

async function load(): Promise<Vocabulary | undefined> {
  try {
    const tokens =
      typeof AISH_TOKENS === 'undefined'
        ? packTokens(await readFile(new URL(SOURCE, import.meta.url), 'utf8'))
        : await readFile(new URL(AISH_TOKENS, import.meta.url));
    return new Vocabulary(tokens);
  } catch {
    // Fall back to estimates.
    return undefined;
  }
}

/** Counts tokens in the o200k encoding; undefined if its vocabulary can't be loaded. */
export async function countByLibrary(texts: readonly string[]): Promise<readonly number[] | undefined> {
  loading ??= load();
  const vocabulary = await loading;
  if (!vocabulary) return undefined;
  const counts: number[] = [];
  const turns = new Turns();
  for (const text of texts) counts.push(await vocabulary.count(text, turns));
  return counts;
}
