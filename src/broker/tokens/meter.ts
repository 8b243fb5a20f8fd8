/** Counts a request's tokens and determines the window it has to fit. Never rejects. */
import type { Measured, MeasureRequest, Probe } from '../../contracts/models.ts';
import { eachInTurns } from '../../text/turns.ts';
import { isLocal, loadingLine, type Preset } from '../preset.ts';
import { type CounterKind, TokenCounter } from './count.ts';

/** Ollama's default; and the window of the smallest models in common use elsewhere. */
const ASSUMED = { here: 4096, elsewhere: 32_768 } as const;
/** The tokens a chat template adds per message, and per conversation. */
const AROUND_MESSAGE = 8;
const AROUND_ALL = 48;
/** How much too low each counter may be, as a share, before and after the server's first own count. */
const MARGINS = { server: [0.06, 0.02], library: [0.25, 0.1], estimate: [0.15, 0.1], demo: [0, 0] } as const;
/** Milliseconds between two checks of a loading model. */
const POLL_INTERVAL_MS = 400;
/** After an overflow without numbers the window is taken as this share of the request. */
const AFTER_OVERFLOW = 0.7;

type Waiting = Pick<MeasureRequest, 'signal' | 'onNotice'>;
type Window = Pick<Measured, 'window' | 'source'>;

export type MeterOptions = {
  /** The window as configured or from the last probe. */
  window(preset: Preset): number | undefined;
  probe(preset: Preset, signal: AbortSignal): Promise<Probe>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds for a model to load. */
  readonly loading: number;
  /** Returns the time in ms. */
  readonly now: () => number;
};

export class Meter {
  readonly #options: MeterOptions;
  readonly #calibration = createCalibration();
  readonly #counter = new TokenCounter();
  readonly #learned: LearnedWindows;
  /** Presets whose servers answer but don't report their window. */
  readonly #silent = new Set<string>();
  readonly #truncating = new Set<string>();

  constructor(options: MeterOptions) {
    this.#options = options;
    this.#learned = new LearnedWindows(options.now);
  }

  /** Undefined if the server is not running. */
  async measure(preset: Preset, request: MeasureRequest): Promise<Measured | undefined> {
    const { head, texts, signal } = request;
    const window = await this.#windowOf(preset, request);
    if (!window || signal.aborted) return undefined;
    const all = [head, ...texts];
    const { kind, counts } = await this.#counter.count(preset, all, signal);
    const features = kind === 'library' ? await featuresOfAll(all) : [];
    if (signal.aborted) return undefined;
    const counter = keyOf(preset, kind);
    const key = calibrationKey(preset, counter);
    const [first = 0, ...tokens] = all.map((_, index) => {
      const foreign = features[index] ? this.#calibration.surcharge(key, features[index]) : 0;
      return (counts[index] ?? 0) + Math.ceil(foreign) + AROUND_MESSAGE;
    });
    const [before, after] = MARGINS[kind];
    const margin = this.#calibration.known(key) ? after : before;
    const { maxAnswerTokens: maxAnswer } = preset;
    const factor = this.#calibration.factor(key);
    const most = maxAnswer === undefined ? {} : { maxAnswer };
    return { counter, tokens, head: first + AROUND_ALL, factor, margin, ...window, ...most };
  }

  /** A call of `text` has ended: `ours` is our count by `counter`, `theirs` the server's. */
  learn(preset: Preset, counter: string, text: string, ours: number, theirs: number): void {
    const features = counter === 'library' ? featuresOf(text) : { wide: 0, digits: 0 };
    this.#calibration.learn(calibrationKey(preset, counter), ours, features, theirs);
  }

  /** Records that a call did not fit although our count said so; `window` if the server reported it. */
  overflowed(preset: Preset, ours: number, window: number | undefined): void {
    if (window !== undefined) this.#learned.named(preset.name, window);
    else this.#learned.guessed(preset.name, Math.ceil(ours * AFTER_OVERFLOW), this.#options.window(preset));
  }

  /**
   * A server read only `read` tokens, which shows its window. Returns false if the server reports its window, and the
   * second time: then it counts something else, and the conclusion is dropped.
   */
  truncated(preset: Preset, read: number): boolean {
    if (preset.context === undefined && this.#options.window(preset) !== undefined) return false;
    if (this.#truncating.has(preset.name)) {
      this.#learned.forget(preset.name);
      return false;
    }
    this.#truncating.add(preset.name);
    this.#learned.guessed(preset.name, read, this.#options.window(preset));
    return true;
  }

  /** Returns the window concluded from errors, while that is valid. */
  learned(preset: Preset): number | undefined {
    return this.#learned.get(preset.name);
  }

  /** Forgets all windows concluded from errors. */
  forget(): void {
    this.#learned.forgetAll();
    this.#truncating.clear();
  }

  /** Returns the window as far as known without a request. */
  window(preset: Preset): number | undefined {
    const told = this.#options.window(preset);
    const overflowed = this.#learned.get(preset.name);
    return told === undefined || overflowed === undefined ? (told ?? overflowed) : Math.min(told, overflowed);
  }

  /** A loading model reports its window when ready; a request that is too long must not be sent before. */
  async #loaded(preset: Preset, { signal, onNotice }: Waiting): Promise<Probe> {
    let probe = await this.#options.probe(preset, signal);
    for (
      let waited = 0;
      probe.loading && waited < this.#options.loading && !signal.aborted;
      waited += POLL_INTERVAL_MS
    ) {
      onNotice?.(loadingLine(preset));
      await this.#options.sleep(POLL_INTERVAL_MS, signal);
      probe = await this.#options.probe(preset, signal);
    }
    return probe;
  }

  async #windowOf(preset: Preset, waiting: Waiting): Promise<Window | undefined> {
    let told = this.#options.window(preset);
    if (told === undefined && !this.#silent.has(preset.name)) {
      const probe = await this.#loaded(preset, waiting);
      told = probe.window;
      // Don't decide for a server that is not running yet: once it runs, it reports itself what does not fit.
      if (told === undefined && (!probe.reachable || probe.loading)) return undefined;
      if (told === undefined) this.#silent.add(preset.name);
    }
    const window = told ?? (isLocal(preset) ? ASSUMED.here : ASSUMED.elsewhere);
    const overflowed = this.#learned.get(preset.name);
    if (overflowed !== undefined && overflowed < window) return { window: overflowed, source: 'learned' };
    if (told === undefined) return { window, source: 'assumed' };
    return { window, source: preset.context === undefined ? 'server' : 'config' };
  }
}

/** The library counts the same for every preset. */
function keyOf(preset: Preset, kind: CounterKind): string {
  return kind === 'server' ? `${preset.name}/server` : kind;
}

function calibrationKey(preset: Preset, counter: string): string {
  return `${preset.name} ${counter}`;
}

// Windows concluded from errors. They are limited by what the user and the server say, and expire.

/** The smallest window in use. */
const MIN_WINDOW_TOKENS = 2048;
/** The smallest window believed if a server names a number. */
const MIN_NAMED_TOKENS = 1024;
/** The smallest share of the known window that a guess from one error may take. */
const MIN_SHARE = 1 / 2;
/** How long a learned window is trusted, in ms: a restarted server may have another one. */
const BELIEVED_MS = 30 * 60_000;

export class LearnedWindows {
  readonly #now: () => number;
  readonly #windows = new Map<string, { readonly tokens: number; readonly until: number }>();

  /** @param now returns the time in ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the learned window in tokens; undefined if nothing is known, or it is too old. */
  get(preset: string): number | undefined {
    const known = this.#windows.get(preset);
    return known && this.#now() < known.until ? known.tokens : undefined;
  }

  /** The server named its window in an error. */
  named(preset: string, tokens: number): void {
    this.#learn(preset, Math.max(tokens, MIN_NAMED_TOKENS));
  }

  /** @param told the window in tokens according to the user or the server, if any */
  guessed(preset: string, tokens: number, told: number | undefined): void {
    this.#learn(preset, Math.max(tokens, MIN_WINDOW_TOKENS, Math.floor((told ?? 0) * MIN_SHARE)));
  }

  forget(preset: string): void {
    this.#windows.delete(preset);
  }

  forgetAll(): void {
    this.#windows.clear();
  }

  #learn(preset: string, tokens: number): void {
    const known = this.get(preset) ?? Number.POSITIVE_INFINITY;
    this.#windows.set(preset, { tokens: Math.min(known, tokens), until: this.#now() + BELIEVED_MS });
  }
}

// Calibrates the library's counts with servers' own counts, because vocabularies differ.

/**
 * Where vocabularies differ most: characters outside ASCII (one token for several, or several for one), and digits
 * (three per token, or one). The extra tokens per character.
 */
type Features = { readonly wide: number; readonly digits: number };

/** Assumed until a server has counted, and the upper limit. */
const ASSUMED_FACTOR = { wide: 1.5, digits: 1 } as const;
const MAX_RATES = { wide: 2.5, digits: 1 } as const;
/** How many of the last counts matter: the content of a conversation changes slowly. */
const MAX_REMEMBERED = 4;
/** A kind of text with a smaller share of a request than this is not calibrated by that request. */
const MIN_TELLING_SHARE = 0.05;
/** A server that counts less than this share of our count counts something else, such as uncached tokens. */
const MIN_RATIO = 0.5;
const MAX_RATIO = 2;

type Known = { ratios: readonly number[]; wide: readonly number[]; digits: readonly number[] };

export function featuresOf(text: string): Features {
  let wide = 0;
  for (const [run] of text.matchAll(/[^\0-\x7f]+/g)) wide += run.length;
  let digits = 0;
  for (const [run] of text.matchAll(/\d{2,}/g)) digits += run.length - Math.ceil(run.length / 3);
  return { wide, digits };
}

/** Sums the features of several texts without delaying key presses. */
async function featuresOfAll(texts: readonly string[]): Promise<readonly Features[]> {
  const all = texts.map(() => ({ wide: 0, digits: 0 }));
  await eachInTurns(texts, (piece, index) => {
    const { wide, digits } = featuresOf(piece);
    const before = all[index] ?? { wide: 0, digits: 0 };
    all[index] = { wide: before.wide + wide, digits: before.digits + digits };
  });
  return all;
}

/** Ratios and surcharges by preset and counter. Calibration never makes a count smaller than the library's own. */
export function createCalibration() {
  const known = new Map<string, Known>();
  const of = (key: string): Known => known.get(key) ?? { ratios: [], wide: [], digits: [] };
  const rateOf = (key: string, feature: keyof Features): number => {
    const seen = of(key)[feature];
    return seen.length === 0 ? ASSUMED_FACTOR[feature] : Math.max(...seen);
  };
  const factor = (key: string): number => Math.max(1, ...of(key).ratios);
  const surcharge = (key: string, { wide, digits }: Features): number =>
    wide * rateOf(key, 'wide') + digits * rateOf(key, 'digits');

  return {
    /** Returns the tokens to add to the library's count of a text with these features. */
    surcharge,
    /** Returns the factor for counts. */
    factor,
    known: (key: string): boolean => of(key).ratios.length > 0,
    /**
     * @param ours our count for a request including surcharges
     * @param theirs the server's count
     */
    learn(key: string, ours: number, features: Features, theirs: number): void {
      const extra = surcharge(key, features);
      const base = Math.max(1, ours - extra);
      if (theirs < base * MIN_RATIO) return;
      const { ratios, ...seen } = of(key);
      let predicted = base + extra;
      if (extra > base * MIN_TELLING_SHARE) {
        // Attribute the whole excess to the larger of the two: too much is better than too little.
        const shares = { wide: features.wide * rateOf(key, 'wide'), digits: features.digits * rateOf(key, 'digits') };
        const feature = shares.wide > shares.digits ? 'wide' : 'digits';
        const rate = (theirs / factor(key) - base) / features[feature];
        const believed = Math.max(0, Math.min(MAX_RATES[feature], rate));
        seen[feature] = [...seen[feature], believed].slice(-MAX_REMEMBERED);
        predicted = base + extra - shares[feature] + believed * features[feature];
      }
      const ratio = Math.min(MAX_RATIO, theirs / predicted);
      known.set(key, { ...seen, ratios: [...ratios, ratio].slice(-MAX_REMEMBERED) });
    },
  };
}
