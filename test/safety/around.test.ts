import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realFiles } from '../../src/safety/index.ts';
import { judgeWithFiles } from '../../src/safety/judge.ts';

let cwd = '';
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'around-'));
  mkdirSync(join(root, 'elsewhere/deep'), { recursive: true });
  writeFileSync(join(root, 'elsewhere/kept'), 'x');
  cwd = join(root, 'project');
  mkdirSync(join(cwd, 'src'), { recursive: true });
  writeFileSync(join(cwd, 'notes.md'), 'x');
  symlinkSync('../elsewhere/deep', join(cwd, 'link'));
});
afterEach(() => rmSync(join(cwd, '..'), { recursive: true }));

const verdict = async (command: string) =>
  (await judgeWithFiles(command, { cwd, files: realFiles() }, { readingMs: 5000 })).verdict;

test.each([
  ['sort *', 'safe'],
  ['touch a.txt && sort *', 'safe'],
  ['git status && sort *', 'safe'],
  ['touch ./-onotes.md; sort *', 'unknown'],
  ['touch -- -i; sed -n p *', 'unknown'],
  ['(touch -- -i); sed -n p *', 'unknown'],
  ['f() { touch -- "$1"; }; f -i; sed -n p *', 'unknown'],
  ['tar xf a.tar; sort *', 'unknown'],
  ['tar xf list; sort *', 'unknown'],
  ['git checkout other && sort *', 'unknown'],
  ['git pull origin add && sort *', 'unknown'],
])(
  'a glob counts as a possible option once the line created a file named like an option: %s',
  async (command, expected) => {
    expect(await verdict(command)).toBe(expected);
  },
);

test.each([
  ['echo x > src/../new', 'safe'],
  ['echo x > src/../notes.md', 'destructive'],
  ['echo x > link/../kept', 'destructive'],
  ['echo x > link/../new', 'safe'],
  ['echo x > ./link/.././kept', 'destructive'],
])('the path link/.. is resolved from the target of the link: %s', async (command, expected) => {
  expect(await verdict(command)).toBe(expected);
});

test.each([
  ['ln -i src/a notes.md', 'safe'],
  ['ln -i src/a notes.md <<< y', 'unknown'],
  ['yes | unzip a.zip', 'unknown'],
  ['unzip -l a.zip < list', 'safe'],
])('a program that asks before an overwrite is not safe when its input answers yes: %s', async (command, expected) => {
  expect(await verdict(command)).toBe(expected);
});
