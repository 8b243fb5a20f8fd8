/** Lines entered before: kept across sessions, walked with ↑ and ↓, searched with Ctrl-R (IN-5). */

/** How the history is kept; injected, since the screen does no I/O of its own. */
export type HistoryStore = {
  /** All lines, oldest first. */
  load(): Promise<readonly string[]>;
  /** Keeps one line. A failure is the store's to report; the history in memory is not touched by it. */
  append(line: string): void;
};

/** Lines held in memory; older ones stay on disk. */
const MAX_LINES = 20_000;

/** Where ↑ and ↓ stand: the draft they began with, and the line shown (`lines.length` is the draft). */
export type HistoryWalk = { readonly draft: string; readonly prefix: string; readonly index: number };

export type History = {
  /** Oldest first, each line once, at its newest place. */
  lines(): readonly string[];
  /** Loads what is kept. Lines added before it is there stay newest. */
  load(): Promise<void>;
  /** Keeps a line, unless it is blank or starts with a space. */
  add(line: string): void;
  /**
   * The line before or after in a walk, among those that begin as the draft did when the walk began; undefined at the
   * end. Forward past the newest comes the draft itself.
   */
  older(walk: HistoryWalk | undefined, draft: string): Walked | undefined;
  newer(walk: HistoryWalk): Walked | undefined;
};

/** `walk` is kept by the caller while the text stays `text`; any edit ends the walk. */
export type Walked = { readonly text: string; readonly walk: HistoryWalk };

export function createHistory(store: HistoryStore): History {
  let lines: string[] = [];
  let places = new Map<string, number>();

  function put(line: string): void {
    const had = places.get(line);
    if (had !== undefined) {
      if (had === lines.length - 1) return;
      lines.splice(had, 1);
      lines.push(line);
      index();
    } else {
      places.set(line, lines.push(line) - 1);
      if (lines.length > MAX_LINES * 1.1) {
        lines = lines.slice(-MAX_LINES);
        index();
      }
    }
  }

  function index(): void {
    places = new Map(lines.map((line, at) => [line, at]));
  }

  function find(from: number, step: -1 | 1, prefix: string): number {
    let at = from + step;
    while (at >= 0 && at < lines.length && !lines[at]?.startsWith(prefix)) at += step;
    return at;
  }

  return {
    lines: () => lines,
    async load() {
      const kept = (await store.load()).filter(isKept);
      const since = lines;
      lines = [...new Set([...kept, ...since].reverse())].reverse().slice(-MAX_LINES);
      index();
    },
    add(line) {
      if (!isKept(line)) return;
      if (lines.at(-1) !== line) store.append(line);
      put(line);
    },
    older(walk, draft) {
      const { prefix, index: from, draft: began } = walk ?? { prefix: draft, index: lines.length, draft };
      let at = find(from, -1, prefix);
      // The draft itself is not news.
      if (walk === undefined && lines[at] === draft) at = find(at, -1, prefix);
      const text = lines[at];
      return text === undefined ? undefined : { text, walk: { draft: began, prefix, index: at } };
    },
    newer(walk) {
      if (walk.index >= lines.length) return undefined;
      const at = find(walk.index, 1, walk.prefix);
      return { text: lines[at] ?? walk.draft, walk: { ...walk, index: at } };
    },
  };
}

function isKept(line: string): boolean {
  return line.trim() !== '' && !line.startsWith(' ');
}
