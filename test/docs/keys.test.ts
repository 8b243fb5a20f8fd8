import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keysPage } from '../../docs/generate/keys.ts';

it('docs/keys.md matches the key table (node docs/generate/keys.ts)', () => {
  expect(readFileSync(new URL('../../docs/keys.md', import.meta.url), 'utf8')).toBe(keysPage());
});
