/** The labelled lines the router is trained and measured on. */
import { existsSync, readFileSync } from 'node:fs';

export type Labelled = { readonly line: string; readonly kind: 'ai' | 'shell' };

const corpus = new URL('../corpus/', import.meta.url);
const shared = new URL('../../../shared/data/', import.meta.url);

function labelled(url: URL): Labelled[] {
  const lines = readFileSync(url, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Labelled);
}

/** One of the sets in test/corpus: `hard` was tuned against, `fresh` looked at once (96.3 / 98.7 % then), `train` is trained on. */
export function ownLines(name: 'hard' | 'fresh' | 'train'): Labelled[] {
  return labelled(new URL(`route-${name}.jsonl`, corpus));
}

/** Commands to take as installed where the shared data is absent. */
export function ownKnown(): Set<string> {
  return new Set(JSON.parse(readFileSync(new URL('route-known.json', corpus), 'utf8')) as string[]);
}

/** Descriptions and commands of tldr-pages (CC-BY 4.0), with every first word of a command taken as installed. */
export function sharedLines(): { lines: Labelled[]; known: Set<string> } | undefined {
  const file = new URL('route-dev.jsonl', shared);
  if (!existsSync(file)) return undefined;
  const known = readFileSync(new URL('known-commands.txt', shared), 'utf8').split('\n').filter(Boolean);
  return { lines: labelled(file), known: new Set(known) };
}

/** Numbers in [0, 1) that are the same on every run (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
