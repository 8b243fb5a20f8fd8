import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeDirectory } from '../../src/text/files.ts';

const folder = mkdtempSync(join(tmpdir(), 'aish-make-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a directory is made with its missing parents, for its owner alone, and existing ones are kept', () => {
  makeDirectory(join(folder, 'a/b/c'));
  makeDirectory(join(folder, 'a/b/c'));
  for (const each of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, each)).mode & 0o777).toBe(0o700);
  symlinkSync('a', join(folder, 'link'));
  makeDirectory(join(folder, 'link/d'));
  makeDirectory(join(folder, 'link'));
  expect(statSync(join(folder, 'a/d')).isDirectory()).toBe(true);
});

it('makeDirectory throws where none can be made, and does not try for ever', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeDirectory(join(folder, 'file'))).toThrow('EEXIST');
  expect(() => makeDirectory(join(folder, 'file/a/b'))).toThrow('ENOTDIR');
  expect(() => makeDirectory('/proc/nope')).toThrow('ENOENT');
  expect(() => makeDirectory('/proc/nope/a/b')).toThrow('ENOENT');
});
