/** What model calls cost, beside the sums of this session, which are in its state. Dollars. */

/** Why a call that costs money has to wait for the user (CO-2); `allowance`: what a yes adds. */
export type SpendStop = { readonly spent: number; readonly limit: number; readonly allowance: number };

export type Spending = {
  /** Undefined where the call may be made: it is free, or there is room. */
  stopFor(preset: string): SpendStop | undefined;
};

/** What one model has cost on one day. */
export type DayCost = {
  /** The user's own day, as YYYY-MM-DD. */
  readonly day: string;
  readonly model: string;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly dollars: number;
  readonly local: boolean;
  /** Calls of it whose price is not known. */
  readonly unpriced: number;
};

/** What `:cost` asks for. */
export type CostPort = {
  /** The sums of all sessions by day and model, oldest first. */
  days(): Promise<readonly DayCost[]>;
  /** Where the user's own prices stand, and what is wrong with them. */
  readonly priceFile: string;
  readonly problem?: string;
};
