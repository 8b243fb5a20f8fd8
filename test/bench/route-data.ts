/** The labelled lines on which the router is trained and measured. */
import { readFileSync } from 'node:fs';

export type Labelled = { readonly line: string; readonly kind: 'ai' | 'shell' };

const corpus = new URL('../corpus/', import.meta.url);
const tldr = new URL('tldr/', corpus);

function labelled(url: URL): Labelled[] {
  const lines = readFileSync(url, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Labelled);
}

/**
 * Returns one of the sets in test/corpus: `hard` was tuned against, `fresh` was read once (96.3 / 98.7 % then),
 * `second` has ten languages (88.3 / 98.7 % before it was tuned against), `train` is for training.
 */
export function ownLines(name: 'hard' | 'fresh' | 'second' | 'train'): Labelled[] {
  return labelled(new URL(`route-${name}.jsonl`, corpus));
}

/** Returns further commands to treat as installed. */
export function ownKnown(): Set<string> {
  return new Set(JSON.parse(readFileSync(new URL('route-known.json', corpus), 'utf8')) as string[]);
}

/**
 * Returns descriptions and commands of tldr-pages (CC-BY 4.0, see the NOTICE beside them), with every first word of a
 * command as installed.
 */
export function tldrLines(): { lines: Labelled[]; known: Set<string> } {
  const known = readFileSync(new URL('commands.txt', tldr), 'utf8').split('\n').filter(Boolean);
  return { lines: labelled(new URL('lines.jsonl', tldr)), known: new Set(known) };
}

/** Returns numbers in [0, 1) that are the same on every run (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
