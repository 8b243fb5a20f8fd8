/** An undo without disk space leaves what it can't restore as it is, and restores it once there is room. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diskHere } from '../../../src/effects/undo/disk.ts';
import { ChangeStore } from '../../../src/effects/undo/index.ts';
import { probeStore } from '../../../src/effects/undo/launcher.ts';
import { lacks } from '../../support/lacks.ts';
import { sceneForEach } from './bench.ts';

const at = sceneForEach();
const { put, get, refused } = at;
const isRoot = process.getuid?.() === 0;
const there = (name: string) => join(at.scene.tree, name);
const OLD = 'old line\n'.repeat(20_000);

describe.skipIf(!isRoot || lacks('cc') || lacks('mount'))('a full disk other than the store’s', () => {
  beforeEach(() => {
    at.anew(false);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'none', at.scene.tree]).status).toBe(0);
    for (const name of ['a', 'b']) put(name, OLD);
  });
  afterEach(() => {
    spawnSync('umount', ['-l', at.scene.tree]);
  });

  it.each(['echo new > a; seq 5 > b', 'rm a; echo new > b'])(
    'leaves the result of `%s` complete and named, and a later undo restores it',
    async (script) => {
      const kept = await at.scene.keep(script);
      const before = at.scene.snapshot();
      spawnSync('/bin/sh', ['-c', 'head -c 1000000 /dev/zero > fill'], { cwd: at.scene.tree });
      const first = await at.scene.undo(kept.number);
      const left = refused(first);
      expect(left.length).toBeGreaterThan(0);
      for (const line of left) expect(line).toMatch(/^[ab]: No space left on device/);
      rmSync(join(at.scene.tree, 'fill'));
      for (const line of left)
        expect(at.scene.snapshot().get(there(line.charAt(0)))).toEqual(before.get(there(line.charAt(0))));
      const second = await at.scene.undo(kept.number);
      expect(refused(second)).toEqual([]);
      expect([get('a') === OLD, get('b') === OLD]).toEqual([true, true]);
    },
  );
});

describe.skipIf(!isRoot || lacks('cc') || lacks('mount'))('a store on a full disk', () => {
  afterEach(() => {
    spawnSync('umount', ['-l', at.scene.store]);
  });

  it('is reported as full, with a remedy', async () => {
    const { store } = at.scene;
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'none', store]).status).toBe(0);
    spawnSync('/bin/sh', ['-c', 'head -c 1000000 /dev/zero > fill'], { cwd: store });
    const why = await probeStore(at.tools.launcher, store, 1e9);
    const full = `nothing is kept: the disk with ${store} is full: make room on it, then do the same again`;
    expect(why).toEqual({ why: full, passes: true });
    const kept = new ChangeStore({
      disk: diskHere(at.tools.launcher, store),
      ...{ budgetBytes: 1e9, maxFileBytes: 1e8, days: 7, session: 's1' },
      ...{ run: () => undefined, now: () => 1, hide: (text: string) => text, warn: () => {} },
    });
    expect(await kept.unavailable()).toBe(full);
    rmSync(join(store, 'fill'));
    expect(await kept.unavailable()).toBeUndefined();
  });

  it('is reported as read-only, whether its directory exists or not', async () => {
    const { store } = at.scene;
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', store]).status).toBe(0);
    for (const directory of [store, join(store, 'state', 'undo')]) {
      const why = `nothing is kept: the disk with ${directory} is read-only`;
      expect(await probeStore(at.tools.launcher, directory, 1e9)).toEqual({ why, passes: true });
    }
  });
});

it('a store that a file blocks is reported as such', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'file-')), 'file');
  writeFileSync(file, '');
  const why = expect.stringMatching(/^nothing is kept: .*ENOTDIR/);
  expect(await probeStore('/none', join(file, 'undo'), 1e9)).toEqual({ why, passes: false });
});
