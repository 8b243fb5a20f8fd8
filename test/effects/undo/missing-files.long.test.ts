/**
 * A file that the action changed and somebody later moved, replaced or removed: it is named and left alone, and its old
 * content stays available.
 */
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runLauncher } from '../../../src/effects/undo/launcher.ts';
import { lacks } from '../../support/lacks.ts';
import { sceneForEach, USERS } from './bench.ts';

const at = sceneForEach();
const { put, get, refused } = at;

describe.skipIf(lacks('cc')).each(USERS)('an undo of a missing file, as %s', (_, ordinary) => {
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
  ])('names %s after `%s` and a later change', async (name, script, change) => {
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
    // The undo can be requested again.
    expect(refused(await at.scene.undo(kept.number))).toEqual(planned);
  });

  it('restores the file by another of its names when the one that the action used is gone, moved or taken', async () => {
    const ways = [
      () => rmSync(there('l')),
      () => renameSync(there('l'), there('l2')),
      () => replaced('l', () => put('l', 'mine\n')),
    ];
    for (const change of ways) {
      at.anew(ordinary);
      put('a', 'old\n');
      linkSync(there('a'), there('l'));
      const kept = await at.scene.keep('echo new >> l; chmod 600 l');
      change();
      expect((await at.scene.plan(kept.number)).steps.map(({ path }) => path)).toEqual([there('a')]);
      expect(refused(await at.scene.undo(kept.number))).toEqual([]);
      expect([get('a'), statSync(there('a')).mode & 0o777]).toEqual(['old\n', 0o644]);
      if (change === ways[2]) expect(get('l')).toBe('mine\n');
    }
  });

  it('keeps text that the user wrote through another name of the file, and uses that name', async () => {
    put('a', 'old\n');
    linkSync(there('a'), there('l'));
    const kept = await at.scene.keep('echo new >> l');
    rmSync(there('l'));
    put('a', 'mine, and longer\n');
    expect(refused(await at.scene.undo(kept.number))).toEqual(['a: changed since']);
    expect(get('a')).toBe('mine, and longer\n');
  });

  it('names the place of a replaced file’s old content when its own path is taken', async () => {
    put('c', 'c\n');
    put('g', 'g\n');
    const kept = await at.scene.keep('mv c g');
    renameSync(there('g'), there('h'));
    const planned = refused(await at.scene.plan(kept.number)).toSorted();
    expect(planned[0]).toBe('c: there is no copy of it');
    expect(planned[1]).toMatch(/^g: changed since; its old content is kept in \//);
    expect(refused(await at.scene.undo(kept.number)).toSorted()).toEqual(planned);
    expect(readFileSync(/kept in (.*)$/.exec(planned[1] ?? '')?.[1] ?? '', 'utf8')).toBe('g\n');
    expect(get('h')).toBe('c\n');
  });

  it('names a file whose mode the action changed as well', async () => {
    for (const each of ['x', 'y']) put(each, 'old\n');
    const kept = await at.scene.keep('chmod 700 x; chmod 700 y');
    rmSync(there('x'));
    expect(refused(await at.scene.undo(kept.number))).toEqual(['x: not there any more']);
  });

  it('leaves the user’s new files and the restored files alone when undo is repeated', async () => {
    mkdirSync(there('d'));
    for (const each of ['x', 'd/x', 'd/y']) put(each, 'old\n');
    const kept = await at.scene.keep('echo new > x; echo new > d/x; echo new > d/y; chmod 700 d/y');
    put('x', 'mine\n');
    chmodSync(there('d/y'), 0o640);
    expect(refused(await at.scene.undo(kept.number))).toEqual(['x: changed since', 'd/y: changed since']);
    const before = [...at.scene.snapshot()];
    for (const again of [await at.scene.plan(kept.number), await at.scene.undo(kept.number)]) {
      expect(refused(again)).toEqual(['x: changed since', 'd/y: changed since']);
      expect(again.steps.filter(({ verb }) => verb !== 'refused')).toEqual([]);
    }
    expect([...at.scene.snapshot()]).toEqual(before);
    expect(get('x')).toBe('mine\n');
  });

  it('recognises more missing files than a command line can hold', async () => {
    const script = join(at.scene.root, 'script');
    writeFileSync(script, '#!/bin/sh\nprintf "%s\\0%s\\0%s\\0" "$3" "$4" "$(tr "\\0" "\\n" | wc -l)"\n', {
      mode: 0o755,
    });
    const paths = Array.from({ length: 30_000 }, (_, i) => `/${'x'.repeat(100)}/${i}`);
    const asked = ['--undo', '1', '--only', 'into', ...paths];
    expect(await runLauncher(script, asked)).toMatchObject({
      code: 0,
      steps: [{ verb: '--only', path: '-', source: '30001' }],
    });
    const tooMany = await runLauncher(script, ['--note', ...paths]);
    expect(tooMany).toMatchObject({ code: 126, steps: [], error: expect.stringContaining('E2BIG') });
  });

  it('names the file by its path when a directory above it was made inaccessible', async () => {
    mkdirSync(there('d'));
    put('d/x', 'old\n');
    const kept = await at.scene.keep('mkdir s; echo a > s/made; echo b >> d/x; chmod 0 s d; mv s t');
    const told = await at.scene.launcher('--undo', join(at.scene.store, String(kept.number)), '--names');
    chmodSync(there('t'), 0o700);
    chmodSync(there('d'), 0o700);
    expect(told.steps.map(({ path }) => path.slice(at.scene.tree.length + 1)).sort()).toEqual(['d/x', 't', 't/made']);
  });
});
