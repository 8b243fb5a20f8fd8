import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { safetyPage } from '../../docs/generate/safety.ts';

test('docs/safety.md is what the tables say (run `node docs/generate/safety.ts` after changing a rule)', () => {
  expect(readFileSync(new URL('../../docs/safety.md', import.meta.url), 'utf8')).toBe(safetyPage());
});
