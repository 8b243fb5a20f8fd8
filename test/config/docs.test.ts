import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configPage } from '../../docs/generate/config.ts';

it('docs/config.md matches the schema (node docs/generate/config.ts)', () => {
  expect(readFileSync(new URL('../../docs/config.md', import.meta.url), 'utf8')).toBe(configPage());
});
