import type { Prices } from '../session/cost.ts';

/** What one model costs at one vendor, in dollars per million tokens, and who said so when. */
export type PriceRow = Prices & {
  /** The host that these prices are asked at; the same model elsewhere has others. Absent: wherever it is. */
  readonly host?: string;
  readonly model: string;
  /** The day for which the source is known to have said so, as YYYY-MM-DD. */
  readonly date?: string;
  readonly source?: string;
};

const anthropic = { host: 'api.anthropic.com', source: 'platform.claude.com/docs/en/about-claude/pricing' };
const openai = {
  host: 'api.openai.com',
  source: 'openai.com/api/pricing, as quoted by morphllm.com/openai-api-pricing',
};

/**
 * The prices that are built in: few, each with its source, all of the standard tier. What the source does not say of
 * cached tokens is left out, so they count as fresh ones: too much rather than too little. A model whose price depends
 * on the hour or on the length of the prompt is missing on purpose. Prices change: the user's own list goes first.
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
