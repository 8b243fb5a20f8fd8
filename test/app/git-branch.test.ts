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
  it('is that of the surrounding repository, or of the work tree', () => {
    writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(folder, '.git', 'real', 'HEAD'), 'ref: refs/heads/side\n');
    writeFileSync(join(folder, 'tree', '.git'), 'gitdir: ../.git/real\n');
    expect(gitBranch(folder)).toBe('main');
    expect(gitBranch(join(folder, 'tree'))).toBe('side');
  });

  it('is read in constant time from a huge file', () => {
    const head = join(folder, '.git', 'HEAD');
    writeFileSync(head, 'ref: refs/heads/main\n');
    // The file is too large for a string.
    truncateSync(head, 1_900_000_000);
    expect(gitBranch(folder)).toBe('main');
    writeFileSync(join(folder, 'tree', '.git'), 'gitdir: ');
    truncateSync(join(folder, 'tree', '.git'), 1_900_000_000);
    expect(gitBranch(join(folder, 'tree'))).toBeUndefined();
  });

  it('is reported to the model with an unfinished merge or rebase', () => {
    expect(gitState(folder)).toBeUndefined();
    writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    expect(gitState(join(folder, 'tree'))).toBe('main');
    mkdirSync(join(folder, '.git', 'rebase-merge'));
    expect(gitState(folder)).toBe('main, rebase under way');
  });
});
