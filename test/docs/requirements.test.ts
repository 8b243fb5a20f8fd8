import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, textOf } from './blocks.ts';

const ROW = /^\| ([A-Z]{2}-\d+) \|/gm;
const CITED = /\b[A-Z]{2}-\d+\b/g;
const ids = [...textOf('docs/requirements.md').matchAll(ROW)].map(([, id]) => id);

it('each requirement has an id of its own', () => {
  expect(ids.length).toBeGreaterThan(100);
  expect(ids).toEqual([...new Set(ids)]);
});

it('every id that a source or a test cites is a row of docs/requirements.md', () => {
  const files = ['src', 'components', 'hooks', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(tsx?|mjs|[ch])$/.test(file))
      .map((file) => join(ROOT, folder, file)),
  );
  const unknown = files.flatMap((file) =>
    (readFileSync(file, 'utf8').match(CITED) ?? []).filter((id) => !ids.includes(id)).map((id) => `${file}: ${id}`),
  );
  expect(unknown).toEqual([]);
});
