/** A preset: one configured model behind one OpenAI-compatible address (BR-1). */
import type { SecretsPolicy } from '../contracts/models.ts';

/** Features of a server (BR-2). Absent means the common case, until the server's first refusal shows otherwise. */
export type Capabilities = {
  /** The name of the token limit field. Newer OpenAI models reject `max_tokens`. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** False: leave `temperature` out of requests. */
  readonly temperature?: boolean;
  /** False: omit the fields that ask a model not to think. */
  readonly brief?: boolean;
  /** False: omit `stream_options`, so a stream may end without usage. */
  readonly streamUsage?: boolean;
  /** False: the model supports no tool calls; omit tools and send old calls as text. */
  readonly tools?: boolean;
  /** False: the model can't see images; replace them by a remark. */
  readonly images?: boolean;
};

type Extras = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};

export type Preset = {
  readonly name: string;
  /** The base of `/chat/completions`, usually ending in `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Called for each request; the key is never stored. */
  readonly apiKey?: () => Promise<string | undefined>;
  /** The window in tokens, if the user set one; else the server is asked. */
  readonly context?: number;
  /** Milliseconds until the first byte of an answer; absent: the broker's default. */
  readonly firstByteMs?: number;
  /** The maximum answer length to request, in tokens. */
  readonly maxAnswerTokens?: number;
  /** Omitted if the server rejects it or the call sets its own. */
  readonly temperature?: number;
  /** Additional request fields, sent unchanged. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Returns the user's additions to each request, with environment values. Throws if a variable is not set. */
  readonly extras?: () => Extras;
  /** Presets to try in order if this one is unreachable, broken or busy (BR-4). */
  readonly fallback?: readonly string[];
  readonly capabilities?: Capabilities;
  /** Default: `off` on this machine, `scrub` elsewhere. */
  readonly secrets?: SecretsPolicy;
  /** The built-in scripted model (BR-6); the address is not used. */
  readonly demo?: true;
};

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i;

export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Cached by address: each step asks several times, and parsing a URL is slow. */
const loopback = new Map<string, boolean>();

/** Whether the preset runs on this machine, so that nothing sent to it leaves. */
export function isLocal({ demo, baseUrl }: Preset): boolean {
  if (demo) return true;
  const known = loopback.get(baseUrl) ?? isLoopback(parsed(baseUrl)?.hostname ?? '');
  loopback.set(baseUrl, known);
  return known;
}

/** Returns the server's root without a slash: llama.cpp, LM Studio and Ollama have interfaces outside `/v1`. */
export function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/**
 * Normalizes an address: this machine has several names, and a final slash is optional. IPv6 stays distinct, because
 * another server may use the same port there.
 */
export function sameText(baseUrl: string): string {
  const url = parsed(baseUrl);
  if (!url) return baseUrl.replace(/\/+$/, '');
  if (/^(localhost|127\.0\.0\.1|0\.0\.0\.0)$/.test(url.hostname)) url.hostname = 'localhost';
  return url.href.replace(/\/+$/, '');
}

/** Returns the address for messages: without user, password or query. */
export function shownAddress(baseUrl: string): string {
  const url = parsed(baseUrl);
  return url ? `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}` : baseUrl.slice(0, 100);
}

/** The notice while a server loads its model. */
export function loadingLine({ name }: Preset): string {
  return `${name} is still loading its model; waiting`;
}

export function secretsPolicy(preset: Preset): SecretsPolicy {
  return preset.secrets ?? (isLocal(preset) ? 'off' : 'scrub');
}

function parsed(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** Returns the user's headers, for requests where a missing variable does not matter. */
export function headersOf({ extras }: Preset): Readonly<Record<string, string>> {
  try {
    return extras?.().headers ?? {};
  } catch {
    return {};
  }
}

/** Fetches the preset's key. The lookup itself can't be cancelled, so an abort rejects with `cancelled`. */
export async function apiKeyOf(preset: Preset, signal: AbortSignal): Promise<string | undefined> {
  if (!preset.apiKey) return undefined;
  if (signal.aborted) throw new Error('cancelled');
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new Error('cancelled'));
  signal.addEventListener('abort', abort, { once: true });
  const key = await Promise.race([preset.apiKey(), promise]).finally(() => signal.removeEventListener('abort', abort));
  return key?.trim() || undefined;
}
