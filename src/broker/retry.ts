import type { Fault } from './faults.ts';

/** How patient the broker is while nothing of an answer has arrived. Times in milliseconds. */
export type RetryPolicy = {
  /** Attempts in all at a server that is busy or can't be reached. */
  readonly attempts: number;
  /** The first pause; it doubles, with jitter. */
  readonly baseMs: number;
  /** The longest pause. A server that asks for a longer one makes the call fail with that as its reason. */
  readonly maxMs: number;
  /** How long a model may take to load. */
  readonly loadingMs: number;
};

export const RETRY: RetryPolicy = { attempts: 3, baseMs: 400, maxMs: 20_000, loadingMs: 300_000 };

/**
 * The pause before the next attempt, or undefined to give up.
 * @param failed how many attempts have failed
 * @param waited milliseconds spent in pauses so far
 * @param random a number in [0, 1)
 */
export function nextPause(
  policy: RetryPolicy,
  fault: Fault,
  failed: number,
  waited: number,
  random: () => number,
): number | undefined {
  if (fault.retry === 'no') return undefined;
  const asked = fault.retryAfter;
  if (asked !== undefined && asked > policy.maxMs) return undefined;
  if (fault.retry === 'loading') {
    if (waited >= policy.loadingMs) return undefined;
    return Math.max(asked ?? 0, Math.min(3000, policy.baseMs * 1.5 ** (failed - 1)));
  }
  if (failed >= policy.attempts) return undefined;
  const exponential = policy.baseMs * 2 ** (failed - 1);
  // Between half and the whole of it, so that several clients do not come back together.
  return asked ?? Math.min(policy.maxMs, exponential * (0.5 + random() / 2));
}
