import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KnownTrees } from '../../src/app/known-trees.ts';

const LONG_AGO = 1;
const never = () => false;

describe('whether a project is new', () => {
  let root: string;
  let file: string;
  const make = (name: string): string => {
    mkdirSync(join(root, name), { recursive: true });
    return join(root, name);
  };

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-trees-')));
    file = join(root, 'trees.jsonl');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is false for the directory in which the session started and everything that was already in it', () => {
    const here = make('work/src');
    const trees = new KnownTrees(file, join(root, 'work'), Date.now() + 1000);
    expect([trees.isNew(join(root, 'work'), never), trees.isNew(here, never)]).toEqual([false, false]);
  });

  it('is true for a directory that appears during the session, and everything below it', () => {
    const trees = new KnownTrees(file, make('work'), LONG_AGO);
    const deep = make('work/cloned/src');
    expect([trees.isNew(deep, never), trees.isNew(join(root, 'work'), never)]).toEqual([true, false]);
  });

  it('is false for a directory that the model made', () => {
    const trees = new KnownTrees(file, make('work'), LONG_AGO);
    const own = make('work/own');
    expect(trees.isNew(own, (path) => path === own)).toBe(false);
  });

  it('is false in the next session for a directory in which the user ran a command', () => {
    const trees = new KnownTrees(file, make('work'), LONG_AGO);
    const cloned = make('work/cloned');
    trees.note(cloned);
    expect(trees.isNew(cloned, never)).toBe(true);
    expect(new KnownTrees(file, join(root, 'work'), LONG_AGO).isNew(cloned, never)).toBe(false);
  });

  it('is still true for a repository of an earlier session in which nobody worked', () => {
    const work = make('work');
    writeFileSync(file, `${JSON.stringify({ at: LONG_AGO, directory: work })}\n`);
    const cloned = make('work/cloned');
    make('work/cloned/.git');
    expect(new KnownTrees(file, work, Date.now() + 1000).isNew(cloned, never)).toBe(true);
  });

  it('is answered from the intact lines of the record when others are damaged', () => {
    const work = make('work');
    writeFileSync(file, `{"at":1,"directory":"${work}"}\nno line\n{"at":"x"}\n`);
    expect(new KnownTrees(file, root, LONG_AGO).isNew(work, never)).toBe(false);
  });
});
