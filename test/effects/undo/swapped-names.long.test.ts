/** Names that the action swapped, one of which somebody changed later: they all stay, and are reported. */
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { sceneForEach, USERS } from './bench.ts';

const at = sceneForEach();
const { put, refused } = at;
const there = (name: string) => join(at.scene.tree, name);

function texts(): Record<string, string> {
  return Object.fromEntries(readdirSync(at.scene.tree).map((name) => [name, readFileSync(there(name), 'utf8')]));
}

const SCRIPTS = ['mv x t; mv y x; mv t y', 'mv x y', 'mv x t; mv y x; mv z y; mv t z'];
const CHANGES: readonly (readonly [string, () => void])[] = [
  ['writes to x', () => writeFileSync(there('x'), 'mine\n', { flag: 'a' })],
  ['writes to y', () => writeFileSync(there('y'), 'mine\n', { flag: 'a' })],
  ['changes the mode of what is now y or was there', () => chmodSync(there('y'), 0o600)],
  [
    'puts another file in its place',
    () => {
      put('fresh', 'mine\n');
      renameSync(there('fresh'), there('y'));
    },
  ],
];

describe.skipIf(lacks('cc')).each(USERS)('swapped names, as %s', (_, ordinary) => {
  beforeEach(() => {
    at.anew(ordinary);
    for (const each of ['x', 'y', 'z', 'w']) put(each, `${each}\n`);
  });

  describe.each(SCRIPTS)('after `%s`', (script) => {
    it.each(CHANGES)('all stay and are reported when the user %s', async (_what, change) => {
      const kept = await at.scene.keep(`${script}; echo new > w`);
      change();
      const before = texts();
      const planned = refused(await at.scene.plan(kept.number));
      const undone = await at.scene.undo(kept.number);
      // Whatever stays is unchanged, and the rest is restored.
      expect(texts()).toEqual({ ...before, w: 'w\n' });
      expect(refused(undone)).toEqual(planned);
    });
  });

  it('are listed with the changed file and the files that stay with it', async () => {
    const kept = await at.scene.keep('mv x t; mv y x; mv t y');
    writeFileSync(there('y'), 'mine\n', { flag: 'a' });
    const reasons = refused(await at.scene.undo(kept.number));
    expect(reasons.toSorted()).toEqual(['x: moved with what was changed since', 'y: changed since']);
  });

  it.skipIf(!ordinary)(
    'leave the file in the directory that replaced it where the system can’t exchange two names',
    async () => {
      mkdirSync(there('p'));
      put('p/x', 'p/x\n');
      const kept = await at.scene.keep('mkdir p/t; mv p/x p/t/f; mv p/t p/x');
      chownSync(there('p'), 0, 0);
      expect(refused(await at.scene.undo(kept.number))).toContain('p/x: Permission denied');
      expect(readFileSync(there('p/x/f'), 'utf8')).toBe('p/x\n');
    },
  );

  it('do not affect a file that was moved away and back', async () => {
    const kept = await at.scene.keep('mv x n; mv y m');
    writeFileSync(there('m'), 'mine\n', { flag: 'a' });
    await at.scene.undo(kept.number);
    expect(texts()).toEqual({ x: 'x\n', m: 'y\nmine\n', z: 'z\n', w: 'w\n' });
  });
});
