import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { safetyPage } from '../../docs/generate/safety.ts';

test('docs/safety.md matches the tables of rules (run `node docs/generate/safety.ts` after changing a rule)', () => {
  expect(readFileSync(new URL('../../docs/safety.md', import.meta.url), 'utf8')).toBe(safetyPage());
});
