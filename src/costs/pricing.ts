/** Which prices hold for a preset: its own, then the user's file, then the built-in table. A local server has none. */
import type { Prices } from '../session/cost.ts';
import { PRICE_TABLE, type PriceRow } from './price-table.ts';

/** What a preset's price depends on. */
export type Paying = {
  readonly name: string;
  readonly model: string;
  readonly baseUrl: string;
  /** On this machine. */
  readonly local: boolean;
  /** The preset's own, from the configuration. */
  readonly prices?: Prices | undefined;
};

export type Pricing = {
  /** The prices in force and where they come from; undefined where none are known, or it is free. */
  of(preset: Paying): { readonly prices: Prices; readonly from: string } | undefined;
  /** Whether a call may cost money: what is elsewhere and of unknown price counts as paid. */
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
  // Vendors name a dated release of a model `NAME-20251001` or `NAME-2025-10-01`; its price is the model's.
  const undated = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  const fits = (row: PriceRow, name: string) => row.model === name && (row.host === undefined || row.host === host);
  return rows.find((row) => fits(row, model)) ?? rows.find((row) => fits(row, undated));
}
