/**
 * A directory that the action changed, and whose owner, group, mode or attribute somebody changed later: the later
 * change stays and is reported.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { canBeOrdinary, sceneForEach, USERS } from './bench.ts';

const at = sceneForEach();
const { put, refused } = at;
const there = (name: string) => join(at.scene.tree, name);
const python = (path: string, ...lines: readonly string[]) =>
  execFileSync('python3', ['-c', `import os,sys; d=sys.argv[1]; ${lines.join('; ')}`, path]).toString();
const setAttribute = (name: string, value: string) => python(there('d'), `os.setxattr(d, "user.${name}", b"${value}")`);
const attributes = () => python(there('d'), 'print({k: os.getxattr(d, k) for k in sorted(os.listxattr(d))})').trim();
const AGO = new Date('2001-01-01T00:00:00Z');
const script = (line: string) => `python3 -c 'import os; ${line}'`;

/** The action’s change of the directory d, and the user’s later change. */
const CASES: readonly (readonly [string, string, () => void])[] = [
  ['chmod 711 d', 'sets its owner', () => chownSync(there('d'), 7001, -1)],
  ['chmod 711 d', 'sets its group', () => chownSync(there('d'), -1, 7001)],
  ['chmod 711 d', 'sets an attribute', () => setAttribute('mine', '1')],
  ['chown 5 d', 'sets an attribute', () => setAttribute('o', 'mine')],
  ['chown 5 d', 'sets its owner', () => chownSync(there('d'), 7001, -1)],
  ['chown 5 d', 'sets its mode', () => chmodSync(there('d'), 0o700)],
  [script('os.setxattr("d", "user.p", b"2")'), 'sets its owner', () => chownSync(there('d'), 7001, -1)],
  [script('os.setxattr("d", "user.p", b"2")'), 'sets it again', () => setAttribute('p', 'mine')],
];

describe.skipIf(lacks('cc') || !canBeOrdinary || lacks('python3'))(
  'an undo of an action that changed a directory',
  () => {
    beforeEach(() => {
      mkdirSync(there('d'));
      setAttribute('o', '1');
      put('d/m', 'm\n');
      utimesSync(there('d'), AGO, AGO);
    });
    const state = () => {
      const { mode, uid, gid } = statSync(there('d'));
      return [mode, uid, gid, attributes()];
    };

    it.each(CASES)('names the directory after %s and then the user %s', async (action, _what, change) => {
      const kept = await at.scene.keep(action);
      change();
      const mine = state();
      expect(refused(await at.scene.plan(kept.number))).toEqual(['d: changed since']);
      expect(refused(await at.scene.undo(kept.number))).toEqual(['d: changed since']);
      expect(state()).toEqual(mine);
    });

    it('restores its time and keeps its owner when only names in it changed, also in redo', async () => {
      let { number } = await at.scene.keep('echo k > d/k; rm d/m');
      const after = at.scene.snapshot(true);
      chownSync(there('d'), 7001, 7001);
      chmodSync(there('d'), 0o731);
      setAttribute('mine', '1');
      const mine = state();
      for (const names of ['back', 'forth', 'back']) {
        const undone = await at.scene.undo(number);
        expect([names, ...refused(undone)]).toEqual([names]);
        expect(state()).toEqual(mine);
        if (names === 'back') expect(statSync(there('d')).mtime).toEqual(AGO);
        else expect(at.scene.snapshot(true).get(there('d/k'))).toEqual(after.get(there('d/k')));
        number = undone.number;
      }
    });

    it('leaves the user’s later changes to it when that undo is undone', async () => {
      const kept = await at.scene.keep('chmod 711 d; echo k > d/k');
      const { number } = await at.scene.undo(kept.number);
      chownSync(there('d'), 7001, -1);
      const mine = state();
      expect(refused(await at.scene.undo(number))).toEqual(['d: changed since']);
      expect(state()).toEqual(mine);
    });
  },
);

describe.skipIf(lacks('cc')).each(USERS)(
  'an undo of an action that only wrote to a directory, as %s',
  (_, ordinary) => {
    beforeEach(() => at.anew(ordinary));

    it('keeps the mode that was set since', async () => {
      mkdirSync(there('d'));
      const kept = await at.scene.keep('echo k > d/k');
      chmodSync(there('d'), 0o555);
      expect(refused(await at.scene.undo(kept.number))).toEqual([]);
      expect(statSync(there('d')).mode & 0o777).toBe(0o555);
      expect(() => statSync(there('d/k'))).toThrow('ENOENT');
      writeFileSync(there('other'), '');
    });
  },
);
