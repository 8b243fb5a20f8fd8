import type { CallFailure } from '../session/message.ts';
import { parseJson } from '../text/json.ts';
import { proxyVariable, UNUSABLE } from './agent.ts';
import { AnswerError } from './answer-stream.ts';
import { asCount, asObject, asText, oneLine } from './json.ts';
import { type Preset, shownAddress } from './preset.ts';
import type { Retry } from './retry.ts';

/** Why an attempt failed, and whether a retry may help. */
export type Fault = {
  readonly failure: CallFailure;
  /** The delays and limits of retries (`retry.ts`). */
  readonly retry: Retry;
  /** The wait requested by the server, in ms. */
  readonly retryAfter?: number;
  readonly status?: number;
  /** The server's own words, which may show what it does not support. */
  readonly said: string;
  /** For a request that was too long: the window, and the server’s token count. */
  readonly overflow?: Overflow;
  /** Whether no other preset would succeed. */
  readonly final?: true;
};

type Overflow = { readonly window?: number; readonly tokens?: number };

/** Why we stopped an attempt ourselves. */
export type Stop = 'first-byte' | 'idle' | 'text' | 'arguments';

const OVERFLOW =
  /context[ _-]?(length|size|window)|maximum context|input tokens|too many tokens|prompt is too long|exceed_context/i;
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no network',
  ETIMEDOUT: 'no answer',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  CLOSED: 'the connection was closed',
  ERR_PROXY_TUNNEL: 'the proxy could not connect',
};
/** Error codes of an absent server. One that has answered in this session may come back. */
const NOT_THERE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);
/** Node's codes for data that is not HTTP, or is compressed in another way than declared. */
const GARBLED = /^(?:HPE_|Z_|ERR_(?:_?BROTLI|HTTP|STREAM))/;
/** Codes of Node and OpenSSL for a failed TLS connection. */
const UNSAFE =
  /^(?:EPROTO$|ERR_(?:SSL|TLS|OSSL)|CERT_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|INVALID_(?:CA|PURPOSE))/;
/**
 * Node's messages for a connection closed by the other side, before and during the answer; both have the code of a
 * reset.
 */
const CLOSED = /^(?:socket hang up|aborted)$/;

/**
 * Converts anything that an attempt threw to a fault. `key` is the API key in use, which must never appear in a
 * message.
 */
export function faultOf(error: unknown, preset: Preset, key: string | undefined): Fault {
  const thrown = asObject(error) ?? {};
  const payload = thrown.payload ?? thrown.error;
  const status = asCount(thrown.status) ?? statusIn(payload);
  const said = withoutKey(serverWords(payload) ?? asText(thrown.message) ?? 'no reason given', key);
  if (status !== undefined || payload !== undefined) return answered(preset, status, payload, said, thrown.headers);
  const answer = answerError(error);
  const { code, words } = networkError(error);
  if (thrown.name === 'SyntaxError' || answer || GARBLED.test(code ?? '')) {
    return fault(
      'protocol',
      `${label(preset)} sent something that is not a chat answer: ${answer?.message ?? withoutKey(words ?? said, key)}`,
      'no',
      said,
    );
  }
  if (code !== undefined) return connectionFault(preset, code, words ?? '', said);
  return fault('protocol', `the call to ${label(preset)} failed: ${said}`, 'no', said);
}

function connectionFault(preset: Preset, code: string, words: string, said: string): Fault {
  if (code === UNUSABLE) return fault('refused', `nothing was sent to ${label(preset)}: ${words}`, 'no', said);
  const address = shownAddress(preset.baseUrl);
  if (UNSAFE.test(code)) {
    const line = `no safe connection to ${address} (${code}): does base_url of ${preset.name} begin as it should? NODE_EXTRA_CA_CERTS names a certificate of your own`;
    return fault('unreachable', line, 'no', said);
  }
  const proxy = proxyVariable(preset.baseUrl);
  const way = proxy === undefined ? '' : `, ${proxy} is set`;
  const line = `nothing answers at ${address} (${NETWORK[code] ?? code}${way}): start the server for ${preset.name}, or choose another with :model`;
  return fault('unreachable', line, NOT_THERE.has(code) ? 'known' : 'soon', said);
}

/** Returns the fault of an attempt that we stopped ourselves. */
export function stopFault(stop: Stop, preset: Preset, limit: number): Fault {
  const seconds = `${Math.round(limit / 100) / 10} s`;
  if (stop === 'text' || stop === 'arguments') {
    const what = stop === 'text' ? 'the answer was' : 'the arguments of its tool calls were';
    const line = `${label(preset)} did not stop writing; ${what} cut at ${limit} characters`;
    return { ...fault('cut', line, 'no', ''), final: true };
  }
  const what = stop === 'idle' ? `went silent for ${seconds} in mid-answer` : `sent nothing for ${seconds}`;
  return fault('timeout', `${label(preset)} ${what}: the server may be stuck or too slow for this model`, 'no', '');
}

/** Returns the fault of a stream that ended without its end mark; `arrived`: a part of the answer had arrived. */
export function earlyEnd(preset: Preset, arrived: boolean, why = ''): Fault {
  if (!arrived) return fault('cut', `the answer of ${label(preset)} was empty`, 'soon', why);
  const cause = why === '' ? '' : ` (${why})`;
  return fault('cut', `the answer of ${label(preset)} ended early${cause}: what had arrived is kept`, 'soon', why);
}

export function fault(kind: CallFailure['kind'], message: string, retry: Fault['retry'], said: string): Fault {
  return { failure: { kind, message: oneLine(message, 400) }, retry, said };
}

/** How messages name a preset. */
export function label(preset: Preset): string {
  return preset.demo ? preset.name : `${preset.name} (${preset.model})`;
}

type Row = readonly [
  applies: (status: number, text: string) => boolean,
  kind: CallFailure['kind'],
  retry: Fault['retry'],
  advice: string,
];

/** The first match wins. `text` is the error's type, code and message joined. */
const ANSWERS: readonly Row[] = [
  [(_s, t) => /exceed_context_size|context_length_exceeded/.test(t), 'overflow', 'no', 'the conversation is too long'],
  [(s, t) => s !== 429 && OVERFLOW.test(t), 'overflow', 'no', 'the conversation is too long'],
  [(s) => s === 413, 'overflow', 'no', 'the conversation is too long'],
  [(s, t) => s === 503 && /loading|unavailable_error/i.test(t), 'loading', 'loading', 'the model is still loading'],
  [(s, t) => s === 429 && /insufficient_quota|billing/i.test(t), 'auth', 'no', 'the account has no credit left'],
  [(s) => s === 429, 'busy', 'limited', 'the server is busy'],
  [(s) => [408, 409, 425, 503].includes(s), 'busy', 'soon', 'the server is busy'],
  // llama.cpp's answer if the model's chat template rejects the messages; a retry will probably fail too.
  [(s, t) => s >= 500 && /\btemplate|jinja/i.test(t), 'server', 'once', 'the chat template of the model failed'],
  [(s) => s === 401 || s === 403, 'auth', 'no', 'the API key was not accepted'],
  [(s) => s === 402, 'auth', 'no', 'the account has no credit left'],
  [(s) => s === 404, 'refused', 'no', 'no such model or address; check base_url (it usually ends in /v1) and model'],
  [(s) => s >= 300 && s < 400, 'refused', 'no', 'the server redirects elsewhere; set base_url to the final address'],
  [(s) => s >= 400 && s < 500, 'refused', 'no', 'the request was refused'],
];

function answered(preset: Preset, status: number | undefined, payload: unknown, said: string, headers: unknown): Fault {
  const details = asObject(payload);
  const text = `${asText(details?.type) ?? ''} ${asText(details?.code) ?? ''} ${said}`;
  const row = ANSWERS.find(([applies]) => applies(status ?? 500, text));
  const [, kind, retry, advice] = row ?? ([undefined, 'server', 'soon', 'the server failed'] as const);
  const overflow = kind === 'overflow' ? overflowOf(details, said) : undefined;
  const number = status === undefined ? '' : `${status}, `;
  const after = retryAfter(headers);
  return {
    ...fault(kind, `${label(preset)}: ${advice}${overflowCounts(overflow)} (${number}${said})`, retry, said),
    ...(overflow && { overflow }),
    ...(status !== undefined && { status }),
    ...(after !== undefined && { retryAfter: after }),
  };
}

/** llama.cpp reports both numbers in fields; OpenAI and vLLM in a sentence. */
function overflowOf(details: Readonly<Record<string, unknown>> | undefined, said: string): Overflow {
  const window = asCount(details?.n_ctx) ?? numberIn(/context length is (?:only )?(\d+)/i, said);
  const tokens =
    asCount(details?.n_prompt_tokens) ??
    numberIn(/(\d+) (?:tokens )?in (?:the|your) (?:messages|prompt|input)/i, said) ??
    numberIn(/(?:resulted in|contains(?: at least)?|passed) (\d+)/i, said);
  return { ...(window !== undefined && { window }), ...(tokens !== undefined && { tokens }) };
}

function numberIn(words: RegExp, said: string): number | undefined {
  const found = words.exec(said)?.[1];
  return found === undefined ? undefined : Number(found);
}

function overflowCounts({ tokens, window }: Overflow = {}): string {
  return tokens !== undefined && window !== undefined ? `, ${tokens} tokens for a window of ${window}` : '';
}

/** An error inside a 200 answer has its status as a number in `code` (llama.cpp, OpenRouter). */
function statusIn(payload: unknown): number | undefined {
  const code = asCount(asObject(payload)?.code);
  return code !== undefined && code >= 300 && code < 600 ? code : undefined;
}

function serverWords(payload: unknown): string | undefined {
  if (typeof payload === 'string') return readable(payload);
  const details = asObject(payload);
  if (!details) return undefined;
  const inner = details.error;
  return (
    readable(asText(details.message)) ??
    readable(asText(inner) ?? asText(asObject(inner)?.message)) ??
    readable(asText(details.detail)) ??
    oneLine(JSON.stringify(details), 160)
  );
}

function readable(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const nested = asObject(parseJson(text));
  if (nested) return serverWords(nested);
  return oneLine(/^\s*</.test(text) ? 'a web page' : text);
}

/** Parses `Retry-After` in seconds or as a date, and `retry-after-ms`. Returns ms. */
function retryAfter(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Returns the first error with a code in the chain of causes: the client library gives all of them the same name. */
function networkError(error: unknown): { readonly code?: string; readonly words?: string } {
  let current = error;
  for (let depth = 0; depth < 6; depth += 1) {
    const here = asObject(current);
    if (!here) return {};
    const words = asText(here.message) ?? '';
    if (CLOSED.test(words)) return { code: 'CLOSED', words };
    const code = asText(here.code);
    if (code !== undefined) return { code, words };
    current = here.cause;
  }
  return {};
}

/** The client library wraps errors thrown by its `fetch`. */
function answerError(error: unknown): AnswerError | undefined {
  if (error instanceof AnswerError) return error;
  return error instanceof Error && error.cause !== undefined ? answerError(error.cause) : undefined;
}

function withoutKey(text: string, key: string | undefined): string {
  const line = oneLine(text);
  return key !== undefined && key.length >= 4 ? line.replaceAll(key, '…') : line;
}
