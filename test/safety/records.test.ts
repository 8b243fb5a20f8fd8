import { expect, test } from 'vitest';
import { words } from '../../src/safety/programs/record.ts';
import { ROWS } from '../../src/safety/programs/records/index.ts';
import { FAMILIES } from '../../src/safety/rules/table.ts';

test('each program has exactly one record', () => {
  const names = ROWS.flatMap(([programs]) => words(programs));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test('a restriction in a row of records names only programs of that row', () => {
  const strange = ROWS.flatMap(([programs, { of = {} }]) =>
    Object.keys(of)
      .flatMap(words)
      .filter((name) => !words(programs).includes(name)),
  );
  expect(strange).toEqual([]);
});

test('rows with the same rule name agree on whether undo keeps what would be lost', () => {
  const odd = [...Map.groupBy(Object.values(FAMILIES).flat(), ({ name }) => name)].filter(
    ([, rows]) => new Set(rows.map(({ kept, named }) => `${kept} ${named}`)).size > 1,
  );
  expect(odd.map(([name]) => name)).toEqual([]);
});
