import { describe, expect, it } from 'vitest';
import { detect } from '../../src/secrets/detect.ts';
import { scoreOf, secretsCorpus } from '../support/secrets-corpus.ts';

describe.each([1, 2, 3])('the labelled texts, with values of seed %i', (seed) => {
  const rows = secretsCorpus(seed);

  it('include enough texts with secrets and enough without', () => {
    expect(rows.filter(({ secrets }) => secrets.length > 0).length).toBeGreaterThanOrEqual(400);
    expect(rows.filter(({ secrets }) => secrets.length === 0).length).toBeGreaterThanOrEqual(180);
  });

  it.each(['tuned', 'held'])(
    '%s: at least 97 %% of secrets found, nearly all with exact borders, and at most 2 %% false alarms',
    (half) => {
      const score = scoreOf(
        rows.filter((row) => row.half === half),
        detect,
      );
      expect(score.covered / score.all).toBeGreaterThanOrEqual(0.97);
      expect(score.exact / score.all).toBeGreaterThanOrEqual(0.95);
      expect(score.falsely / score.clean).toBeLessThanOrEqual(0.02);
    },
  );
});
