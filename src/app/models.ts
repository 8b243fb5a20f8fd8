/** The broker for the rest of the program: it filters secrets, counts costs, and starts servers on demand. */
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createBroker, type Preset, presetInfo } from '../broker/index.ts';
import { type Config, type ModelConfig, placesOf } from '../config/index.ts';
import type { Broker, CostPort, Planned, Preplanner, PresetInfo, Spending } from '../contracts/models.ts';
import {
  countCall,
  createPricing,
  type Ledger,
  openLedger,
  type Paying,
  promptTokensOf,
  readPriceFile,
} from '../costs/index.ts';
import { type Daemon, startDaemon } from '../executor/index.ts';
import type { SecretsFilter } from '../secrets/index.ts';
import { priceOf, shortDollars, spendText, sumOf } from '../session/cost.ts';
import type { CallFailure, Category, Message, Reply } from '../session/message.ts';
import { messageOf } from '../text/errors.ts';
import { makeDirectory, readEnd } from '../text/files.ts';
import { clean, plainText } from '../text/sanitize.ts';
import type { Environment } from './environment.ts';
import type { OwnStarts } from './own-starts.ts';
import { countingTrueTexts, learningKey, preparedFor } from './secrets-filter.ts';
import type { SessionBus } from './session-bus.ts';

type OpenModels = {
  readonly broker: Broker;
  readonly costs: CostMeter;
  /** Stops the model servers that aish-tui started. */
  stopServers(): Promise<void>;
};

export function openModels(
  { config, configFile, presets, session }: Environment,
  filter: SecretsFilter,
  bus: SessionBus,
  starts: OwnStarts,
): OpenModels {
  const { state } = placesOf(process.env);
  const costs = createCostMeter({
    config,
    configFile,
    stateDir: state,
    session: session.id,
    presets: presets.list.map(presetInfo),
    bus,
  });
  const unserved = createBroker({
    presets: presets.list.map((preset) =>
      learningKey(filter, withKeyAsked(preset, config.models[preset.name], starts)),
    ),
    prepare: (name, messages, { counted, maxTokens }) => {
      const refused = costs.refusal(name, {
        messages,
        ...(counted && { counted }),
        ...(maxTokens !== undefined && { maxTokens }),
      });
      const preset = presets.list.find((candidate) => candidate.name === name);
      if (refused !== undefined) return { refused };
      return preset ? preparedFor(filter, preset, messages) : { refused: `there is no preset called ${name}` };
    },
  });
  const { broker, stop: stopServers } = serving(
    countingTrueTexts(costs.metered(unserved), filter, presets.list),
    serveCommands(config.models),
    (name) => join(state, `serve-${name.replace(/\W/g, '_')}.log`),
    (text) => bus.notice('info', text),
    (name, line) => starts.mayStart({ name: `the server of ${name}`, words: [line] }),
  );
  return { broker, costs, stopServers };
}

/** Gets the key from its configured command only if that command may run; otherwise there is no key. */
function withKeyAsked(preset: Preset, model: ModelConfig | undefined, starts: OwnStarts): Preset {
  const { apiKey } = preset;
  const line = model?.api_key_cmd;
  if (line === undefined || !apiKey) return preset;
  const command = { name: `the command for the key of ${preset.name}`, words: [line] };
  return { ...preset, apiKey: async () => ((await starts.mayStart(command)) ? apiKey() : undefined) };
}

// Counts every model call, and blocks calls once the session reaches its spending limit (CO-1, CO-2).

/**
 * The smallest increase that an approval gives. Without it, a limit of 0 would block the first call even after a yes.
 */
const MIN_ALLOWANCE_DOLLARS = 0.01;

type CostOptions = {
  readonly config: Config;
  /** The configuration file; the user's own price list is in the same folder. */
  readonly configFile: string;
  readonly stateDir: string;
  readonly session: string;
  readonly presets: readonly PresetInfo[];
  readonly bus: SessionBus;
};

type CostMeter = CostPort & {
  readonly spending: Spending;
  /** Returns the broker with each finished call counted. */
  metered(broker: Broker): Broker;
  /** Returns why nothing may be sent to this preset, if so. Called for every preset including fallbacks. */
  refusal(preset: string, call?: Planned): string | undefined;
  close(): void;
};

export function createCostMeter({ config, configFile, stateDir, session, presets, bus }: CostOptions): CostMeter {
  const priceFile = join(dirname(configFile), 'prices.jsonc');
  const own = readPriceFile(priceFile);
  const pricing = createPricing(own.rows);
  const { warn_at_dollars: warnAt, stop_at_dollars: stopAt } = config.cost;
  const ledger: Ledger = openLedger(join(stateDir, 'costs.jsonl'), (why) => {
    const text = `[aish] costs can't be saved for :cost all (${why}); this session still counts them`;
    bus.notice('warning', text);
  });
  const spent = () => sumOf(bus.engine.state.costs.rows).dollars;

  const paying = (name: string): Paying | undefined => {
    const preset = presets.find((one) => one.name === name);
    return preset && { ...preset, prices: config.models[name]?.prices };
  };

  const count = (category: Category, messages: readonly Message[], reply: Reply): void => {
    const preset = paying(reply.preset);
    const call = preset && countCall(preset, category, messages, reply, pricing);
    if (!call) return;
    const before = spent();
    ledger.add(session, Date.now(), call);
    bus.dispatch({ type: 'callCounted', call });
    if (warnAt === undefined || before >= warnAt || before + (call.dollars ?? 0) < warnAt) return;
    const text = `[aish] this session has cost ${shortDollars(before + (call.dollars ?? 0))} (cost.warn_at_dollars is ${shortDollars(warnAt)})`;
    bus.notice('warning', text);
  };

  const spending: Spending = {
    stopFor(name, call) {
      const preset = paying(name);
      if (stopAt === undefined || !preset || !pricing.paid(preset)) return undefined;
      const limit = Math.max(stopAt, bus.engine.state.allowedDollars ?? 0);
      const now = spent();
      const prices = pricing.of(preset)?.prices;
      const estimate = call && prices ? priceOf(prices, tokensOf(call)) : 0;
      if (now < limit && now + estimate <= limit) return undefined;
      const allowance = Math.max(stopAt, MIN_ALLOWANCE_DOLLARS, estimate);
      return { spent: now, limit, allowance, ...(now < limit && { estimate }) };
    },
  };

  return {
    spending,
    refusal(name, call) {
      const stop = spending.stopFor(name, call);
      return stop && spendText({ ...stop, preset: name });
    },
    metered: (broker) => ({
      ...broker,
      async chat(name, messages, options) {
        // A call that was aborted before it began cost nothing.
        const dead = options.signal.aborted;
        const reply = await broker.chat(name, messages, options);
        if (!dead) for (const each of [...(reply.attempts ?? []), reply]) count(options.category, messages, each);
        return reply;
      },
      async chatStream(name, messages, options) {
        const dead = options.signal.aborted;
        const { attempts = [], ...reply } = await broker.chatStream(name, messages, options);
        if (!dead) for (const each of [...attempts, reply]) count(options.category, messages, each);
        return reply;
      },
    }),
    days: () => ledger.days(),
    priceFile,
    ...(own.problem === undefined ? {} : { problem: own.problem }),
    close: () => ledger.close(),
  };
}

/** The upper bound of a call's tokens: no cached input, and an answer of the maximum length. */
function tokensOf({ messages, counted, maxTokens = 0 }: Planned) {
  return { promptTokens: counted?.corrected ?? promptTokensOf(messages), completionTokens: maxTokens };
}

// aish-tui's own model calls: the plan of a run (PP-1) and the safety gate's second opinion (SF-4).

const PLAN_MAX_TOKENS = 800;
const PLAN_TIMEOUT_MS = 60_000;
/** The answer is one word, but a thinking model needs room before it. */
const OPINION_MAX_TOKENS = 256;

/** The system prompt of the planning call. */
function promptFor(tasksMax: number): string {
  return `You split a goal into tasks for another, smaller model that works in a shell, one task at a time.
Answer with one task a line, in the order they are to be done, each exactly of this form:

TASK: <imperative sentence, at most 80 characters>

At most ${tasksMax} tasks, as few as the goal needs. No prose, no numbering, nothing beside TASK: lines.`;
}

/** Asks a preset once for the tasks of a goal: not streamed, no tools, counted by `category`. */
export function createPreplanner(
  broker: Pick<Broker, 'chat'>,
  system: string | undefined,
  timeoutMs = PLAN_TIMEOUT_MS,
): Preplanner {
  return {
    async plan(preset, goal, tasksMax, signal, category = 'norris-preplan') {
      const limit = AbortSignal.timeout(timeoutMs);
      const messages = [
        { role: 'system', content: system ?? promptFor(tasksMax) },
        { role: 'user', content: goal },
      ] as const;
      const reply = await broker.chat(preset, messages, {
        signal: AbortSignal.any([signal, limit]),
        maxTokens: PLAN_MAX_TOKENS,
        category,
      });
      // A call that the user aborted counts as aborted, not as timed out.
      if (reply.finish !== 'cancelled' || signal.aborted) return reply;
      const message = `${preset} returned no plan within ${timeoutMs / 1000} s`;
      return { ...reply, finish: 'failed', failure: { kind: 'timeout', message } };
    },
  };
}

type Opinion =
  | { readonly ok: true; readonly text: string }
  /** A failed second opinion. `short`: a few words for the question. `why`: the whole line for the log. */
  | { readonly ok: false; readonly short: string; readonly why: string };

/**
 * Short reasons why there is no second opinion. They appear beside questions about the model's commands, so they must
 * not contain text from a server. Only for refusals such a text is shown, in a line of its own, because a refused call
 * has often sent nothing.
 */
const SHORT: Readonly<Record<Exclude<CallFailure['kind'], 'refused'>, string>> = {
  unreachable: 'its server does not answer',
  auth: 'its server refused the key',
  loading: 'its model is still loading',
  busy: 'its server is busy',
  overflow: 'its context is too small',
  server: 'its server failed',
  protocol: 'its server sent an invalid reply',
  timeout: 'it took too long',
  cut: 'its answer ended early',
  'unknown-preset': 'no such preset',
};

/** Asks a model for the safety gate's second opinion: no tools, not streamed, counted as `safety`. */
export function createSecondOpinion(broker: Pick<Broker, 'chat'>, presetNow: () => string) {
  /** Presets whose model used the whole answer for thinking: they are not asked again. */
  const wordy = new Set<string>();
  return async (system: string, user: string, signal: AbortSignal): Promise<Opinion> => {
    const preset = presetNow();
    if (wordy.has(preset)) return noAnswerOf(preset);
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ] as const;
    const reply = await broker.chat(preset, messages, {
      signal,
      maxTokens: OPINION_MAX_TOKENS,
      temperature: 0,
      category: 'safety',
      brief: true,
    });
    if (reply.finish === 'length' && reply.text.trim() === '') {
      wordy.add(preset);
      return noAnswerOf(preset);
    }
    if (reply.finish === 'failed' || reply.finish === 'cancelled') {
      const { kind, message } = reply.failure ?? { message: 'cancelled' };
      return { ok: false, short: kind === undefined || kind === 'refused' ? message : SHORT[kind], why: message };
    }
    return { ok: true, text: reply.text };
  };
}

/** The message about a model whose thinking exceeds the answer's maximum length. */
function noAnswerOf(preset: string): Opinion {
  const short = `its model was still thinking after ${OPINION_MAX_TOKENS} tokens and gave no answer: name a preset that answers at once in safety.llm_model, or switch thinking off in models.${preset}.extra_body`;
  return { ok: false, short, why: short };
}

type Failed = Pick<Extract<Opinion, { ok: false }>, 'short' | 'why'>;

/**
 * Wraps `ask` so that `onEnd` gets the reason of a failed call, or undefined after a successful one. A cancelled call
 * reports nothing.
 */
export function watched(
  ask: (system: string, user: string, signal: AbortSignal) => Promise<Opinion>,
  onEnd: (failed: Failed | undefined) => void,
): typeof ask {
  return async (system, user, signal) => {
    const opinion = await ask(system, user, signal).catch((error: unknown) => {
      if (!signal.aborted) onEnd({ short: 'asking failed', why: messageOf(error) });
      throw error;
    });
    const timedOut = signal.aborted && signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
    if (opinion.ok) onEnd(undefined);
    else if (!signal.aborted || timedOut) onEnd(timedOut ? { short: SHORT.timeout, why: 'it took too long' } : opinion);
    return opinion;
  };
}

// Starts model servers when they are first needed: `models.NAME.serve` (CF-3).

/**
 * The milliseconds that a call waits while a large model loads. Afterwards the call is made and reports its own
 * failure.
 */
const START_TIMEOUT_MS = 180_000;
const PROBE_INTERVAL_MS = 300;
const MAX_LOG_END_BYTES = 8192;

type Serving = {
  readonly broker: Broker;
  /** Stops the servers that aish-tui started. */
  stop(): Promise<void>;
};

/**
 * Wraps the broker: before a call to a preset with a start command, starts its server if it does not answer.
 * Concurrent calls share one start.
 * @param commands by preset
 * @param logOf the log file of a server
 * @param say shows one line to the user
 * @param mayStart whether the user allows the start
 */
function serving(
  broker: Broker,
  commands: ReadonlyMap<string, string>,
  logOf: (preset: string) => string,
  say: (line: string) => void,
  mayStart: (preset: string, command: string) => Promise<boolean>,
): Serving {
  if (commands.size === 0) return { broker, stop: async () => {} };
  const daemons = new Map<string, Daemon>();
  const coming = new Map<string, Promise<void>>();

  const start = (name: string, command: string, log: string): Daemon => {
    say(`${name}: nothing answers; starting ${command}`);
    makeDirectory(dirname(log));
    const daemon = startDaemon(command, log);
    daemons.set(name, daemon);
    void daemon.ended.then(() => {
      if (daemons.get(name) === daemon) daemons.delete(name);
    });
    return daemon;
  };

  const bringUp = async (name: string, command: string): Promise<void> => {
    const log = logOf(name);
    const running = daemons.get(name);
    if (!running && !(await mayStart(name, command))) return;
    const daemon = running ?? start(name, command, log);
    const enough = new AbortController();
    const how = await Promise.race([daemon.ended, answers(broker, name, enough.signal)]);
    enough.abort();
    // A slow server is awaited again at the next call; it is stopped when the program ends.
    if (how === 'it answers') return;
    say(`${name}: its server did not answer (${how}); ${lastLine(log)}the full log is in ${log}`);
  };

  const ready = async (name: string, signal: AbortSignal): Promise<void> => {
    const command = commands.get(name);
    if (command === undefined || signal.aborted) return;
    if (!coming.has(name)) {
      if ((await broker.probe(name, signal)).reachable || signal.aborted) return;
      // Another call may have started the server during the check.
      if (!coming.has(name)) {
        const up = bringUp(name, command).catch((error: Error) => say(`${name}: ${error.message}`));
        coming.set(
          name,
          up.finally(() => coming.delete(name)),
        );
      }
    }
    const { promise: given, resolve: giveUp } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => giveUp(), { once: true });
    await Promise.race([coming.get(name), given]);
  };

  return {
    broker: {
      ...broker,
      async chat(preset, messages, options) {
        await ready(preset, options.signal);
        return broker.chat(preset, messages, options);
      },
      async chatStream(preset, messages, options) {
        await ready(preset, options.signal);
        return broker.chatStream(preset, messages, options);
      },
      async measure(preset, request) {
        await ready(preset, request.signal);
        return broker.measure(preset, request);
      },
    },
    async stop() {
      await Promise.all([...daemons.values()].map((daemon) => daemon.stop()));
    },
  };
}

/** Returns the start commands of those presets that have one. */
function serveCommands(models: Config['models']): ReadonlyMap<string, string> {
  return new Map(Object.entries(models).flatMap(([name, { serve }]) => (serve === undefined ? [] : [[name, serve]])));
}

async function answers(
  broker: Broker,
  name: string,
  signal: AbortSignal,
): Promise<'it answers' | 'not within three minutes'> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < until && !signal.aborted) {
    const { reachable } = await broker.probe(name, signal);
    if (reachable) return 'it answers';
    await delay(PROBE_INTERVAL_MS);
  }
  return 'not within three minutes';
}

function lastLine(log: string): string {
  try {
    const line =
      plainText(clean(readEnd(log, MAX_LOG_END_BYTES)))
        .trimEnd()
        .split('\n')
        .at(-1)
        ?.trim()
        .slice(0, 200) ?? '';
    return line === '' ? '' : `its last line: ${line}; `;
  } catch {
    return '';
  }
}
