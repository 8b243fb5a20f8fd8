/** Counts what a request takes, and says how large the window is that it goes to. Never rejects. */
import type { Measured, MeasureRequest, Probe } from '../../contracts/models.ts';
import { demoTokens } from '../demo/attempt.ts';
import { isLocal, loadingLine, type Preset, secretsPolicy } from '../preset.ts';
import { askTokenizer } from './ask-server.ts';
import { createCalibration, featuresOf } from './calibration.ts';
import { estimateTokens } from './estimate.ts';
import { LearnedWindows } from './learned-windows.ts';
import { countByLibrary } from './library.ts';

/** Ollama's default; and what the smallest models in common use elsewhere have. */
const ASSUMED = { here: 4096, elsewhere: 32_768 } as const;
/** What a chat template puts around a message, and around all of them. */
const AROUND_MESSAGE = 8;
const AROUND_ALL = 48;
/** By how much, as a share, each way of counting may be too low before and after a server's own count is known. */
const MARGINS = { server: [0.06, 0.02], library: [0.25, 0.1], estimate: [0.15, 0.1], demo: [0, 0] } as const;
/** Milliseconds between two looks at a model that loads. */
const POLL_INTERVAL_MS = 400;
/** Counts that are kept, by counter. */
const MAX_CACHED = 500;
/** What an overflow without numbers leaves of what had been sent. */
const AFTER_OVERFLOW = 0.7;

type Kind = keyof typeof MARGINS;
type Counted = { readonly kind: Kind; readonly counts: readonly number[] };
type Waiting = Pick<MeasureRequest, 'signal' | 'onNotice'>;
type Window = Pick<Measured, 'window' | 'source'>;

export type MeterOptions = {
  /** The window as configured or told by the last probe. */
  window(preset: Preset): number | undefined;
  probe(preset: Preset, signal: AbortSignal): Promise<Probe>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds that a model may take to load. */
  readonly loading: number;
  /** The time in ms. */
  readonly now: () => number;
};

export type Meter = ReturnType<typeof createMeter>;

export function createMeter(options: MeterOptions) {
  const calibration = createCalibration();
  /** Presets whose servers have no tokenizer, and those that answered but did not tell their window. */
  const mute = new Set<string>();
  const silent = new Set<string>();
  const learned = new LearnedWindows(options.now);
  const truncating = new Set<string>();
  const kept = new Map<string, Map<string, number>>();

  /** A model that loads tells its window when it is there: what is too long must not be sent before. */
  const loaded = async (preset: Preset, { signal, onNotice }: Waiting): Promise<Probe> => {
    let probe = await options.probe(preset, signal);
    for (let waited = 0; probe.loading && waited < options.loading && !signal.aborted; waited += POLL_INTERVAL_MS) {
      onNotice?.(loadingLine(preset));
      await options.sleep(POLL_INTERVAL_MS, signal);
      probe = await options.probe(preset, signal);
    }
    return probe;
  };

  const windowOf = async (preset: Preset, waiting: Waiting): Promise<Window | undefined> => {
    let told = options.window(preset);
    if (told === undefined && !silent.has(preset.name)) {
      const probe = await loaded(preset, waiting);
      told = probe.window;
      // Nothing is decided for a server that is not up yet: it will say itself what does not fit.
      if (told === undefined && (!probe.reachable || probe.loading)) return undefined;
      if (told === undefined) silent.add(preset.name);
    }
    const window = told ?? (isLocal(preset) ? ASSUMED.here : ASSUMED.elsewhere);
    const overflowed = learned.get(preset.name);
    if (overflowed !== undefined && overflowed < window) return { window: overflowed, source: 'learned' };
    if (told === undefined) return { window, source: 'assumed' };
    return { window, source: preset.context === undefined ? 'server' : 'config' };
  };

  /** Counts what is not known yet; undefined when the counter gives up. */
  const withCache = async (
    key: string,
    texts: readonly string[],
    count: (missing: readonly string[]) => Promise<readonly number[] | undefined>,
  ): Promise<readonly number[] | undefined> => {
    const cache = kept.get(key) ?? new Map<string, number>();
    kept.set(key, cache);
    const missing = [...new Set(texts.filter((text) => !cache.has(text)))];
    const counts = missing.length === 0 ? [] : await count(missing);
    if (!counts) return undefined;
    const now = new Map(missing.map((text, index) => [text, counts[index] ?? 0]));
    const found = texts.map((text) => now.get(text) ?? cache.get(text) ?? 0);
    for (const [text, tokens] of now) cache.set(text, tokens);
    for (const text of [...cache.keys()].slice(0, Math.max(0, cache.size - MAX_CACHED))) cache.delete(text);
    return found;
  };

  const byServer = (preset: Preset, texts: readonly string[], signal: AbortSignal) =>
    withCache(keyOf(preset, 'server'), texts, async (missing) => {
      const asked = await askTokenizer(preset, missing, signal);
      if ('counts' in asked) return asked.counts;
      if (!asked.again) mute.add(preset.name);
      return undefined;
    });

  const count = async (preset: Preset, texts: readonly string[], signal: AbortSignal): Promise<Counted> => {
    if (preset.demo) return { kind: 'demo', counts: texts.map(demoTokens) };
    const exact = secretsPolicy(preset) === 'off' && !mute.has(preset.name);
    const told = exact ? await byServer(preset, texts, signal) : undefined;
    if (told) return { kind: 'server', counts: told };
    const counts = await withCache('library', texts, countByLibrary);
    return counts ? { kind: 'library', counts } : { kind: 'estimate', counts: texts.map(estimateTokens) };
  };

  return {
    /** Undefined for a server that is not up: then nothing can be said. */
    async measure(preset: Preset, request: MeasureRequest): Promise<Measured | undefined> {
      const { head, texts, signal } = request;
      const window = await windowOf(preset, request);
      if (!window || signal.aborted) return undefined;
      const { kind, counts } = await count(preset, [head, ...texts], signal);
      if (signal.aborted) return undefined;
      const counter = keyOf(preset, kind);
      const key = calibrationKey(preset, counter);
      const [first = 0, ...tokens] = [head, ...texts].map((text, index) => {
        const foreign = kind === 'library' ? calibration.surcharge(key, featuresOf(text)) : 0;
        return (counts[index] ?? 0) + Math.ceil(foreign) + AROUND_MESSAGE;
      });
      const [before, after] = MARGINS[kind];
      const margin = calibration.known(key) ? after : before;
      return { counter, tokens, head: first + AROUND_ALL, factor: calibration.factor(key), margin, ...window };
    },
    /** A call of `text` has ended: `ours` is what was counted for it by `counter`, `theirs` what the server read. */
    learn(preset: Preset, counter: string, text: string, ours: number, theirs: number): void {
      const features = counter === 'library' ? featuresOf(text) : { wide: 0, digits: 0 };
      calibration.learn(calibrationKey(preset, counter), ours, features, theirs);
    },
    /** A call did not fit, though it was thought to; `window` where the server told it. */
    overflowed(preset: Preset, ours: number, window: number | undefined): void {
      if (window !== undefined) learned.named(preset.name, window);
      else learned.guessed(preset.name, Math.ceil(ours * AFTER_OVERFLOW), options.window(preset));
    },
    /**
     * A server read `read` tokens and left the rest out, so that is about its window. False for one that tells its
     * window itself, and the second time: then it counts something else, and what was made of it is taken back.
     */
    truncated(preset: Preset, read: number): boolean {
      if (preset.context === undefined && options.window(preset) !== undefined) return false;
      if (truncating.has(preset.name)) {
        learned.forget(preset.name);
        return false;
      }
      truncating.add(preset.name);
      learned.guessed(preset.name, read, options.window(preset));
      return true;
    },
    /** What errors have taught of a preset's window, for as long as it is believed. */
    learned: (preset: Preset): number | undefined => learned.get(preset.name),
    /** Forgets what errors have taught of all windows. */
    forget(): void {
      learned.forgetAll();
      truncating.clear();
    },
    /** The window as far as it is known without asking. */
    window(preset: Preset): number | undefined {
      const told = options.window(preset);
      const overflowed = learned.get(preset.name);
      return told === undefined || overflowed === undefined ? (told ?? overflowed) : Math.min(told, overflowed);
    },
  };
}

/** The library counts alike for every preset. */
function keyOf(preset: Preset, kind: Kind): string {
  return kind === 'server' ? `${preset.name}/server` : kind;
}

function calibrationKey(preset: Preset, counter: string): string {
  return `${preset.name} ${counter}`;
}
