/** Costs: prices, the cost of a call, and the ledger of all sessions. */

export { type Ledger, openLedger } from './ledger.ts';
export { countCall, createPricing, type Paying, promptTokensOf, readPriceFile } from './pricing.ts';
