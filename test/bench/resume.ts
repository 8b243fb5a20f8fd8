/**
 * `npm run bench -- resume`: the cost of resuming a long session: its first frame compared with a fresh start, and
 * reading and folding its journal compared with `JSON.parse` of the same lines.
 */
import { Transcript } from '../../src/engine/transcript.ts';
import { reduce } from '../../src/session/reduce.ts';
import { emptyState } from '../../src/session/state.ts';
import type { OwnedTurns } from '../../src/session/transition.ts';
import { parseJournal } from '../../src/store/read.ts';
import { longJournal, startSession } from './figures/growth.ts';
import { median } from './typing.ts';

const EVENTS = Number(process.env.BENCH_EVENTS ?? 12_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const GOALS = { frame: 1.3, fold: 5 } as const;

const text = longJournal(EVENTS);
const bytes = Buffer.from(text);

function parsed(): number {
  const began = performance.now();
  for (const line of text.split('\n')) if (line !== '') JSON.parse(line);
  return performance.now() - began;
}

function folded(): number {
  const began = performance.now();
  let state = emptyState('main');
  const transcript = new Transcript();
  const owned: OwnedTurns = new Map();
  for (const event of parseJournal(bytes).events) {
    const [next, effects] = reduce(state, event, owned);
    state = next;
    for (const effect of effects) transcript.apply(effect);
  }
  return performance.now() - began;
}

type Times = { readonly parsed: number[]; readonly folded: number[]; readonly starts: (readonly number[])[] };
const times: Times = { parsed: [], folded: [], starts: [] };
for (let n = 0; n < ROUNDS; n += 1) {
  times.parsed.push(parsed());
  times.folded.push(folded());
  times.starts.push([...(await startSession()), ...(await startSession(text))]);
}
const [json = 1, fold = 0] = [times.parsed, times.folded].map(median);
const [fresh = 1, freshSession = 1, resumed = 0, resumedSession = 0] = [0, 1, 2, 3].map((at) =>
  median(times.starts.map((each) => each[at] ?? Number.NaN)),
);
const verdict = (ratio: number, goal: number) =>
  `${ratio.toFixed(2)} (goal ≤ ${goal}) ${ratio <= goal ? 'ok' : 'MISSED'}`;
const ms = (value: number) => `${value.toFixed(0)} ms`;
console.log(`${EVENTS} events, ${(bytes.length / 1e6).toFixed(1)} MB`);
const foldRatio = fold / json;
const frameRatio = resumed / fresh;
console.log(`read and fold ${ms(fold)} ÷ JSON.parse ${ms(json)} = ${verdict(foldRatio, GOALS.fold)}`);
console.log(`first frame resumed ${ms(resumed)} ÷ fresh ${ms(fresh)} = ${verdict(frameRatio, GOALS.frame)}`);
const sessionRatio = (resumedSession / freshSession).toFixed(2);
console.log(`the session itself resumed ${ms(resumedSession)} ÷ fresh ${ms(freshSession)} = ${sessionRatio}`);
process.exitCode = foldRatio <= GOALS.fold && frameRatio <= GOALS.frame ? 0 : 1;
