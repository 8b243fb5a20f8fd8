import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { CHECKS, checksFor } from './table.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const files = (...globs: readonly string[]) => globSync(globs, { cwd: ROOT, exclude: ['node_modules/**'] });
const rows = Object.entries(CHECKS);

/** The filters of a check's `vitest run`: parts of the paths that it runs. */
const filters = ({ commands }: (typeof CHECKS)[string]) =>
  commands.flatMap((command) => command.match(/(?<= )test\/[\w/-]+/g) ?? []);

it('every glob and every filter in the table matches a file', () => {
  const tests = files('test/**/*.test.{ts,tsx}');
  const globs = [...new Set(rows.flatMap(([, { covers }]) => covers))];
  expect(globs.filter((glob) => files(glob).length === 0)).toEqual([]);
  const wanted = rows.flatMap(([, check]) => filters(check)).filter((path) => !path.endsWith('/architecture'));
  expect(wanted.filter((filter) => !tests.some((path) => path.includes(filter)))).toEqual([]);
});

it('every long test belongs to a check that the change of some path needs', () => {
  const needed = rows
    .filter(([, { covers, hours }]) => covers.length > 0 && !hours)
    .flatMap(([, check]) => filters(check));
  const missed = files('test/**/*.long.test.{ts,tsx}').filter(
    (path) => !needed.some((filter) => path.includes(filter)),
  );
  expect(missed).toEqual([]);
});

it('a change of any source needs more than the static checks and npm test', () => {
  const sources = files('{src,components,hooks}/**/*.{ts,tsx,c,h}');
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.filter((path) => checksFor([path]).length <= 2)).toEqual([]);
});

it('the check of the gate includes its corpora, and the check of the sandbox its attacks', () => {
  expect(checksFor(['src/safety/gate.ts'])).toEqual(expect.arrayContaining(['static', 'test', 'gate', 'proof']));
  expect(checksFor(['src/effects/launcher/main.c'])).toEqual(expect.arrayContaining(['sandbox', 'undo']));
  expect(matchesGlob('.ci/run', '.ci/**') && checksFor(['.ci/run'])).toContain('setup');
});
