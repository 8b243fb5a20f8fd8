import { asArray } from '../text/json.ts';
import { type JsonAnswer, requestJson } from './http.ts';
import { asObject, asText, oneLine } from './json.ts';
import type { Preset } from './preset.ts';

/** A server or a key that the first start can offer (BR-6). */
export type Found = {
  readonly kind: 'server' | 'key';
  /** What it is, for the person: `llama.cpp`, `Ollama`, `OpenRouter`. */
  readonly label: string;
  /** One line: where it was found and what it offers. */
  readonly detail: string;
  /** Ready to use, with a name that no other finding has. */
  readonly preset: Preset;
  /** The models it lists; the preset has the first that can chat. */
  readonly models: readonly string[];
  /** The environment variable that holds the key, for `api_key_env`. */
  readonly keyVariable?: string;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Usual ports of servers on this machine, most wanted first. */
const PORTS: readonly (readonly [port: number, label: string])[] = [
  [8080, 'llama.cpp'],
  [11434, 'Ollama'],
  [1234, 'LM Studio'],
  [8000, 'vLLM'],
  [4000, 'LiteLLM'],
  [5001, 'KoboldCpp'],
];

type Service = { readonly variable: string; readonly label: string; readonly baseUrl: string; readonly model: string };

/** Services known by the key in the environment, most wanted first. The model is a cheap one that calls tools. */
const SERVICES: readonly Service[] = [
  { variable: 'OPENAI_API_KEY', label: 'OpenAI', baseUrl: 'https://api.openai.com/v1', model: 'gpt-5-mini' },
  {
    variable: 'OPENROUTER_API_KEY',
    label: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    model: 'openrouter/auto',
  },
  { variable: 'GROQ_API_KEY', label: 'Groq', baseUrl: 'https://api.groq.com/openai/v1', model: 'openai/gpt-oss-20b' },
  {
    variable: 'MISTRAL_API_KEY',
    label: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    model: 'mistral-small-latest',
  },
  { variable: 'DEEPSEEK_API_KEY', label: 'DeepSeek', baseUrl: 'https://api.deepseek.com/v1', model: 'deepseek-chat' },
];

/**
 * Looks for model servers on the usual local ports, all at once, and for API keys in the environment. No key and nothing
 * else leaves this machine. The first server becomes the preset `fast`, the first key `cloud`, the others carry their
 * own names.
 * @param options.ports other ports than the usual ones, for tests
 * @param options.timeoutMs the longest wait for all of it
 */
export async function discover(options: {
  env: Environment;
  ports?: readonly number[];
  timeoutMs: number;
}): Promise<readonly Found[]> {
  const names = new Map(PORTS);
  const ports = options.ports ?? [...new Set([...PORTS.map(([port]) => port), ...ollamaPort(options.env)])];
  const looked = await Promise.all(ports.map((port) => serverAt(port, names.get(port), options.timeoutMs)));
  return named([...looked.flatMap((found) => found ?? []), ...keysIn(options.env)]);
}

async function serverAt(port: number, usual: string | undefined, timeoutMs: number): Promise<Found | undefined> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await requestJson(`${baseUrl}/models`, { signal, timeoutMs });
  const loading = isLoading(answer);
  const entries = answer.body?.data;
  // Other programs listen on 8000 and 8080 too: only a list of models counts.
  if (!loading && (answer.status !== 200 || !Array.isArray(entries))) return undefined;
  const models = asArray(entries).flatMap((entry) => {
    const id = asText(asObject(entry)?.id);
    return id === undefined ? [] : [oneLine(id, 200)];
  });
  const label = serverLabel(answer) ?? usual ?? 'server';
  const model = models.find((name) => !/embed|rerank|whisper|\btts\b/i.test(name)) ?? (loading ? 'default' : undefined);
  if (model === undefined) return undefined;
  const offer = loading
    ? 'still loading its model'
    : `model ${model}${models.length > 1 ? ` and ${models.length - 1} more` : ''}`;
  const preset = { name: 'fast', baseUrl, model };
  return { kind: 'server', label, detail: `${label} at 127.0.0.1:${port}, ${offer}`, preset, models };
}

function isLoading(answer: JsonAnswer): boolean {
  return answer.status === 503 && asObject(answer.body?.error)?.type === 'unavailable_error';
}

/** `owned_by` identifies the server; a port is only a convention. */
function serverLabel(answer: JsonAnswer): string | undefined {
  if (isLoading(answer)) return 'llama.cpp';
  const owner = asText(asObject(asArray(answer.body?.data)[0])?.owned_by);
  return { llamacpp: 'llama.cpp', vllm: 'vLLM', library: 'Ollama' }[owner ?? ''];
}

/** `OLLAMA_HOST` as Ollama reads it, where it names this machine: `127.0.0.1:11500`, `:11500`, `http://localhost:11500`. */
function ollamaPort(env: Environment): readonly number[] {
  const found = /^(?:https?:\/\/)?(?:127\.0\.0\.1|localhost|0\.0\.0\.0)?:(\d{2,5})\/?$/.exec(env.OLLAMA_HOST ?? '');
  return found ? [Number(found[1])] : [];
}

function keysIn(env: Environment): readonly Found[] {
  return SERVICES.flatMap(({ variable, label, baseUrl, model }) => {
    if ((env[variable] ?? '').trim() === '') return [];
    const other = variable === 'OPENAI_API_KEY' ? env.OPENAI_BASE_URL?.trim() : undefined;
    const apiKey = async (): Promise<string | undefined> => env[variable];
    const preset = { name: 'cloud', baseUrl: other || baseUrl, model, apiKey };
    const detail = `${label}, key in ${variable}, model ${model}`;
    return [{ kind: 'key' as const, label, detail, preset, models: [model], keyVariable: variable }];
  });
}

function named(found: readonly Found[]): readonly Found[] {
  const taken = new Set<string>();
  return found.map((entry) => {
    const own = entry.label.toLowerCase().replace(/[^a-z0-9]+/g, '');
    let name = taken.has(entry.preset.name) ? own : entry.preset.name;
    for (let n = 2; taken.has(name); n += 1) name = `${own}${n}`;
    taken.add(name);
    return { ...entry, preset: { ...entry.preset, name } };
  });
}
