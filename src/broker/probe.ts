import type { Probe } from '../contracts/models.ts';
import type { JsonObject } from '../text/json.ts';
import { DEMO_WINDOW } from './demo.ts';
import { type JsonAnswer, requestJson } from './exchange.ts';
import { asCount, asObject, asText, objectsIn, oneLine } from './json.ts';
import { apiKeyOf, headersOf, isLocal, type Preset, rootOf, shownAddress } from './preset.ts';

/** Milliseconds for one request; all requests together take less than three times as long. */
const QUESTION_TIMEOUT_MS = 1500;
/** Milliseconds that a result stays valid. */
const CACHE_MS = 10_000;

type Ask = (path: string, post?: JsonObject) => Promise<JsonAnswer>;

/** Examines servers; results are cached for a few seconds, windows forever. */
export class Prober {
  readonly #found = new Map<string, { at: number; probe: Promise<Probe> }>();
  readonly #windows = new Map<string, number>();

  async probe(preset: Preset, signal: AbortSignal): Promise<Probe> {
    const known = this.#found.get(preset.name);
    if (known && performance.now() - known.at < CACHE_MS) return known.probe;
    const probe = this.#ask(preset, signal);
    this.#found.set(preset.name, { at: performance.now(), probe });
    const result = await probe;
    // Don't cache a server that is starting or loading its model.
    if (!result.reachable || result.loading) this.#found.delete(preset.name);
    return result;
  }

  window(preset: Preset): number | undefined {
    return preset.context ?? (preset.demo ? DEMO_WINDOW : this.#windows.get(preset.name));
  }

  async #ask(preset: Preset, signal: AbortSignal): Promise<Probe> {
    const probe = await probeServer(preset, signal);
    if (probe.window !== undefined) this.#windows.set(preset.name, probe.window);
    // A cancelled probe says nothing about the server.
    if (signal.aborted) this.#found.delete(preset.name);
    return probe;
  }
}

/**
 * Returns why a preset can't answer: nothing listens at its address. Any status counts as an answer, so no key is
 * sent. Never rejects.
 */
export async function silenceOf(preset: Preset, signal: AbortSignal): Promise<string | undefined> {
  if (preset.demo) return undefined;
  const url = `${preset.baseUrl.replace(/\/+$/, '')}/models`;
  const { answered } = await requestJson(url, { signal, timeoutMs: QUESTION_TIMEOUT_MS });
  return answered ? undefined : nothingAt(preset);
}

function nothingAt({ baseUrl }: Preset): string {
  return `nothing answers at ${shownAddress(baseUrl)}`;
}

export async function probeServer(preset: Preset, signal: AbortSignal): Promise<Probe> {
  if (preset.demo) return { reachable: true, window: DEMO_WINDOW, detail: 'the built-in demo script, no model' };
  const base = preset.baseUrl.replace(/\/+$/, '');
  const patience = AbortSignal.any([signal, AbortSignal.timeout(QUESTION_TIMEOUT_MS)]);
  const key = await apiKeyOf(preset, patience).catch(() => undefined);
  const headers = headersOf(preset);
  const ask =
    (address: string): Ask =>
    (path, post) =>
      requestJson(`${address}${path}`, {
        signal,
        timeoutMs: QUESTION_TIMEOUT_MS,
        key,
        headers,
        ...(post && { post }),
      });
  const root = ask(rootOf(base));

  const [props, models] = await Promise.all([root('/props'), ask(base)('/models')]);
  if (!props.answered && !models.answered) return { reachable: false, detail: nothingAt(preset) };
  if (models.status === 401 || models.status === 403) {
    return { reachable: false, detail: `${shownAddress(preset.baseUrl)} does not accept the API key` };
  }
  if (props.status === 503 || models.status === 503)
    return { reachable: true, loading: true, detail: 'loading its model' };
  const listed = listOf(models);
  const entry = listed.find((model) => model.id === preset.model) ?? (listed.length === 1 ? listed[0] : undefined);
  const window = preset.context ?? slotWindow(props) ?? windowIn(entry) ?? (await elsewhere(preset, root));
  return { reachable: true, ...(window !== undefined && { window }), detail: detailOf(preset, models, listed, window) };
}

function detailOf(
  preset: Preset,
  models: JsonAnswer,
  listed: readonly JsonObject[],
  window: number | undefined,
): string {
  if (models.status !== 200) return `answers, but ${shownAddress(preset.baseUrl)}/models says ${models.status}`;
  const names = listed.map((model) => asText(model.id) ?? '').filter((name) => name !== '');
  if (names.length > 1 && !names.includes(preset.model)) {
    return oneLine(
      `has no model ${preset.model}; it offers ${names.slice(0, 6).join(', ')}${names.length > 6 ? ', …' : ''}`,
    );
  }
  return window === undefined
    ? 'answers; window unknown, set context in the config'
    : `answers; window ${window} tokens`;
}

function listOf(answer: JsonAnswer): readonly JsonObject[] {
  return objectsIn(answer.body?.data);
}

/** llama.cpp: the window of one slot, not the length the model was trained for. */
function slotWindow(props: JsonAnswer): number | undefined {
  return positive(asObject(props.body?.default_generation_settings)?.n_ctx);
}

/** vLLM, OpenRouter, Groq, llama.cpp and LM Studio each use a different field. */
function windowIn(model: JsonObject | undefined): number | undefined {
  return (
    positive(model?.max_model_len) ??
    positive(model?.loaded_context_length) ??
    positive(model?.context_length) ??
    positive(model?.context_window) ??
    positive(asObject(model?.meta)?.n_ctx)
  );
}

/** Asks the own interfaces of LM Studio and Ollama; only on this machine, where they run. */
async function elsewhere(preset: Preset, ask: Ask): Promise<number | undefined> {
  if (!isLocal(preset)) return undefined;
  const [studio, running, shown] = await Promise.all([
    ask('/api/v0/models'),
    ask('/api/ps'),
    ask('/api/show', { model: preset.model }),
  ]);
  const isOurs = (model: JsonObject): boolean => model.id === preset.model || model.name === preset.model;
  const loaded = objectsIn(running.body?.models);
  return (
    windowIn(listOf(studio).find(isOurs)) ??
    positive(loaded.find(isOurs)?.context_length) ??
    ollamaParameter(asText(shown.body?.parameters))
  );
}

/** Reads `num_ctx` of a Modelfile. Ollama does not use the trained length that `/api/show` also reports. */
function ollamaParameter(parameters: string | undefined): number | undefined {
  return positive(Number(/^num_ctx\s+(\d+)/m.exec(parameters ?? '')?.[1]));
}

function positive(value: unknown): number | undefined {
  const count = asCount(value);
  return count !== undefined && count > 0 ? count : undefined;
}
