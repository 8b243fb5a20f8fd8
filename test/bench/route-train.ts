/**
 * Makes src/router/weights.ts: `node test/bench/route-train.ts`. With `--half` it trains on half of the lines of tldr,
 * reports on the other half, and writes nothing. Trained on test/corpus/tldr (tldr-pages, CC-BY 4.0) and
 * test/corpus/route-train.jsonl, without any line of a set that is measured.
 */
import { writeFileSync } from 'node:fs';
import { BUCKETS, features, inspect, MIN_LANGUAGE_SCORE } from '../../src/router/classify.ts';
import { shellWords } from '../../src/router/vocabulary.ts';
import { type Labelled, ownLines, randomFrom, tldrLines } from './route-data.ts';

type Example = { readonly at: readonly number[]; readonly ai: boolean; readonly weight: number };

const EPOCHS = 14;
const RATE = 0.15;
const DECAY = 2e-6;
/** The weight of the project's own line, compared with one of tldr. */
const OWN = 3;
const ASKED = ['please', 'can you', 'how do I', 'I want to', 'could you', 'help me', 'let us', 'now', 'then'];

const random = randomFrom(7);

function examples(lines: readonly Labelled[], knows: (word: string) => boolean, weight: number): Example[] {
  const found: Example[] = [];
  for (const { line, kind } of lines) {
    const first = line.split(/\s/, 1)[0] ?? '';
    const ai = kind === 'ai';
    const add = (text: string, known: boolean, share = 1): void => {
      found.push({ at: features(inspect(text), known), ai, weight: weight * share });
    };
    add(line, knows(first));
    if (line.includes(' ') && random() < 0.4) add(line, !knows(first), 0.5);
    if (ai && random() < 0.25) {
      const asked = ASKED[Math.floor(random() * ASKED.length)] ?? 'please';
      add(`${asked} ${line}`, knows(asked.split(' ')[0] ?? ''), 0.5);
    }
    if (ai && random() < 0.1) add(`${line} please`, knows(first), 0.5);
    if (ai && random() < 0.2) add(line.charAt(0).toUpperCase() + line.slice(1), false, 0.5);
    if (!ai && first.length > 2 && random() < 0.25) add(mistyped(line), false, 0.5);
    if (!ai && /^[a-z]/.test(line) && random() < 0.05) add(`sudo ${line}`, true, 0.5);
  }
  return found;
}

/** Swaps two letters of the first word. */
function mistyped(line: string): string {
  const at = Math.floor(random() * ((line.split(/\s/, 1)[0] ?? '').length - 1));
  return line.slice(0, at) + line.charAt(at + 1) + line.charAt(at) + line.slice(at + 2);
}

/** Logistic regression by AdaGrad. */
function train(set: readonly Example[]): Float64Array {
  const weights = new Float64Array(BUCKETS);
  const squares = new Float64Array(BUCKETS).fill(1e-2);
  const order = set.map((_, i) => i);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
    }
    for (const index of order) {
      const example = set[index];
      if (!example) continue;
      let sum = 0;
      for (const at of example.at) sum += weights[at] ?? 0;
      const slope = (1 / (1 + Math.exp(-sum)) - (example.ai ? 1 : 0)) * example.weight;
      for (const at of example.at) {
        const gradient = slope + DECAY * (weights[at] ?? 0);
        squares[at] = (squares[at] ?? 0) + gradient * gradient;
        weights[at] = (weights[at] ?? 0) - (RATE * gradient) / Math.sqrt(squares[at] ?? 1);
      }
    }
  }
  return weights;
}

/** Reduces each weight to eight bits. */
function quantized(weights: Float64Array): { bytes: Int8Array; scale: number } {
  const most = weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0);
  const scale = most / 127;
  return { bytes: Int8Array.from(weights, (weight) => Math.round(weight / scale)), scale };
}

const { lines, known } = tldrLines();
const knows = (word: string): boolean => known.has(word) || shellWords.has(word);
const measured = new Set([...ownLines('hard'), ...ownLines('fresh'), ...ownLines('second')].map((one) => one.line));
const own = ownLines('train').filter((one) => !measured.has(one.line));
const unseen = lines.filter((one) => !measured.has(one.line));
const half = process.argv.includes('--half');
const side = unseen.map(() => !half || random() < 0.5);
const chosen = unseen.filter((_, i) => side[i]);
const { bytes, scale } = quantized(train([...examples(chosen, knows, 1), ...examples(own, knows, OWN)]));

if (half) {
  const right = { ai: 0, shell: 0 };
  const all = { ai: 0, shell: 0 };
  for (const { line, kind } of unseen.filter((_, i) => !side[i])) {
    const sum = features(inspect(line), knows(line.split(/\s/, 1)[0] ?? '')).reduce((n, at) => n + (bytes[at] ?? 0), 0);
    all[kind]++;
    if (sum * scale > MIN_LANGUAGE_SCORE === (kind === 'ai')) right[kind]++;
  }
  const percent = (kind: 'ai' | 'shell'): string => ((100 * right[kind]) / all[kind]).toFixed(2);
  console.log(`other half, model alone: language ${percent('ai')} %, commands ${percent('shell')} %`);
} else {
  const text = `/** Made by test/bench/route-train.ts. ${BUCKETS} signed bytes in base64; a weight is a byte times SCALE. */
export const SCALE = ${scale};
export const WEIGHTS =
  '${Buffer.from(bytes).toString('base64')}';
`;
  writeFileSync(new URL('../../src/router/weights.ts', import.meta.url), text);
  console.log(
    `${chosen.length} lines of tldr and ${own.length} own lines; ${bytes.filter((n) => n !== 0).length} weights in use`,
  );
}
