/** Links and names that a hostile command has made many of: what looks through them does not take the square of it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Name } from '../../../src/effects/undo/names.ts';
import { obeyedIn } from '../../../src/effects/undo/obeyed.ts';
import { HERE, laterWith } from '../../../src/effects/undo/set-aside.ts';

let tree: string;
beforeEach(() => {
  tree = realpathSync(mkdtempSync(join(tmpdir(), 'aish-costs-')));
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

const made = (path: string, at = 0): Name => ({
  ...{ verb: 'made', path: join(tree, path), kind: 'file', was: 0n },
  now: { file: `1:${at}`, changed: 1n },
});

async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

it('many files that links make well-known, and many others', async () => {
  for (const name of ['x', 'y']) mkdirSync(join(tree, name));
  symlinkSync('x', join(tree, '.config'));
  const count = 15_000;
  const plasma = Array.from({ length: count }, (_, at) => made(`x/plasma${at}`, at));
  for (const { path } of plasma) writeFileSync(path, '');
  const others = Array.from({ length: count }, (_, at) => made(`y/f${at}`, count + at));
  const seconds = await cpuSeconds(async () => {
    const obeyed = await obeyedIn(tree, [...plasma, ...others]);
    expect(laterWith([], [...plasma, ...others], tree, HERE, obeyed)).toHaveLength(count);
  });
  expect(seconds).toBeLessThan(10);
});

it('many links to the first of a long row of links', async () => {
  mkdirSync(join(tree, '.config'));
  for (let at = 0; at < 39; at += 1) symlinkSync(`${'./'.repeat(2040)}a${at + 1}`, join(tree, '.config', `a${at}`));
  mkdirSync(join(tree, '.config', 'a39'));
  for (let at = 0; at < 1500; at += 1) symlinkSync('a0', join(tree, '.config', `plasma${at}`));
  const seconds = await cpuSeconds(async () => {
    const { places } = await obeyedIn(tree, []);
    // Each link of the row, and where it ends, once.
    expect(places.filter(({ path }) => /\/a\d+$/.test(path))).toHaveLength(40);
  });
  expect(seconds).toBeLessThan(5);
});

it('links that go round below many names, with files beside them', async () => {
  const names = [
    '.config',
    '.github',
    '.local',
    '.cargo',
    '.gradle',
    '.jj',
    '.m2',
    '.yarn',
    '.forgejo',
    'gradle',
    'pip',
  ];
  for (const name of names) symlinkSync('.', join(tree, name));
  for (let at = 0; at < 1000; at += 1) writeFileSync(join(tree, `f${at}`), '');
  let said: unknown;
  const seconds = await cpuSeconds(async () => {
    said = await obeyedIn(tree, []).catch((error: unknown) => error);
  });
  // The tree itself is nothing that a link of it brings.
  expect(said).toMatchObject({ ends: new Set() });
  mkdirSync(join(tree, 's'));
  for (const name of names) symlinkSync('.', join(tree, 's', name));
  for (let at = 0; at < 1000; at += 1) writeFileSync(join(tree, 's', `f${at}`), '');
  symlinkSync('s', join(tree, '.buildkite'));
  symlinkSync('s', join(tree, '.bundle'));
  const more = await cpuSeconds(async () => {
    said = await obeyedIn(tree, []).catch((error: unknown) => error);
  });
  // Too much is said as such: then nothing that was changed is believed.
  expect(String(said)).toContain('too many names that others obey');
  expect(seconds + more).toBeLessThan(10);
});
