/** Identifies the model server at an address, or says why there is none (BR-6). */
import { asArray } from '../text/json.ts';
import { type JsonAnswer, requestJson } from './exchange.ts';
import { asObject, asText, oneLine } from './json.ts';
import { type Preset, rootOf, sameText, shownAddress } from './preset.ts';

/** A server or key that the first start can offer (BR-6). */
export type Found = {
  readonly kind: 'server' | 'key';
  /** The server’s name for the user: `llama.cpp`, `Ollama`, `OpenRouter`. */
  readonly label: string;
  /** One line on where the server was found and what it offers. */
  readonly detail: string;
  /** A ready preset with a unique name. */
  readonly preset: Preset;
  /** The models it lists; the preset uses the first one that can chat. */
  readonly models: readonly string[];
  /** The environment variable with the key, for `api_key_env`. */
  readonly keyVariable?: string;
};

type Look = {
  /** The usual server on that port. */
  readonly usual?: string | undefined;
  readonly signal: AbortSignal;
  /** The timeout of one request, in ms. */
  readonly timeoutMs: number;
};

/** Requests the list of models without a key. Never rejects. */
export async function lookAt(
  baseUrl: string,
  { usual, signal, timeoutMs }: Look,
): Promise<Found | { problem: string }> {
  const answer = await requestJson(`${baseUrl}/models`, { signal, timeoutMs });
  const loading = isLoading(answer);
  const entries = answer.body?.data;
  if (!loading && (answer.status !== 200 || !Array.isArray(entries)))
    return { problem: problemOf(answer, shownAddress(baseUrl)) };
  const models = asArray(entries).flatMap((entry) => {
    const id = asText(asObject(entry)?.id);
    return id === undefined ? [] : [oneLine(id, 200)];
  });
  const label = serverLabel(answer) ?? usual ?? 'server';
  const model = models.find((name) => !/embed|rerank|whisper|\btts\b/i.test(name)) ?? (loading ? 'default' : undefined);
  if (model === undefined) return { problem: `${shownAddress(baseUrl)} lists no model that can chat` };
  const offer = loading
    ? 'still loading its model'
    : `model ${model}${models.length > 1 ? ` and ${models.length - 1} more` : ''}`;
  const preset = { name: 'fast', baseUrl, model };
  return { kind: 'server', label, detail: `${label} at ${new URL(baseUrl).host}, ${offer}`, preset, models };
}

/** The same for an address as people write it: `192.168.1.5:8080`, `http://gpu:8000`, with or without `/v1`. */
export async function lookAtAddress(text: string, look: Look): Promise<Found | { problem: string }> {
  const address = readAddress(text);
  if ('problem' in address) return address;
  const [first, ...others] = address.bases;
  const seen = await lookAt(first, look);
  if (!('problem' in seen)) return seen;
  for (const base of others) {
    const other = await lookAt(base, look);
    if (!('problem' in other)) return other;
  }
  return seen;
}

/** Whether a preset's address leads to the server that was found, also without `/v1` if the server answers there. */
export async function isSameServer(own: string, { preset }: Found, look: Look): Promise<boolean> {
  if (sameText(own) === sameText(preset.baseUrl)) return true;
  if (sameText(rootOf(own)) !== sameText(rootOf(preset.baseUrl))) return false;
  return !('problem' in (await lookAt(own.replace(/\/+$/, ''), look)));
}

/** Whether a word is an address rather than a name. */
export function isAddress(text: string): boolean {
  return /^https?:\/\/|[.:/]/i.test(text);
}

/** Returns the base addresses to try, most likely first. */
function readAddress(text: string): { readonly bases: readonly [string, ...string[]] } | { problem: string } {
  const whole = /^[a-z]+:\/\//i.test(text) ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    return { problem: `${oneLine(text, 100)} is not an address such as http://HOST:PORT/v1` };
  if (url.username !== '' || url.password !== '' || url.search !== '')
    return { problem: 'leave keys and passwords out of the address; api_key_env in the configuration names a key' };
  const given = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  const below = `${given}/v1`;
  return { bases: url.pathname === '/' ? [below, given] : [given, below] };
}

function problemOf({ answered, status }: JsonAnswer, where: string): string {
  if (!answered) return `nothing answers at ${where}: is the server started, and is that its port?`;
  if (status === 401 || status === 403)
    return `${where} wants a key: write the preset by hand, with api_key_env naming the variable that holds it`;
  return `something answers at ${where}, but it is no model server (no list of models at ${where}/models)`;
}

function isLoading(answer: JsonAnswer): boolean {
  return answer.status === 503 && asObject(answer.body?.error)?.type === 'unavailable_error';
}

/** `owned_by` identifies the server; the port is only a convention. */
function serverLabel(answer: JsonAnswer): string | undefined {
  if (isLoading(answer)) return 'llama.cpp';
  const owner = asText(asObject(asArray(answer.body?.data)[0])?.owned_by);
  return { llamacpp: 'llama.cpp', vllm: 'vLLM', library: 'Ollama' }[owner ?? ''];
}
