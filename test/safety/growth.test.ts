/**
 * Judging a long run of one character takes time proportional to its length, so that such a command does not block the
 * keyboard.
 */
import { expect, it } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';
import { cpuMilliseconds } from '../support/cpu-time.ts';

const LONG = 40_000;

it.each([
  ['blanks behind fork', (n: number) => `python3 -c "fork${' '.repeat(n)}x"`],
  ['empty lines of Python', (n: number) => `python3 - <<'END'\n${'\n'.repeat(n)}x\nEND\n`],
  ['blanks behind system, in gnuplot', (n: number) => `gnuplot -e 'system${' '.repeat(n)}x'`],
  ['empty lines of gnuplot', (n: number) => `gnuplot -e '${'\n'.repeat(n)}x'`],
  ['quotes of jq', (n: number) => `jq '${'"\\'.repeat(n / 2)}' x.json`],
  ['blanks behind request', (n: number) => `python3 -c "x.${' '.repeat(n)}y"`],
])('the judgement takes linear time for many %s', (_, make) => {
  const took = (n: number) => cpuMilliseconds(() => judgeCommand(make(n)));
  took(LONG / 4);
  const short = Math.min(took(LONG / 4), took(LONG / 4));
  // The text is four times as long: quadratic time would be sixteen times as much.
  expect(Math.min(took(LONG), took(LONG))).toBeLessThan(8 * short + 40);
});
