import { type Found, lookAt } from './server-at.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Usual ports of local model servers, most wanted first. */
const PORTS: readonly (readonly [port: number, label: string])[] = [
  [8080, 'llama.cpp'],
  [11434, 'Ollama'],
  [1234, 'LM Studio'],
  [8000, 'vLLM'],
  [4000, 'LiteLLM'],
  [5001, 'KoboldCpp'],
];

type Service = { readonly variable: string; readonly label: string; readonly baseUrl: string; readonly model: string };

/**
 * Services recognized by their key in the environment, most wanted first. The model is a cheap one with tool calls.
 */
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
 * Looks for model servers on the usual local ports, all at once, and for API keys in the environment. Sends no key,
 * and nothing leaves this machine. The first server becomes the preset `fast`, the first key `cloud`; the others use
 * their own names.
 * @param options.ports other ports, for tests
 * @param options.timeoutMs the time limit for everything
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
  // Other programs use 8000 and 8080 too, so only a list of models counts.
  const seen = await lookAt(`http://127.0.0.1:${port}/v1`, {
    usual,
    timeoutMs,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return 'problem' in seen ? undefined : seen;
}

/**
 * Parses `OLLAMA_HOST` like Ollama, if it names this machine: `127.0.0.1:11500`, `:11500`, `http://localhost:11500`.
 */
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
