import { type JsonObject, parseJson } from '../text/json.ts';
import { beginningOf, exchange } from './exchange.ts';
import { asObject } from './json.ts';

export type JsonAnswer = {
  /** Something answered, with whatever status. */
  readonly answered: boolean;
  readonly status: number;
  readonly body: JsonObject | undefined;
};

const NOTHING: JsonAnswer = { answered: false, status: 0, body: undefined };
/** OpenRouter's list of models is about half a megabyte. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** One small question to a server: JSON in, JSON out, within a time in milliseconds. Never rejects. */
export async function requestJson(
  url: string,
  options: { signal: AbortSignal; timeoutMs: number; key?: string | undefined; post?: JsonObject },
): Promise<JsonAnswer> {
  const { signal, timeoutMs, key, post } = options;
  try {
    const { status, bytes } = await exchange(url, {
      method: post ? 'POST' : 'GET',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        ...(post && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      ...(post && { body: JSON.stringify(post) }),
    });
    return { answered: true, status, body: asObject(parseJson(await beginningOf(bytes, MAX_BODY_BYTES))) };
  } catch {
    return NOTHING;
  }
}
