/** Who gets which rows. Everything adds up to the terminal's rows exactly: the root must never exceed them. */
import { lineWidth } from '../../text/wrap.ts';

export type Layout = {
  /** Rows between the top and the prompt: transcript, streams and whatever dialog is open. */
  readonly main: number;
  readonly prompt: number;
  readonly status: number;
};

/** On fewer rows a question takes all of them. */
const MIN_SHARED_ROWS = 12;

/** The prompt may grow to a third of the screen; one status line; the rest is the transcript's. */
export function layoutOf(rows: number, promptLines: number, asks = false): Layout {
  if (asks && rows < MIN_SHARED_ROWS) return { main: rows, prompt: 0, status: 0 };
  const status = 1;
  const most = Math.max(1, Math.floor(rows / 3));
  const prompt = Math.min(Math.max(1, promptLines), most);
  return { main: Math.max(1, rows - status - prompt), prompt, status };
}

export type PromptWidths = { readonly name: string; readonly width: number; readonly firstWidth: number };

/** How many cells the editor's rows have beside that name. On a narrow screen it must leave room to type in. */
export function promptWidths(name: string, columns: number): PromptWidths {
  const shown = lineWidth(name) <= columns / 2 ? name : '> ';
  return { name: shown, width: columns, firstWidth: columns - lineWidth(shown) };
}
