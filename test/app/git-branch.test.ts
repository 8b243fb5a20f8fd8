import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitBranch, gitState } from '../../src/app/git-branch.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-git-'));
  mkdirSync(join(folder, '.git', 'real'), { recursive: true });
  mkdirSync(join(folder, 'tree'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the branch shown', () => {
  it('is that of the repository around, of a work tree its own', () => {
    writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(folder, '.git', 'real', 'HEAD'), 'ref: refs/heads/side\n');
    writeFileSync(join(folder, 'tree', '.git'), 'gitdir: ../.git/real\n');
    expect(gitBranch(folder)).toBe('main');
    expect(gitBranch(join(folder, 'tree'))).toBe('side');
  });

  it('costs no more where the file behind it is huge', () => {
    const head = join(folder, '.git', 'HEAD');
    writeFileSync(head, 'ref: refs/heads/main\n');
    // Nothing could hold it as a text.
    truncateSync(head, 1_900_000_000);
    expect(gitBranch(folder)).toBe('main');
    writeFileSync(join(folder, 'tree', '.git'), 'gitdir: ');
    truncateSync(join(folder, 'tree', '.git'), 1_900_000_000);
    expect(gitBranch(join(folder, 'tree'))).toBeUndefined();
  });

  it('is told to the model with what git is in the middle of', () => {
    expect(gitState(folder)).toBeUndefined();
    writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    expect(gitState(join(folder, 'tree'))).toBe('main');
    mkdirSync(join(folder, '.git', 'rebase-merge'));
    expect(gitState(folder)).toBe('main, rebase under way');
  });
});
