/** The cost of a run of any length, in counts. `npm run bench -- memory` and `-- resume` measure the program itself. */
import { serialize } from 'node:v8';
import { expect, it } from 'vitest';
import { firstInContext } from '../../src/session/context.ts';
import { reduce } from '../../src/session/reduce.ts';
import { emptyState, rootOf } from '../../src/session/state.ts';
import { longRun } from '../support/long-session.ts';

/** The most bytes per step: a turn with 12 printed lines, and the reply before them. */
const MAX_BYTES_PER_STEP = 1500;

it('a fold appends to one list of turns instead of copying it for every event', () => {
  const { events, state: expected } = longRun(200);
  const lists = new Set<unknown>();
  const owned = new Map();
  let state = emptyState('main');
  for (const event of events) {
    [state] = reduce(state, event, owned);
    lists.add(rootOf(state).turns);
  }
  expect(lists.size).toBeLessThanOrEqual(2);
  expect(state).toEqual(expected);
});

it('a step adds only its own turns to the state, however many came before', () => {
  const bytes = [100, 200, 300].map((steps) => serialize(longRun(steps).state).byteLength);
  const [first = 0, second = 0, third = 0] = bytes;
  expect((second - first) / 100).toBeLessThan(MAX_BYTES_PER_STEP);
  expect(third - second).toBeLessThan(1.1 * (second - first));
});

it('a request stays within its limit, however long the run', () => {
  const { conversation } = longRun(300);
  const sent = conversation.turns.slice(firstInContext(conversation));
  expect(sent.length).toBeLessThanOrEqual(conversation.settings.maxTurns);
});
