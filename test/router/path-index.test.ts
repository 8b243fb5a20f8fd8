import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPathIndex } from '../../src/router/path-index.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-path-'));
  for (const dir of ['a', 'b']) mkdirSync(join(root, dir));
});
afterEach(() => rmSync(root, { recursive: true }));

function program(dir: string, name: string, mode = 0o755): void {
  writeFileSync(join(root, dir, name), '#!/bin/sh\n');
  chmodSync(join(root, dir, name), mode);
}

it('the path index has executables, and no other files or directories', async () => {
  program('a', 'tool');
  program('a', 'readme', 0o644);
  mkdirSync(join(root, 'b', 'folder'));
  const index = createPathIndex(`${root}/a:${root}/b:${root}/missing:relative:`);
  expect(index.has('tool')).toBe(false);
  await index.refresh();
  expect(index.has('tool')).toBe(true);
  // Root may execute nothing that has no x bit at all, like everyone else.
  for (const word of ['readme', 'folder', 'nothing', '', 'a/tool', '../a/tool'])
    expect(index.has(word), word).toBe(false);
});

it('the path index notices installed and removed programs, and a new PATH', async () => {
  program('a', 'old');
  const index = createPathIndex(`${root}/a`);
  await index.refresh();
  program('a', 'new');
  rmSync(join(root, 'a', 'old'));
  utimesSync(join(root, 'a'), new Date(), new Date(Date.now() + 5000));
  await index.refresh();
  expect([index.has('old'), index.has('new')]).toEqual([false, true]);
  program('b', 'other');
  await index.refresh(`${root}/b`);
  expect([index.has('new'), index.has('other')]).toEqual([false, true]);
});

it('the path index returns names for completion', async () => {
  for (const name of ['git', 'gitk', 'go']) program('a', name);
  const index = createPathIndex(`${root}/a:${root}/a`);
  await index.refresh();
  expect(index.startingWith('gi', 10)).toEqual(['git', 'gitk']);
  expect(index.startingWith('', 2)).toEqual(['git', 'gitk']);
});
