/** Each row of the threat model names a test, which must exist under that name. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const rows = readFileSync(join(ROOT, 'docs/threat-model.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!attack|---)/.test(line))
  .map((line) => line.split(' | ').at(-1)?.replace(/ \|$/, '') ?? '');

it('the threat model is a table with a test in every row', () => {
  expect(rows.length).toBeGreaterThanOrEqual(20);
});

it.each(rows)('the test exists: %s', (shown) => {
  const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(shown) ?? [];
  expect(title).not.toBe('');
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title);
});
