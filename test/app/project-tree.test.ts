import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectTree } from '../../src/app/project-tree.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-tree-')));
  mkdirSync(join(root, 'home', 'code', 'deep'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const home = () => join(root, 'home');
const code = () => join(home(), 'code');

describe('the project’s tree', () => {
  it('is the top of the repository, also of a worktree whose .git is a file', () => {
    mkdirSync(join(code(), '.git'));
    expect(projectTree(join(code(), 'deep'), home())).toBe(code());
    writeFileSync(join(code(), 'deep', '.git'), 'gitdir: elsewhere\n');
    expect(projectTree(join(code(), 'deep'), home())).toBe(join(code(), 'deep'));
  });

  it('is the directory itself without a repository, behind links', () => {
    symlinkSync(join(code(), 'deep'), join(root, 'link'));
    expect(projectTree(join(root, 'link'), home())).toBe(join(code(), 'deep'));
  });

  it('is never the home directory nor what holds it, not even as a repository', () => {
    mkdirSync(join(home(), '.git'));
    expect(projectTree(home(), home())).toBeUndefined();
    expect(projectTree(root, home())).toBeUndefined();
    expect(projectTree('/', home())).toBeUndefined();
    expect(projectTree(code(), home())).toBe(code());
  });

  it('is none that holds this program or its settings, nor one inside them', () => {
    mkdirSync(join(code(), '.git'));
    mkdirSync(join(root, 'kept', 'session'), { recursive: true });
    const program = join(code(), 'node_modules', 'aish-tui', 'dist');
    mkdirSync(program, { recursive: true });
    expect(projectTree(join(code(), 'deep'), home(), [program])).toBeUndefined();
    symlinkSync(program, join(root, 'link'));
    expect(projectTree(code(), home(), [join(root, 'link')])).toBeUndefined();
    expect(projectTree(code(), home(), [join(code(), 'not-made-yet')])).toBeUndefined();
    expect(projectTree(join(root, 'kept', 'session'), home(), [join(root, 'kept')])).toBeUndefined();
    expect(projectTree(code(), home(), [join(root, 'kept')])).toBe(code());
  });

  it('is none where the directory is gone', () => {
    expect(projectTree(join(root, 'gone'), home())).toBeUndefined();
  });
});
