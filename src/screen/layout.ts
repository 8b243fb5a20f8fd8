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
