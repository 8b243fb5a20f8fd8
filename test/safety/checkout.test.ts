/**
 * `git checkout NAME`: a branch, or a file whose uncommitted changes are lost. Existing files decide; without access to
 * files, the name does.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { judgeCommand, realFiles } from '../../src/safety/index.ts';

const cwd = mkdtempSync(join(tmpdir(), 'aish-checkout-'));
mkdirSync(join(cwd, 'parts/inner'), { recursive: true });
writeFileSync(join(cwd, 'plan'), 'x\n');
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

it.each([
  ['git checkout parts', 'destructive'],
  ['git checkout -q parts/inner', 'destructive'],
  ['git checkout plan', 'destructive'],
  ['git -C parts checkout inner', 'destructive'],
  ['cd parts && git checkout inner', 'destructive'],
  ['git checkout inner', 'safe'],
  ['git checkout main', 'safe'],
  ['git checkout -b parts', 'safe'],
  ['git checkout "$SOME_NAME"', 'unknown'],
])('git checkout is judged by whether the word is a path or a branch: %s is %s', (command, verdict) => {
  expect(judgeCommand(command, { cwd, files: realFiles() }).verdict).toBe(verdict);
});

it('git checkout of a word that is likely a directory name asks when files can’t be inspected', () => {
  expect(judgeCommand('git checkout src').verdict).toBe('unknown');
  expect(judgeCommand('git checkout main').verdict).toBe('safe');
});
