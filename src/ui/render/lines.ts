/** Entries as wrapped lines, made outside React and remembered (DESIGN law 4). */

export type LineCache = {
  /** The lines of an entry at a width; `produce` is called only when entry, version or width are new. */
  get(key: string, version: number, width: number, produce: () => readonly string[]): readonly string[];
  delete(key: string): void;
  clear(): void;
};

/** Remembers the lines of the entries used last, up to about `limit` lines in all: more than the longest reply has. */
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
