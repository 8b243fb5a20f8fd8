/** Earlier lines, walked with ↑ and ↓ and searched with Ctrl-R (IN-5). The store keeps them. */
import { replace } from './edit.ts';
import { shellSpans } from './shell-line.ts';
import type { EditorState } from './state.ts';

/**
 * The state of a walk with ↑ and ↓: the draft that it began with, and the index of the line shown (`lines.length` is
 * the draft).
 */
export type HistoryWalk = { readonly draft: string; readonly prefix: string; readonly index: number };

/** The caller keeps `walk` while the text stays `text`; any edit ends the walk. */
export type Walked = { readonly text: string; readonly walk: HistoryWalk };

export class History {
  readonly #kept: () => readonly string[];
  /** The list from which `#lines` was made. */
  #of: readonly string[] | undefined;
  #lines: string[] = [];
  #places = new Map<string, number>();
  /** How many lines of `#of` are in `#lines`. */
  #taken = 0;

  /** @param kept returns all lines, oldest first: the same list with more lines at its end, or another list */
  constructor(kept: () => readonly string[]) {
    this.#kept = kept;
  }

  /** Returns the lines, oldest first, each once, at its newest place. */
  lines(): readonly string[] {
    const kept = this.#kept();
    if (this.#of !== kept || this.#taken === 0) {
      this.#of = kept;
      this.#lines = [...new Set([...kept].reverse())].reverse();
      this.#index();
    } else for (const line of kept.slice(this.#taken)) this.#put(line);
    this.#taken = kept.length;
    return this.#lines;
  }

  /** Returns the previous line of a walk, among those that begin as the draft did; undefined at the end. */
  older(walk: HistoryWalk | undefined, draft: string): Walked | undefined {
    const lines = this.lines();
    const { prefix, index: from, draft: began } = walk ?? { prefix: draft, index: lines.length, draft };
    let at = find(lines, from, -1, prefix);
    // A line equal to the draft is skipped.
    if (walk === undefined && lines[at] === draft) at = find(lines, at, -1, prefix);
    const text = lines[at];
    return text === undefined ? undefined : { text, walk: { draft: began, prefix, index: at } };
  }

  /** Returns the next line; the draft follows the newest one. */
  newer(walk: HistoryWalk | undefined): Walked | undefined {
    const lines = this.lines();
    if (walk === undefined || walk.index >= lines.length) return undefined;
    const at = find(lines, walk.index, 1, walk.prefix);
    return { text: lines[at] ?? walk.draft, walk: { ...walk, index: at } };
  }

  #put(line: string): void {
    const had = this.#places.get(line);
    if (had === undefined) this.#places.set(line, this.#lines.push(line) - 1);
    else if (had < this.#lines.length - 1) {
      this.#lines.splice(had, 1);
      this.#lines.push(line);
      this.#index();
    }
  }

  #index(): void {
    this.#places = new Map(this.#lines.map((line, at) => [line, at]));
  }
}

function find(lines: readonly string[], from: number, step: -1 | 1, prefix: string): number {
  let at = from + step;
  while (at >= 0 && at < lines.length && !lines[at]?.startsWith(prefix)) at += step;
  return at;
}

// Helps to type a shell line: abbreviations, and the last words of earlier lines.

/**
 * Expands the abbreviation before the cursor, where a command's name can be.
 * @param known abbreviations by word
 */
export function expandAbbreviation(state: EditorState, known: Readonly<Record<string, string>>): EditorState {
  const { text, cursor } = state;
  const word = /[^\s|&;()<>"'`$\\]+$/.exec(text.slice(0, cursor))?.[0];
  if (word === undefined || !Object.hasOwn(known, word)) return state;
  const start = cursor - word.length;
  const written = shellSpans(text.slice(0, cursor)).find((span) => span.start === start && span.end === cursor);
  return written?.kind === 'command' ? replace(state, start, cursor, known[word] ?? word) : state;
}

/** Returns the last word of a line as written; undefined for an empty line. */
export function lastWord(line: string): string | undefined {
  const words = line.match(/(?:[^\s"'\\]|\\[\s\S]|'[^']*'?|"(?:[^"\\]|\\[\s\S])*"?)+/g);
  return words?.at(-1);
}
