/** Lines entered before, walked with ↑ and ↓ and searched with Ctrl-R (IN-5). Keeping them is the store's work. */

/** Where ↑ and ↓ stand: the draft they began with, and the line shown (`lines.length` is the draft). */
export type HistoryWalk = { readonly draft: string; readonly prefix: string; readonly index: number };

/** `walk` is kept by the caller while the text stays `text`; any edit ends the walk. */
export type Walked = { readonly text: string; readonly walk: HistoryWalk };

export class History {
  readonly #kept: () => readonly string[];
  /** The list that `#lines` was made of. */
  #of: readonly string[] | undefined;
  #lines: string[] = [];
  #places = new Map<string, number>();
  /** How many of the kept lines are in `#lines`. */
  #taken = 0;

  /** @param kept all lines, oldest first: the same list with more at its end, or another list */
  constructor(kept: () => readonly string[]) {
    this.#kept = kept;
  }

  /** Oldest first, each line once, at its newest place. */
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

  /** The line before in a walk, among those that begin as the draft did when the walk began; undefined at the end. */
  older(walk: HistoryWalk | undefined, draft: string): Walked | undefined {
    const lines = this.lines();
    const { prefix, index: from, draft: began } = walk ?? { prefix: draft, index: lines.length, draft };
    let at = find(lines, from, -1, prefix);
    // The draft itself is not news.
    if (walk === undefined && lines[at] === draft) at = find(lines, at, -1, prefix);
    const text = lines[at];
    return text === undefined ? undefined : { text, walk: { draft: began, prefix, index: at } };
  }

  /** The line after; past the newest comes the draft itself. */
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
