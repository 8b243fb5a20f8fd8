/** How patient the broker is. Times in milliseconds. */
export type RetryPolicy = {
  /** Attempts in all. */
  readonly attempts: number;
  /** The first pause; it doubles, with jitter. */
  readonly baseMs: number;
  /** The longest pause. */
  readonly maxMs: number;
  /**
   * The longest pause at a rate limit. A server that asks for a longer one makes the call fail with that as its reason.
   */
  readonly limitedMs: number;
  /** How long a model may take to load. */
  readonly loadingMs: number;
};

export const RETRY: RetryPolicy = { attempts: 8, baseMs: 400, maxMs: 30_000, limitedMs: 60_000, loadingMs: 300_000 };

/** Attempts with a fallback, and at a server that will probably answer the same again. */
const FEW = 2;
/** Most rate limits count by the minute, so their pauses begin longer. */
const LIMITED_FACTOR = 5;

type Circumstances = {
  /** How many attempts have failed. */
  readonly failed: number;
  /** Milliseconds spent in pauses so far. */
  readonly waited: number;
  /** The server has answered in this session. */
  readonly known: boolean;
  /** Another preset may be asked instead. */
  readonly fallback: boolean;
  /** The caller wants one attempt. A model that loads is waited for even so. */
  readonly single: boolean;
};

/** Attempts by kind of fault. The table in `faults.ts` says which answer is of which kind. */
const ATTEMPTS = {
  no: () => 1,
  once: () => FEW,
  known: ({ attempts }, { known }) => (known ? attempts : 1),
  soon: ({ attempts }) => attempts,
  limited: ({ attempts }) => attempts,
  loading: () => Number.POSITIVE_INFINITY,
} satisfies Record<string, (policy: RetryPolicy, now: Circumstances) => number>;

export type Retry = keyof typeof ATTEMPTS;

/**
 * The pause before the next attempt, or undefined to give up.
 * @param random a number in [0, 1)
 */
export function nextPause(
  policy: RetryPolicy,
  { retry, retryAfter: asked }: { readonly retry: Retry; readonly retryAfter?: number },
  now: Circumstances,
  random: () => number,
): number | undefined {
  const { failed, waited, fallback, single } = now;
  if (asked !== undefined && asked > policy.limitedMs) return undefined;
  if (retry === 'loading') {
    if (waited >= policy.loadingMs) return undefined;
    return Math.max(asked ?? 0, Math.min(3000, policy.baseMs * 1.5 ** (failed - 1)));
  }
  if (failed >= Math.min(ATTEMPTS[retry](policy, now), fallback ? FEW : Infinity, single ? 1 : Infinity))
    return undefined;
  const limited = retry === 'limited';
  const exponential = policy.baseMs * (limited ? LIMITED_FACTOR : 1) * 2 ** (failed - 1);
  // Between half and the whole of it, so that several clients do not come back together.
  return asked ?? Math.min(limited ? policy.limitedMs : policy.maxMs, exponential * (0.5 + random() / 2));
}
