/** The labelled texts of `test/corpus/secrets.jsonl`: secrets are between ‹ and ›, and a seed chooses the values. */
import { readFileSync } from 'node:fs';
import { filled, seeded } from './fake-values.ts';

/** `held` texts were written after the rules, and nothing was changed for them before they were measured. */
type Row = {
  readonly half: 'tuned' | 'held';
  readonly class: string;
  readonly label: 'secret' | 'clean';
  readonly text: string;
};

export type Labelled = Omit<Row, 'label'> & { readonly secrets: readonly (readonly [number, number])[] };

/** Returns every text with the places of its secrets; other seeds give other values. */
export function secretsCorpus(seed: number): readonly Labelled[] {
  const random = seeded(seed);
  return readFileSync(new URL('../corpus/secrets.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const row = JSON.parse(line) as Row;
      const secrets: [number, number][] = [];
      let text = '';
      for (const piece of filled(row.text, random).split(/([‹›])/)) {
        if (piece === '‹') secrets.push([text.length, text.length]);
        else if (piece === '›') secrets[secrets.length - 1] = [secrets.at(-1)?.[0] ?? 0, text.length];
        else text += piece;
      }
      return { half: row.half, class: row.class, text, secrets };
    });
}

export type Score = { all: number; covered: number; exact: number; clean: number; falsely: number };

/** Measures a finder on labelled texts. `covered`: the whole secret is in a finding; `exact`: with its borders. */
export function scoreOf(
  rows: readonly Labelled[],
  find: (text: string) => readonly { readonly start: number; readonly end: number }[],
): Score {
  const score = { all: 0, covered: 0, exact: 0, clean: 0, falsely: 0 };
  for (const { text, secrets } of rows) {
    const found = find(text);
    if (secrets.length === 0) {
      score.clean += 1;
      if (found.length > 0) score.falsely += 1;
    }
    for (const [start, end] of secrets) {
      score.all += 1;
      if (found.some((one) => one.start <= start && one.end >= end)) score.covered += 1;
      if (found.some((one) => one.start === start && one.end === end)) score.exact += 1;
    }
  }
  return score;
}
