/** Who gets which rows. Everything adds up to the terminal's rows exactly: the root must never exceed them. */

export type Layout = {
  /** Rows between the top and the prompt: transcript, streams and whatever dialog is open. */
  readonly main: number;
  readonly prompt: number;
  readonly status: number;
};

/** The prompt may grow to a third of the screen; one status line; the rest is the transcript's. */
export function layoutOf(rows: number, promptLines: number): Layout {
  const status = 1;
  const most = Math.max(1, Math.floor(rows / 3));
  const prompt = Math.min(Math.max(1, promptLines), most);
  return { main: Math.max(1, rows - status - prompt), prompt, status };
}

/** Rows for the streams at the bottom of the main part: each gets what it wants while that fits, else an equal share. */
export function shareRows(available: number, wanted: readonly number[]): number[] {
  let left = Math.max(0, available);
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const shares = wanted.map(() => 0);
  for (const [place, index] of order.entries()) {
    const share = Math.min(wanted[index] ?? 0, Math.floor(left / (order.length - place)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}
