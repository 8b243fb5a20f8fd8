/** Costs: prices, what a call is counted as, and the ledger of all sessions. */
export { countCall } from './count.ts';
export { type Ledger, openLedger } from './ledger.ts';
export { createPricing, type Paying, readPriceFile } from './pricing.ts';
