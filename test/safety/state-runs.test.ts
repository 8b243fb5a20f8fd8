/**
 * The state fuzzer: runs safe lines of the corpora in other states than they expect, and the families of lines that
 * lose data in some state, in the confinement of the differential proof. A line judged safe must lose no data. `npm run
 * check -- state` runs 3,000 cases.
 */
import { describe, expect, test } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { SEED } from '../support/seed.ts';
import { FAMILY_CASES } from './differential/families.ts';
import { confinementFault, runConfined } from './differential/run.ts';
import { stateCases } from './differential/states.ts';

const CASES = Number(process.env.AISH_STATES ?? 40);
const ALL = CASES > FAMILY_CASES.length;
const TIME_MS = ALL ? 7_200_000 : 120_000;

/** The cases: in a short run a few of each family. */
const families = FAMILY_CASES.filter((_, at) => ALL || at % 12 === 0);

const missing = ['unshare', 'setpriv', 'prlimit', 'bash', 'git'].filter((program) => lacks(program));
const refused = missing.length > 0 ? `no ${missing.join(', ')}` : await confinementFault();
if (refused) console.log(`skipped: lines can't be confined on this machine: ${refused}`);

describe.skipIf(refused !== undefined)('lines that run in an unexpected state', () => {
  test('lose no data if they are judged safe', { timeout: TIME_MS }, async () => {
    const written = families.map(({ line, setup }) => ({ line, setup, judged: true }));
    const cases = [...written, ...stateCases(CASES - written.length, SEED)];
    const outcomes = await runConfined(cases);
    const ran = outcomes.filter(({ end }) => end !== 'not run').length;
    console.log(`${cases.length} cases, ${ran} called safe and run, AISH_SEED=${SEED}`);
    expect(outcomes.flatMap((one, at) => (one.losses.length > 0 ? [{ ...cases[at], ...one }] : []))).toEqual([]);
  });

  test.runIf(ALL)(
    'lose data in every group of cases if they run without a judgement',
    { timeout: TIME_MS },
    async () => {
      const outcomes = await runConfined(families.map(({ line, setup }) => ({ line, setup, judged: false })));
      expect(outcomes.filter(({ losses }) => losses.length === 0).map(({ line, end }) => `${line} (${end})`)).toEqual(
        [],
      );
    },
  );
});
