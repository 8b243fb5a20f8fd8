/** Counts every model call, and stops calls when the session has reached its spending limit (CO-1, CO-2). */
import { dirname, join } from 'node:path';
import type { Config } from '../config/index.ts';
import type { CostPort, Spending } from '../contracts/costs.ts';
import type { Broker, PresetInfo } from '../contracts/models.ts';
import { countCall, createPricing, type Ledger, openLedger, type Paying, readPriceFile } from '../costs/index.ts';
import { shortDollars, sumOf } from '../session/cost.ts';
import type { Category, Message, Reply } from '../session/message.ts';
import type { SessionBus } from './session-bus.ts';

/** What an approval adds at least, so that a limit of 0 asks before each call instead of blocking the first. */
const MIN_ALLOWANCE_DOLLARS = 0.01;

export type CostOptions = {
  readonly config: Config;
  /** The configuration file in use: the user's own price list is beside it. */
  readonly configFile: string;
  readonly stateDir: string;
  readonly session: string;
  readonly presets: readonly PresetInfo[];
  readonly bus: SessionBus;
};

export type CostMeter = CostPort & {
  readonly spending: Spending;
  /** The broker, with each call counted when it has ended. */
  metered(broker: Broker): Broker;
  /** Why nothing more may be sent to this preset; asked for every preset that a call goes to, including fallbacks. */
  refusal(preset: string): string | undefined;
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
    stopFor(name) {
      const preset = paying(name);
      if (stopAt === undefined || !preset || !pricing.paid(preset)) return undefined;
      const limit = Math.max(stopAt, bus.engine.state.allowedDollars ?? 0);
      const now = spent();
      return now < limit ? undefined : { spent: now, limit, allowance: Math.max(stopAt, MIN_ALLOWANCE_DOLLARS) };
    },
  };

  return {
    spending,
    refusal(name) {
      const stop = spending.stopFor(name);
      return (
        stop &&
        `calls to ${name} cost money, and the session has cost ${shortDollars(stop.spent)} of ${shortDollars(stop.limit)} (cost.stop_at_dollars)`
      );
    },
    metered: (broker) => ({
      ...broker,
      async chat(name, messages, options) {
        // What was aborted before it began cost nothing.
        const dead = options.signal.aborted;
        const reply = await broker.chat(name, messages, options);
        if (!dead) for (const each of [...(reply.attempts ?? []), reply]) count(options.category, messages, each);
        return reply;
      },
      async chatStream(name, messages, options) {
        const dead = options.signal.aborted;
        const reply = await broker.chatStream(name, messages, options);
        if (!dead) count(options.category, messages, reply);
        return reply;
      },
    }),
    days: () => ledger.days(),
    priceFile,
    ...(own.problem === undefined ? {} : { problem: own.problem }),
    close: () => ledger.close(),
  };
}
