/** A server's own tokenizer: exact for its model. */
import { asArray } from '../../text/json.ts';
import { requestJson } from '../http.ts';
import { asCount } from '../json.ts';
import { type Preset, rootOf } from '../preset.ts';
import { untilAborted } from '../until-aborted.ts';

/** Milliseconds for all texts of one call together. */
const TOKENIZE_TIMEOUT_MS = 1500;

/** The counts; or whether asking another time may help. */
export type Asked = { readonly counts: readonly number[] } | { readonly again: boolean };

/**
 * `POST /tokenize` of llama.cpp (`{"content"}` → `{"tokens":[…]}`) and vLLM (`{"model","prompt"}` → `{"count"}`), one
 * request per text. Only for servers to which everything may be said as it is.
 */
export async function askTokenizer(preset: Preset, texts: readonly string[], user: AbortSignal): Promise<Asked> {
  const signal = AbortSignal.any([user, AbortSignal.timeout(TOKENIZE_TIMEOUT_MS)]);
  const asked = preset.apiKey && untilAborted(preset.apiKey(), signal);
  const key = (await asked?.catch(() => undefined))?.trim() || undefined;
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
  }
  return { counts };
}
