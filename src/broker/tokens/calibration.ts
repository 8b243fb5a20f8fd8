/** What servers' own counts teach about ours. */

/** How many of the last counts have a say: the content of a conversation changes slowly. */
const REMEMBERED = 4;
/** A server that counts less than this share of what we count counts something else (what was not in its cache, …). */
const LEAST_RATIO = 0.5;
const MOST_RATIO = 4;

/** Ratios of a server's count to ours, by preset and counter. */
export function createCalibration() {
  const ratios = new Map<string, number[]>();
  return {
    /** @param ours what we counted for a request, uncorrected @param theirs what the server says it read */
    learn(key: string, ours: number, theirs: number): void {
      const ratio = theirs / Math.max(1, ours);
      if (ratio < LEAST_RATIO || ratio > MOST_RATIO) return;
      ratios.set(key, [...(ratios.get(key) ?? []), ratio].slice(-REMEMBERED));
    },
    /** What our counts are multiplied with; never below 1, so that it can only make a request smaller. */
    factor: (key: string): number => Math.max(1, ...(ratios.get(key) ?? [])),
    known: (key: string): boolean => ratios.has(key),
  };
}
