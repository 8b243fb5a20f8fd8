/** What a preset is: one configured model behind one OpenAI-compatible address (BR-1). */
import type { SecretsPolicy } from '../contracts/models.ts';

/** What a server takes or does not take (BR-2). Absent means: the common case, and learned from its first refusal. */
export type Capabilities = {
  /** The name of the token limit. Newer OpenAI models refuse `max_tokens`. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** False: `temperature` is left out. */
  readonly temperature?: boolean;
  /** False: what asks a model not to think is left out. */
  readonly brief?: boolean;
  /** False: `stream_options` is left out, so a stream may end without usage. */
  readonly streamUsage?: boolean;
  /** False: the model knows no tool calls; tools are left out and old calls are sent as text. */
  readonly tools?: boolean;
  /** False: the model sees no images; they are left out and named as left out. */
  readonly images?: boolean;
};

type Extras = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};

export type Preset = {
  readonly name: string;
  /** The address that `/chat/completions` is added to, usually ending in `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Asked at each call; the key is never stored. */
  readonly apiKey?: () => Promise<string | undefined>;
  /** The window in tokens where the user set one; else the server is asked. */
  readonly context?: number;
  /** Milliseconds until the first byte of an answer; absent: as the broker is patient. */
  readonly firstByteMs?: number;
  /** The longest answer that is requested, in tokens. */
  readonly maxAnswerTokens?: number;
  /** Left out where the server refuses it, or the call has its own. */
  readonly temperature?: number;
  /** Fields of each request beside those that the program sets, as they are sent. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** What the user adds to each request, with values of the environment. Throws where a variable is not set. */
  readonly extras?: () => Extras;
  /** Presets tried in turn when this one can't be reached, is broken or busy (BR-4). */
  readonly fallback?: readonly string[];
  readonly capabilities?: Capabilities;
  /** Default: `off` on this machine, `scrub` anywhere else. */
  readonly secrets?: SecretsPolicy;
  /** The scripted model inside the program (BR-6); the address is not used. */
  readonly demo?: true;
};

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i;

export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** By address: each step asks several times, and taking an address apart is dear. */
const loopback = new Map<string, boolean>();

/** True when the preset runs on this machine, so that nothing sent to it leaves. */
export function isLocal({ demo, baseUrl }: Preset): boolean {
  if (demo) return true;
  const known = loopback.get(baseUrl) ?? isLoopback(parsed(baseUrl)?.hostname ?? '');
  loopback.set(baseUrl, known);
  return known;
}

/** The server's own root, where llama.cpp, LM Studio and Ollama keep what is outside `/v1`. Ends without a slash. */
export function rootOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/**
 * The same text for the same address, however it is written: this machine has several names, and a slash may end it.
 * Another server may listen at the same port of IPv6.
 */
export function sameText(baseUrl: string): string {
  const url = parsed(baseUrl);
  if (!url) return baseUrl.replace(/\/+$/, '');
  if (/^(localhost|127\.0\.0\.1|0\.0\.0\.0)$/.test(url.hostname)) url.hostname = 'localhost';
  return url.href.replace(/\/+$/, '');
}

/** The address fit for a message: without user, password or query. */
export function shownAddress(baseUrl: string): string {
  const url = parsed(baseUrl);
  return url ? `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}` : baseUrl.slice(0, 100);
}

/** The notice while its model loads. */
export function loadingLine({ name }: Preset): string {
  return `${name} is still loading its model; waiting`;
}

/** The policy in force for a preset. */
export function secretsPolicy(preset: Preset): SecretsPolicy {
  return preset.secrets ?? (isLocal(preset) ? 'off' : 'scrub');
}

function parsed(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** The headers that the user adds, for questions where a missing variable is not worth a word. */
export function headersOf({ extras }: Preset): Readonly<Record<string, string>> {
  try {
    return extras?.().headers ?? {};
  } catch {
    return {};
  }
}

/** Fetches the preset's key again; the lookup can't be cancelled, so an abort rejects with `cancelled`. */
export async function apiKeyOf(preset: Preset, signal: AbortSignal): Promise<string | undefined> {
  if (!preset.apiKey) return undefined;
  if (signal.aborted) throw new Error('cancelled');
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new Error('cancelled'));
  signal.addEventListener('abort', abort, { once: true });
  const key = await Promise.race([preset.apiKey(), promise]).finally(() => signal.removeEventListener('abort', abort));
  return key?.trim() || undefined;
}
