/** How often and how long the broker retries. Times in ms. */
export type RetryPolicy = {
  readonly attempts: number;
  /** The first pause; later ones double, with jitter. */
  readonly baseMs: number;
  /** The longest pause between two attempts. */
  readonly maxMs: number;
  /** The longest pause at a rate limit. If a server asks for a longer one, the call fails with that reason. */
  readonly limitedMs: number;
  /** How long a model may take to load. */
  readonly loadingMs: number;
};

export const RETRY: RetryPolicy = { attempts: 8, baseMs: 400, maxMs: 30_000, limitedMs: 60_000, loadingMs: 300_000 };

/** The number of attempts with a fallback, or if the same failure is likely to repeat. */
const FEW = 2;
/** The factor for longer first pauses at a rate limit, since most limits count per minute. */
const LIMITED_FACTOR = 5;

type Circumstances = {
  /** How many attempts have failed. */
  readonly failed: number;
  /** The total of pauses so far, in ms. */
  readonly waited: number;
  /** The server has answered in this session. */
  readonly known: boolean;
  /** Whether another preset can be tried. */
  readonly fallback: boolean;
  /** The caller wants one attempt. It waits for a loading model all the same. */
  readonly single: boolean;
};

/** The number of attempts by kind of fault; `faults.ts` assigns the kinds. */
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
 * Returns the pause before the next attempt, or undefined to give up.
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
  // Between half and all of it, so that several clients don't retry at the same time.
  return asked ?? Math.min(limited ? policy.limitedMs : policy.maxMs, exponential * (0.5 + random() / 2));
}
