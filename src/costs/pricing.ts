/**
 * Determines the price of a call: the preset's own prices, then the user's file, then the built-in table. A local
 * server is free.
 */
import { readFileSync } from 'node:fs';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { type CountedCall, type Prices, priceOf } from '../session/cost.ts';
import type { Category, Message, Reply } from '../session/message.ts';
import { MAX_JSON_DEPTH, tooDeepAt } from '../text/json.ts';

/** The facts that determine a preset's price. */
export type Paying = {
  readonly name: string;
  readonly model: string;
  readonly baseUrl: string;
  /** Whether the model runs on this machine. */
  readonly local: boolean;
  /** The prices in the preset’s configuration. */
  readonly prices?: Prices | undefined;
};

export type Pricing = {
  /** Returns the prices with their source; undefined if unknown or free. */
  of(preset: Paying): { readonly prices: Prices; readonly from: string } | undefined;
  /** Whether a call may cost money: a remote model of unknown price counts as paid. */
  paid(preset: Paying): boolean;
};

/** @param own the rows of the user's file */
export function createPricing(own: readonly PriceRow[]): Pricing {
  const priceOf: Pricing['of'] = (preset) => {
    if (preset.prices) return { prices: preset.prices, from: 'its preset in the configuration' };
    if (preset.local) return undefined;
    const mine = find(own, preset);
    if (mine) return { prices: mine, from: `your price list${mine.date === undefined ? '' : ` of ${mine.date}`}` };
    const row = find(PRICE_TABLE, preset);
    return row && { prices: row, from: `the built-in list as of ${row.date} (${row.source})` };
  };
  return {
    of(preset) {
      const found = priceOf(preset);
      return found && { ...found, prices: bare(found.prices) };
    },
    paid(preset) {
      const prices = priceOf(preset)?.prices;
      return prices ? prices.input > 0 || prices.output > 0 : !preset.local;
    },
  };
}

function bare({ input, output, cached }: Prices): Prices {
  return { input, output, ...(cached === undefined ? {} : { cached }) };
}

function find(rows: readonly PriceRow[], { model, baseUrl }: Paying): PriceRow | undefined {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  // Vendors name dated releases `NAME-20251001` or `NAME-2025-10-01`; their price is the model's.
  const undated = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  const fits = (row: PriceRow, name: string) => row.model === name && (row.host === undefined || row.host === host);
  return rows.find((row) => fits(row, model)) ?? rows.find((row) => fits(row, undated));
}

/** The user's own prices: a file beside the configuration that overrides the built-in table. */

export type PriceFile = {
  readonly rows: readonly PriceRow[];
  /** The error in the file, in one line; then `rows` is empty, because half a price list would mislead. */
  readonly problem?: string;
};

const NUMBERS = ['input', 'output', 'cached'] as const;
const WORDS = ['model', 'host', 'date', 'source'] as const;

/** Reads the price list at `path`. A missing file counts as empty. */
export function readPriceFile(path: string): PriceFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return missing ? { rows: [] } : { rows: [], problem: `${path} can't be read (${String(error)})` };
  }
  if (tooDeepAt(text) !== undefined)
    return {
      rows: [],
      problem: `${path}: nested more than ${MAX_JSON_DEPTH} levels deep; none of its prices are used`,
    };
  const errors: ParseError[] = [];
  const list: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length;
    return { rows: [], problem: `${path}:${line}: ${printParseErrorCode(error.error)}; none of its prices are used` };
  }
  if (!Array.isArray(list)) return { rows: [], problem: `${path}: must be a list of prices: [{ "model": … }]` };
  const wrong = list.map(mistakeIn).findIndex((mistake) => mistake !== undefined);
  if (wrong < 0) return { rows: list };
  return { rows: [], problem: `${path}: price ${wrong + 1} ${mistakeIn(list[wrong])}; none of its prices are used` };
}

function mistakeIn(row: unknown): string | undefined {
  if (typeof row !== 'object' || row === null) return 'is not an object';
  const given = new Map<string, unknown>(Object.entries(row));
  const unknown = [...given.keys()].find((key) => ![...NUMBERS, ...WORDS].some((known) => known === key));
  if (unknown !== undefined) return `has an unknown key: ${unknown}`;
  for (const key of ['model', 'input', 'output']) if (!given.has(key)) return `is missing ${key}`;
  for (const key of NUMBERS) {
    const value = given.get(key) ?? 0;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      return `needs dollars per million tokens as ${key}`;
  }
  for (const key of WORDS) if (typeof (given.get(key) ?? '') !== 'string') return `needs a string as ${key}`;
  return undefined;
}

/** The price of one model at one vendor, in dollars per million tokens, with source and date. */
export type PriceRow = Prices & {
  /** The vendor's host; the same model costs something else elsewhere. Absent: any host. */
  readonly host?: string;
  readonly model: string;
  /** The day on which the source stated it, as YYYY-MM-DD. */
  readonly date?: string;
  readonly source?: string;
};

const anthropic = { host: 'api.anthropic.com', source: 'platform.claude.com/docs/en/about-claude/pricing' };
const openai = {
  host: 'api.openai.com',
  source: 'openai.com/api/pricing, as quoted by morphllm.com/openai-api-pricing',
};

/**
 * The built-in prices: few, each with its source, all of the standard tier. If the source does not mention cached
 * tokens, they count as fresh ones: too much rather than too little. Models whose price depends on the hour or the
 * prompt's length are missing on purpose. Prices change, so the user's own list has priority.
 */
export const PRICE_TABLE: readonly PriceRow[] = [
  { ...anthropic, date: '2026-10-07', model: 'claude-opus-5-5', input: 4, output: 20 },
  { ...anthropic, date: '2026-10-07', model: 'claude-sonnet-5-5', input: 2, output: 10 },
  { ...anthropic, date: '2026-07-24', model: 'claude-opus-5', input: 5, cached: 0.5, output: 25 },
  { ...anthropic, date: '2026-07-24', model: 'claude-opus-4-8', input: 5, cached: 0.5, output: 25 },
  { ...anthropic, date: '2026-07-24', model: 'claude-opus-4-5', input: 5, cached: 0.5, output: 25 },
  { ...anthropic, date: '2026-07-24', model: 'claude-sonnet-4-6', input: 3, cached: 0.3, output: 15 },
  { ...anthropic, date: '2026-07-24', model: 'claude-sonnet-4-5', input: 3, cached: 0.3, output: 15 },
  { ...anthropic, date: '2026-07-24', model: 'claude-haiku-4-5', input: 1, cached: 0.1, output: 5 },
  { ...openai, date: '2026-06-01', model: 'gpt-5.5', input: 5, cached: 0.5, output: 30 },
  { ...openai, date: '2026-06-01', model: 'gpt-5.4', input: 2.5, cached: 0.25, output: 15 },
  { ...openai, date: '2026-06-01', model: 'gpt-5.4-mini', input: 0.75, cached: 0.075, output: 4.5 },
  { ...openai, date: '2026-06-01', model: 'gpt-5.4-nano', input: 0.2, cached: 0.02, output: 1.25 },
];

// Converts a finished call to its tokens and cost (CO-1).

/** A rule of thumb for English and code; used only if a server reported nothing. */
const CHARACTERS_PER_TOKEN = 4;

/** Failures that no server charges for: it was unreachable or did not start. */
const UNBILLED: ReadonlySet<string> = new Set([
  'unreachable',
  'auth',
  'loading',
  'busy',
  'overflow',
  'unknown-preset',
  'refused',
]);
/** Failures after which the server may have worked on the call, whether or not a part arrived. */
const MAYBE_BILLED: ReadonlySet<string> = new Set(['timeout', 'cut']);

/**
 * Returns the cost of a call: the server's own price, else from the known prices. Tokens that the server did not
 * report (a cancelled or cut reply, a server that does not count) are estimated and marked. Undefined: nothing was
 * used.
 */
export function countCall(
  preset: Paying,
  category: Category,
  messages: readonly Message[],
  reply: Reply,
  pricing: Pricing,
): CountedCall | undefined {
  const usage = reply.usage ?? estimate(messages, reply);
  if (!usage) return undefined;
  const { promptTokens, completionTokens, cachedTokens } = usage;
  const priced = pricing.of(preset);
  const named = reply.usage?.dollars;
  const dollars = named ?? (priced && priceOf(priced.prices, usage));
  const from = named === undefined ? priced?.from : 'the server’s own count';
  return {
    preset: preset.name,
    model: preset.model,
    category,
    promptTokens,
    completionTokens,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(dollars === undefined ? {} : { dollars }),
    local: preset.local && dollars === undefined,
    ...(reply.usage ? {} : { estimated: true as const }),
    ...(priced ? { prices: priced.prices } : {}),
    ...(from === undefined ? {} : { priceFrom: from }),
  };
}

type Tokens = { readonly promptTokens: number; readonly completionTokens: number; readonly cachedTokens?: number };

function estimate(messages: readonly Message[], reply: Reply): Tokens | undefined {
  const { text, reasoning, toolCalls, finish, failure } = reply;
  const said = text.length + reasoning.length + toolCalls.reduce((sum, call) => sum + call.arguments.length, 0);
  const kind = failure?.kind ?? '';
  if (finish === 'failed' && (UNBILLED.has(kind) || (said === 0 && !MAYBE_BILLED.has(kind)))) return undefined;
  return { promptTokens: promptTokensOf(messages), completionTokens: tokensIn(said) };
}

/** Estimates the tokens of a prompt that was not counted. */
export function promptTokensOf(messages: readonly Message[]): number {
  return tokensIn(messages.reduce((sum, message) => sum + lengthOf(message), 0));
}

function lengthOf(message: Message): number {
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  return message.content.length + calls.reduce((sum, call) => sum + call.arguments.length, 0);
}

function tokensIn(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
