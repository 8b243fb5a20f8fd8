import { type JsonObject, parseJson } from '../text/json.ts';
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
    const response = await fetch(url, {
      method: post ? 'POST' : 'GET',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        ...(post && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      ...(post && { body: JSON.stringify(post) }),
    });
    return { answered: true, status: response.status, body: asObject(parseJson(await bounded(response))) };
  } catch {
    return NOTHING;
  }
}

async function bounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
  if (!body) return '';
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > MAX_BODY_BYTES) return '';
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
