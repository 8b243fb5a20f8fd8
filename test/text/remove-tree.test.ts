import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeTree } from '../../src/text/files.ts';

const NOBODY = 65_534;
const root = process.getuid?.() === 0;
let outside: string;
let tree: string;

/** Modes have no effect for root. */
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'remove-'));
  chmodSync(outside, 0o777);
  if (root) process.seteuid?.(NOBODY);
  tree = join(outside, 'tree');
  mkdirSync(tree);
});
afterEach(() => {
  if (root) process.seteuid?.(0);
  rmSync(outside, { recursive: true, force: true });
});

it('a tree that a command made inaccessible to its own user is removed as well, and nothing outside is touched', () => {
  const mine = join(outside, 'mine');
  writeFileSync(mine, 'mine', { mode: 0o400 });
  mkdirSync(join(outside, 'elsewhere'), { mode: 0o500 });
  mkdirSync(join(tree, 'd', 'e'), { recursive: true });
  linkSync(mine, join(tree, 'd', 'second-name'));
  symlinkSync(join(outside, 'elsewhere'), join(tree, 'd', 'link'));
  writeFileSync(Buffer.concat([Buffer.from(join(tree, 'd', 'e')), Buffer.from('/not-\xff', 'latin1')]), 'x');
  for (const [name, mode] of [
    ['d/e', 0o000],
    ['d', 0o300],
  ] as const)
    chmodSync(join(tree, name), mode);
  expect(removeTree(tree)).toBe(true);
  expect(existsSync(tree)).toBe(false);
  expect([statSync(mine).mode & 0o777, statSync(join(outside, 'elsewhere')).mode & 0o777]).toEqual([0o400, 0o500]);
  expect(removeTree(tree)).toBe(true);
});

it('what can’t be removed is reported, and the rest is removed', () => {
  mkdirSync(join(tree, 'inner'));
  if (root) process.seteuid?.(0);
  chmodSync(outside, 0o755);
  if (root) process.seteuid?.(NOBODY);
  else chmodSync(outside, 0o500);
  expect(removeTree(tree)).toBe(false);
  expect(existsSync(tree)).toBe(true);
  if (!root) chmodSync(outside, 0o700);
});
