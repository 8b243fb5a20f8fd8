/** A file that the action changed, and that somebody moved, replaced or removed since: named, left alone, and still to be had. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { sceneForEach, USERS } from './bench.ts';

const at = sceneForEach();
const { put, get, refused } = at;

describe.skipIf(lacks('cc')).each(USERS)('what is not where the action changed it, as %s', (_, ordinary) => {
  beforeEach(() => at.anew(ordinary));
  const there = (name: string) => join(at.scene.tree, name);
  const replaced = (name: string, make: () => void) => {
    renameSync(there(name), there(`${name}0`));
    rmSync(there('x0'), { force: true });
    make();
  };

  it.each<readonly [string, string, () => void]>([
    ['x', 'echo new > x', () => rmSync(there('x'))],
    ['x', 'echo new > x; chmod 700 x', () => replaced('x', () => symlinkSync('elsewhere', there('x')))],
    ['x', 'echo new > x', () => replaced('x', () => put('x', 'mine\n'))],
    ['d/x', 'echo new > d/x', () => replaced('d', () => symlinkSync('d0', there('d')))],
  ])('%s after `%s`', async (name, script, change) => {
    mkdirSync(there('d'));
    for (const each of ['x', 'y', 'd/x', 'elsewhere']) put(each, 'old\n');
    const kept = await at.scene.keep(`${script}; echo new > y; echo new > opened; rm opened; chmod 600 elsewhere`);
    change();
    const before = readdirSync(at.scene.tree);
    const planned = refused(await at.scene.plan(kept.number));
    expect(planned).toEqual([expect.stringMatching(`^${name}: not there any more; its old content is kept in /`)]);
    const undone = await at.scene.undo(kept.number);
    expect(undone.code).toBe(1);
    expect(refused(undone)).toEqual(planned);
    expect(get('y')).toBe('old\n');
    expect(readdirSync(at.scene.tree)).toEqual(before);
    const copy = /kept in (.*)$/.exec(planned[0] ?? '')?.[1] ?? '';
    expect(readFileSync(copy, 'utf8')).toBe('old\n');
    // It can be asked for again.
    expect(refused(await at.scene.undo(kept.number))).toEqual(planned);
  });

  it('a mode as well', async () => {
    for (const each of ['x', 'y']) put(each, 'old\n');
    const kept = await at.scene.keep('chmod 700 x; chmod 700 y');
    rmSync(there('x'));
    expect(refused(await at.scene.undo(kept.number))).toEqual(['x: not there any more']);
  });
});
