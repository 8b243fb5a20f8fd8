/** Costs: prices, what a call is counted as, and the ledger of all sessions. */
export { countCall } from './count.ts';
export { type Ledger, openLedger } from './ledger.ts';
export { readPriceFile } from './price-file.ts';
export { createPricing, type Paying } from './pricing.ts';
