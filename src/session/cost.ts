/** Costs of model calls as facts in the state, so that a replayed journal gives the same sums (CO-1). Pure. */
import type { Category } from './message.ts';

/** Dollars per million tokens. `cached`: input tokens from the server's cache; absent: priced as `input`. */
export type Prices = { readonly input: number; readonly output: number; readonly cached?: number };

/** One finished and counted model call. */
export type CountedCall = {
  readonly preset: string;
  readonly model: string;
  readonly category: Category;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens?: number;
  /** Undefined if no price is known. */
  readonly dollars?: number;
  /** The model runs on this machine and has no price: the call is free. */
  readonly local: boolean;
  /** The server reported no tokens: they are estimated from the number of characters. */
  readonly estimated?: true;
  readonly prices?: Prices;
  /** The source of the price, for the user: `config`, `the server`, or a table with its date. */
  readonly priceFrom?: string;
};

/** All calls of one model for one purpose. */
export type CostRow = {
  readonly preset: string;
  readonly model: string;
  readonly category: Category;
  readonly local: boolean;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly dollars: number;
  /** Remote calls without a known price; `dollars` does not include them. */
  readonly unpriced: number;
  /** Calls whose token counts are estimates. */
  readonly estimated: number;
  /** The prices of the last call. */
  readonly prices?: Prices;
  readonly priceFrom?: string;
};

export type Costs = {
  readonly rows: readonly CostRow[];
};

export type CostSum = { readonly dollars: number; readonly promptTokens: number; readonly completionTokens: number };

export const NO_COSTS: Costs = { rows: [] };

/** Returns the costs with one more call. */
export function addCall({ rows }: Costs, call: CountedCall): Costs {
  const at = rows.findIndex((row) => sameRow(row, call));
  const row = plus(rows[at] ?? emptyRow(call), call);
  return { rows: at < 0 ? [...rows, row] : rows.with(at, row) };
}

type RowKey = Pick<CostRow, 'model' | 'category' | 'local'>;

function sameRow(a: RowKey, b: RowKey): boolean {
  return a.model === b.model && a.category === b.category && a.local === b.local;
}

function emptyRow({ preset, model, category, local }: CountedCall): CostRow {
  const zero = {
    calls: 0,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    dollars: 0,
    unpriced: 0,
    estimated: 0,
  };
  return { preset, model, category, local, ...zero };
}

function plus(row: CostRow, call: CountedCall): CostRow {
  return {
    ...row,
    calls: row.calls + 1,
    promptTokens: row.promptTokens + call.promptTokens,
    completionTokens: row.completionTokens + call.completionTokens,
    cachedTokens: row.cachedTokens + (call.cachedTokens ?? 0),
    dollars: row.dollars + (call.dollars ?? 0),
    unpriced: row.unpriced + (call.dollars === undefined && !call.local ? 1 : 0),
    estimated: row.estimated + (call.estimated ? 1 : 0),
    ...(call.prices ? { prices: call.prices } : {}),
    ...(call.priceFrom === undefined ? {} : { priceFrom: call.priceFrom }),
  };
}

export function sumOf(rows: readonly CostSum[]): CostSum {
  const zero = { dollars: 0, promptTokens: 0, completionTokens: 0 };
  return rows.reduce(
    (sum, row) => ({
      dollars: sum.dollars + row.dollars,
      promptTokens: sum.promptTokens + row.promptTokens,
      completionTokens: sum.completionTokens + row.completionTokens,
    }),
    zero,
  );
}

/** Returns the costs added since `before`, row by row. */
export function rowsSince(now: Costs, before: Costs): readonly CostRow[] {
  return now.rows
    .map((row) => {
      const old = before.rows.find((other) => sameRow(other, row));
      if (!old) return row;
      return {
        ...row,
        calls: row.calls - old.calls,
        promptTokens: row.promptTokens - old.promptTokens,
        completionTokens: row.completionTokens - old.completionTokens,
        cachedTokens: row.cachedTokens - old.cachedTokens,
        dollars: row.dollars - old.dollars,
        unpriced: row.unpriced - old.unpriced,
        estimated: row.estimated - old.estimated,
      };
    })
    .filter((row) => row.calls > 0);
}

/** Returns the price of tokens in dollars. Cached tokens are part of the prompt's. */
export function priceOf(
  { input, output, cached = input }: Prices,
  tokens: { readonly promptTokens: number; readonly completionTokens: number; readonly cachedTokens?: number },
): number {
  const fromCache = Math.min(tokens.cachedTokens ?? 0, tokens.promptTokens);
  return (
    ((tokens.promptTokens - fromCache) * input + fromCache * cached + tokens.completionTokens * output) / 1_000_000
  );
}

/** The cost of a run split between a planner and an executor, and an estimate without the split. */
export type Receipt = {
  readonly planner: string;
  /** Calls that cost money or went to another machine. */
  readonly cloud: { readonly dollars: number; readonly tokens: number };
  readonly local: { readonly tokens: number };
  /** The local tokens at the planner's prices; undefined if the prices are unknown or no call was local. */
  readonly atPlannersPrices?: number;
};

/**
 * Returns the receipt of a run planned by the preset `planner`. `all`: rows that may contain the planner's prices.
 */
export function receiptOf(rows: readonly CostRow[], planner: string, all: readonly CostRow[]): Receipt {
  const local = sumOf(rows.filter((row) => row.local));
  const cloud = sumOf(rows.filter((row) => !row.local));
  const prices = all.find((row) => row.preset === planner && row.prices)?.prices;
  return {
    planner,
    cloud: { dollars: cloud.dollars, tokens: cloud.promptTokens + cloud.completionTokens },
    local: { tokens: local.promptTokens + local.completionTokens },
    ...(prices && local.promptTokens > 0 ? { atPlannersPrices: priceOf(prices, local) } : {}),
  };
}

/** Formats dollars with six digits, enough for one call. */
export function dollarsText(dollars: number): string {
  return `$${dollars.toFixed(6)}`;
}

/** Formats dollars briefly: cents, or two significant digits below one cent. */
export function shortDollars(dollars: number): string {
  if (dollars >= 0.1 || dollars === 0) return `$${dollars.toFixed(2)}`;
  const digits = Math.min(6, 1 - Math.floor(Math.log10(dollars)));
  return `$${dollars.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

/** Says in one line why a call that costs money is not made. */
export function spendText(stop: {
  readonly preset: string;
  readonly spent: number;
  readonly limit: number;
  readonly estimate?: number;
}): string {
  const { preset, spent, limit, estimate } = stop;
  const cost =
    estimate === undefined
      ? `calls to ${preset} cost money`
      : `the next call to ${preset} may cost up to ${shortDollars(estimate)}`;
  return `the session has cost ${shortDollars(spent)} of ${shortDollars(limit)} (cost.stop_at_dollars), and ${cost}`;
}

/** Formats a receipt as one line. */
export function receiptText({ planner, cloud, local, atPlannersPrices }: Receipt): string {
  const same = atPlannersPrices === undefined ? '' : ` (≈ ${shortDollars(atPlannersPrices)} on ${planner})`;
  const paid = cloud.dollars > 0 ? `${shortDollars(cloud.dollars)}, ` : '';
  return `cloud ${paid}${cloud.tokens} tokens · local free, ${local.tokens} tokens${same}`;
}
