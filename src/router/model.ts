/** The trained part of the router: a sum of weights, one per feature seen. */
import { features, type LineFeatures } from './features.ts';
import { SCALE, WEIGHTS } from './weights.ts';

let table: Int8Array | undefined;

/** A line has to read this much like language before it is not run as a command; set on held-out halves of the data. */
export const MIN_LANGUAGE_SCORE = 0.5;

/** How much a line reads like language: above 0 language, below 0 a command; the log of the odds. */
export function languageScore(sight: LineFeatures, known: boolean): number {
  table ??= new Int8Array(Buffer.from(WEIGHTS, 'base64'));
  let sum = 0;
  for (const at of features(sight, known)) sum += table[at] ?? 0;
  return sum * SCALE;
}
