/**
 * Chooses the lines of the transcript that are on screen. The view is anchored to a line of an entry, so that nothing
 * moves when entries above it change; unless it is scrolled away, it follows the end. The work for a frame depends on
 * the lines shown, not on the length of the transcript.
 */

export type Anchor = { readonly key: string; readonly line: number };
export type Row = Anchor & { readonly text: string };

export type ViewportState = {
  readonly rows: readonly Row[];
  /**
   * The number of lines above and below the screen; an estimate while entries are unmeasured (after `load` and
   * `resize`).
   */
  readonly above: number;
  readonly below: number;
  /** Whether new lines at the end will scroll into view. */
  readonly followsTail: boolean;
};

export type Viewport = {
  /** Adds an entry at the end, or reports that it has changed. */
  set(key: string): void;
  /** Adds many entries without measuring them yet. */
  load(keys: Iterable<string>): void;
  /** Removes an entry. O(n), and rare. */
  delete(key: string): void;
  clear(): void;
  /** Changes the size and keeps the top line. Heights are measured again as entries come into view, or by `measure`. */
  resize(width: number, height: number): void;
  /** Scrolls by a number of lines, up when negative. At the end the view follows the end again. */
  scroll(lines: number): void;
  page(direction: -1 | 1): void;
  halfPage(direction: -1 | 1): void;
  home(): void;
  end(): void;
  /** Scrolls a line into view, a third from the top, unless it is in view already. */
  reveal(anchor: Anchor): void;
  view(): ViewportState;
  /** Returns `view().followsTail` without computing the lines. */
  followsTail(): boolean;
  /**
   * Measures up to `count` entries that have only an estimate, newest first. Returns whether some are left. For idle
   * time.
   */
  measure(count: number): boolean;
  keys(): readonly string[];
};

/** Lines that two pages have in common. */
const PAGE_OVERLAP = 2;

/**
 * Returns a viewport. `linesOf` returns an entry's wrapped lines from a cache: it is called for every entry in view on
 * every frame.
 */
export function createViewport(linesOf: (key: string, width: number) => readonly string[]): Viewport {
  let keys: string[] = [];
  const indexes = new Map<string, number>();
  const heights = createHeights();
  const estimated = new Set<number>();
  let width = 80;
  let height = 24;
  /** The line at the top of the screen; undefined while the view follows the end. */
  let anchor: { index: number; line: number } | undefined;

  function lines(index: number): readonly string[] {
    const key = keys[index];
    if (key === undefined) return [];
    const found = linesOf(key, width);
    estimated.delete(index);
    heights.set(index, found.length);
    return found;
  }

  function measured(index: number): number {
    return estimated.has(index) ? lines(index).length : heights.get(index);
  }

  function add(key: string, estimate: boolean): void {
    indexes.set(key, keys.length);
    if (estimate) estimated.add(keys.length);
    keys.push(key);
    heights.push(1);
    if (!estimate) lines(keys.length - 1);
  }

  /** Returns the top line at which the last line is at the bottom. */
  function bottom(): { index: number; line: number } {
    let room = height;
    for (let index = keys.length - 1; index >= 0; index--) {
      room -= measured(index);
      if (room <= 0) return { index, line: -room };
    }
    return { index: 0, line: 0 };
  }

  /** Returns the place a number of lines away, not before the first line. */
  function moved(from: { index: number; line: number }, by: number): { index: number; line: number } {
    let { index } = from;
    let line = from.line + by;
    while (line < 0 && index > 0) {
      index--;
      line += measured(index);
    }
    while (index < keys.length - 1 && line >= measured(index)) {
      line -= measured(index);
      index++;
    }
    return { index, line: Math.max(0, line) };
  }

  function top(): { index: number; line: number } {
    if (anchor === undefined) return bottom();
    // An entry that has shrunk leaves the anchor on its last line.
    return { index: anchor.index, line: Math.max(0, Math.min(anchor.line, measured(anchor.index) - 1)) };
  }

  function place(to: { index: number; line: number }): void {
    const last = bottom();
    const beyond = to.index > last.index || (to.index === last.index && to.line >= last.line);
    anchor = beyond ? undefined : to;
  }

  return {
    set(key) {
      const index = indexes.get(key);
      if (index === undefined) add(key, false);
      else lines(index);
    },
    load(more) {
      for (const key of more) if (!indexes.has(key)) add(key, true);
    },
    delete(key) {
      const index = indexes.get(key);
      if (index === undefined) return;
      keys.splice(index, 1);
      heights.removeAt(index);
      indexes.delete(key);
      for (let at = index; at < keys.length; at++) indexes.set(keys[at] ?? '', at);
      const shifted = [...estimated].filter((at) => at !== index).map((at) => (at > index ? at - 1 : at));
      estimated.clear();
      for (const at of shifted) estimated.add(at);
      if (anchor !== undefined && anchor.index > index) anchor = { ...anchor, index: anchor.index - 1 };
      else if (anchor?.index === index) anchor = keys[index] === undefined ? undefined : { index, line: 0 };
    },
    clear() {
      keys = [];
      indexes.clear();
      heights.clear();
      estimated.clear();
      anchor = undefined;
    },
    resize(columns, rows) {
      const kept = anchor;
      // Keeps the same share of the text in view, not the same line number: a line of twice the width has twice the
      // text.
      const share = kept === undefined ? 0 : kept.line / Math.max(1, measured(kept.index));
      height = Math.max(1, rows);
      if (columns !== width) {
        width = Math.max(1, columns);
        for (let index = 0; index < keys.length; index++) estimated.add(index);
      }
      if (kept !== undefined) place({ index: kept.index, line: Math.floor(share * measured(kept.index)) });
    },
    scroll(by) {
      place(moved(top(), by));
    },
    page(direction) {
      place(moved(top(), direction * Math.max(1, height - PAGE_OVERLAP)));
    },
    halfPage(direction) {
      place(moved(top(), direction * Math.max(1, Math.floor(height / 2))));
    },
    home() {
      place({ index: 0, line: 0 });
    },
    end() {
      anchor = undefined;
    },
    reveal({ key, line }) {
      const index = indexes.get(key);
      if (index === undefined) return;
      const wanted = { index, line: Math.max(0, Math.min(line, measured(index) - 1)) };
      const first = top();
      const offset = heights.sum(index) + wanted.line - heights.sum(first.index) - first.line;
      const visible = offset >= 0 && offset < height && index - first.index < height;
      if (!visible) place(moved(wanted, -Math.floor(height / 3)));
    },
    view() {
      const { index: first, line } = top();
      const rows: Row[] = [];
      let skip = line;
      for (let index = first; index < keys.length && rows.length < height; index++) {
        const key = keys[index] ?? '';
        const all = lines(index);
        for (let at = skip; at < all.length && rows.length < height; at++)
          rows.push({ key, line: at, text: all[at] ?? '' });
        skip = 0;
      }
      const above = heights.sum(first) + line;
      return {
        rows,
        above,
        below: Math.max(0, heights.sum(keys.length) - above - rows.length),
        followsTail: anchor === undefined,
      };
    },
    followsTail: () => anchor === undefined,
    measure(count) {
      let left = count;
      for (let index = keys.length - 1; index >= 0 && left > 0 && estimated.size > 0; index--) {
        if (!estimated.has(index)) continue;
        lines(index);
        left--;
      }
      return estimated.size > 0;
    },
    keys: () => keys,
  };
}

export type Heights = {
  readonly length: number;
  get(index: number): number;
  push(height: number): void;
  set(index: number, height: number): void;
  /** Returns the sum of the first `count` heights. */
  sum(count: number): number;
  removeAt(index: number): void;
  clear(): void;
};

export function createHeights(): Heights {
  let values: number[] = [];
  // tree[i] is the sum of the (i & -i) values that end with value i - 1; tree[0] is unused.
  let tree: number[] = [0];

  function sum(count: number): number {
    let total = 0;
    for (let at = count; at > 0; at -= at & -at) total += tree[at] ?? 0;
    return total;
  }

  function push(height: number): void {
    values.push(height);
    const at = values.length;
    tree.push(height + sum(at - 1) - sum(at - (at & -at)));
  }

  return {
    get length() {
      return values.length;
    },
    get: (index) => values[index] ?? 0,
    push,
    set(index, height) {
      const change = height - (values[index] ?? 0);
      if (change === 0) return;
      values[index] = height;
      for (let at = index + 1; at < tree.length; at += at & -at) tree[at] = (tree[at] ?? 0) + change;
    },
    sum,
    removeAt(index) {
      const rest = values.slice(index + 1);
      values.length = index;
      tree.length = index + 1;
      for (const height of rest) push(height);
    },
    clear() {
      values = [];
      tree = [0];
    },
  };
}

/** A cache of entries' wrapped lines, kept outside React (DESIGN law 4). */

type LineCache = {
  /** Returns the lines of an entry at a width; calls `produce` only when entry, version or width are new. */
  get(key: string, version: number, width: number, produce: () => readonly string[]): readonly string[];
  delete(key: string): void;
  clear(): void;
};

/**
 * Returns a cache of the most recently used entries, up to about `limit` lines in all, which is more than the longest
 * reply has.
 */
export function createLineCache(limit = 40_000): LineCache {
  // A Map keeps insertion order: used entries move to its end, and the front is evicted first.
  const entries = new Map<string, { version: number; width: number; lines: readonly string[] }>();
  let total = 0;

  function drop(key: string): void {
    total -= entries.get(key)?.lines.length ?? 0;
    entries.delete(key);
  }

  return {
    get(key, version, width, produce) {
      const had = entries.get(key);
      if (had?.version === version && had.width === width) {
        entries.delete(key);
        entries.set(key, had);
        return had.lines;
      }
      drop(key);
      const lines = produce();
      entries.set(key, { version, width, lines });
      total += lines.length;
      for (const oldest of entries.keys()) {
        if (total <= limit || oldest === key) break;
        drop(oldest);
      }
      return lines;
    },
    delete: drop,
    clear() {
      entries.clear();
      total = 0;
    },
  };
}
