/**
 * A file with several names that the action wrote to, one of which somebody moved later: undo restores it through the
 * other names, or names it.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { sceneForEach, USERS } from './bench.ts';

const at = sceneForEach();
const { put, get, refused } = at;
const there = (name: string) => join(at.scene.tree, name);
/** Removes the part of each line that tells where the old content is kept. */
const names = (lines: readonly string[]) => lines.map((line) => line.replace(/:.*/, '')).toSorted();
const move = (from: string, to: string) => () => renameSync(there(from), there(to));

describe.skipIf(lacks('cc')).each(USERS)('a file with several names (hard links), as %s', (_, ordinary) => {
  beforeEach(() => {
    at.anew(ordinary);
    mkdirSync(there('d'));
    put('x', 'old\n');
    put('b', 'b\n');
    linkSync(there('x'), there('l'));
    linkSync(there('x'), there('d/k'));
  });

  it.each<readonly [string, string, () => void, readonly string[], readonly string[]]>([
    ['chmod 600 b; echo n > x', 'over another', move('x', 'b'), ['b', 'l', 'd/k'], ['b']],
    ['echo k > b; echo n > x', 'over one that was written to', move('x', 'b'), ['b', 'l', 'd/k'], ['b']],
    ['echo n > x; ln x q', 'over what was there', move('x', 'b'), ['b', 'l', 'd/k'], []],
    ['echo n > x; mv b c', 'over what was moved', move('l', 'c'), ['x', 'c', 'd/k'], ['b', 'c']],
    ['echo n > x', 'beside it', move('x', 'y'), ['y', 'l', 'd/k'], []],
  ])('is restored by its other names after `%s` and a move of one %s', async (script, _what, change, back, told) => {
    const kept = await at.scene.keep(script);
    change();
    const planned = refused(await at.scene.plan(kept.number));
    expect(names(planned)).toEqual(told);
    const undone = await at.scene.undo(kept.number);
    expect(refused(undone)).toEqual(planned);
    expect(back.map(get)).toEqual(back.map(() => 'old\n'));
    // Undoes the undo, which brings back the result of the action.
    await at.scene.undo(undone.number);
    expect(back.map(get)).toEqual(back.map(() => 'n\n'));
  });

  it('is restored also when the directory of one of its names has moved', async () => {
    mkdirSync(there('w'));
    mkdirSync(there('e'));
    for (const name of ['e/a', 'w/l']) linkSync(there('x'), there(name));
    for (const name of ['x', 'l', 'd/k']) if (name !== 'd/k') rmSync(there(name));
    const kept = await at.scene.keep('mv e/a y; rm w/l; echo n >> y');
    move('w', 'w2')();
    const undone = await at.scene.undo(kept.number);
    expect(refused(undone)).toEqual(['w/l: its directory is not there']);
    expect(['e/a', 'd/k'].map(get)).toEqual(['old\n', 'old\n']);
    expect(() => get('y')).toThrow('ENOENT');
  });

  it('is restored under all its current names, when an earlier one was taken', async () => {
    const kept = await at.scene.keep('mv x y; echo n > y');
    put('x', 'mine\n');
    const undone = await at.scene.undo(kept.number);
    expect(names(refused(undone))).toEqual(['x', 'y']);
    expect(['x', 'y', 'l', 'd/k'].map(get)).toEqual(['mine\n', 'old\n', 'old\n', 'old\n']);
  });

  it('stays where it was moved with later changes, and each name is listed with the place of its old content', async () => {
    for (const name of ['p', 'q']) put(name, `${name}\n`);
    const kept = await at.scene.keep('mv x t; mv p x; mv q p; mv t q; echo n > q');
    put('p', 'mine\n');
    const planned = refused(await at.scene.plan(kept.number));
    expect(names(planned)).toEqual(['d/k', 'l', 'p', 'q', 'x']);
    for (const line of planned.filter((told) => /^(?:d\/k|l|x):/.test(told))) {
      const copy = /old content is kept in (.*)$/.exec(line)?.[1] ?? '';
      expect(readFileSync(copy, 'utf8')).toBe('old\n');
    }
    expect(refused(await at.scene.undo(kept.number)).toSorted()).toEqual(planned.toSorted());
    expect(['p', 'q', 'l', 'd/k'].map(get)).toEqual(['mine\n', 'n\n', 'n\n', 'n\n']);
  });
});
