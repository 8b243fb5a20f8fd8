/** An undo that is killed within a step: what somebody writes to the file of that step stays, and is named. */
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { builtTools, USERS } from './bench.ts';
import { type Acted, builtCut } from './cut.ts';
import { makeScene, type Scene } from './scene.ts';

const tools = builtTools();
const undoCut = builtCut(tools);
const scenes: Scene[] = [];

afterEach(() => {
  for (const scene of scenes.splice(0)) scene.dispose();
});

/**
 * Times that were set and files that were written by one of two names: each needs several half steps to be restored.
 */
const SCRIPT = `touch -d 2002-02-02 a b; chmod 600 g; echo n > d/n; mv d/n d/c; echo m >> w/a; mv c d/cc; ln i i2; rm x/a w/l
touch -d 2002-02-02 j; echo q >> j`;
const LINKS = [
  ['a', 'd/c'],
  ['x/a', 'w/l'],
  ['x/a', 'd/l'],
] as const;
/** At once, or longer after an undo's last record than its calls take. */
const WAITS = [
  ['later', 2_500],
  ['at once', 0],
] as const;

async function acted(ordinary: boolean, again: boolean): Promise<Acted> {
  const scene = makeScene(tools().launcher, ordinary);
  scenes.push(scene);
  for (const name of ['d', 'w', 'x']) mkdirSync(join(scene.tree, name));
  for (const name of ['a', 'b', 'c', 'g', 'i', 'j', 'w/a', 'x/a']) writeFileSync(join(scene.tree, name), `${name}\n`);
  for (const [name, other] of LINKS) linkSync(join(scene.tree, name), join(scene.tree, other));
  const { number } = await scene.keep(SCRIPT);
  if (!again) return { ordinary, scene, number };
  return { ordinary, scene, number: (await scene.undo(number)).number };
}

/** Returns one name of each file below the tree. */
function filesOf({ tree }: Scene): readonly string[] {
  const seen = new Set<number>();
  return readdirSync(tree, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const { ino, mode } = lstatSync(join(tree, name));
    if ((mode & 0o170000) !== 0o100000 || seen.has(ino)) return false;
    seen.add(ino);
    return true;
  });
}

const inodeOf = ({ tree }: Scene, name: string) => lstatSync(join(tree, name)).ino;
const modeOf = ({ tree }: Scene, name: string) => lstatSync(join(tree, name)).mode & 0o777;

describe.skipIf(lacks('cc')).each(USERS)('an undo that is killed within a step, as %s', (_, ordinary) => {
  describe.each([
    ['an undo', false],
    ['the undo of an undo', true],
  ])('%s', (_what, again) => {
    it.each(WAITS)('leaves what is written to the file of that step %s', { timeout: 240_000 }, async (_when, wait) => {
      const cuts: (Acted & { readonly at: number; readonly into: string })[] = [];
      for (let at = 4; ; at += 14) {
        const all = await acted(ordinary, again);
        const into = undoCut(all, at);
        if (into === undefined) break;
        cuts.push({ ...all, at, into });
      }
      expect(cuts.length).toBeGreaterThan(4);
      await sleep(wait);
      const lost: string[] = [];
      for (const { scene, number, at, into } of cuts) {
        const tree = scene.tree;
        const written = filesOf(scene);
        for (const name of written) appendFileSync(join(tree, name), `mine ${name}.`);
        const went = await scene.launcher('--undo', join(scene.store, String(number)), '--into', into);
        const everything = filesOf(scene).map((name) => readFileSync(join(tree, name), 'utf8'));
        for (const name of written)
          if (!everything.some((text) => text.includes(`mine ${name}.`))) lost.push(`${at}: ${name}`);
        expect(went.code).toBeLessThan(2);
      }
      expect(lost).toEqual([]);
    });
  });

  it('leaves a mode that was set on the file since', { timeout: 120_000 }, async () => {
    let cuts = 0;
    for (let at = 4; ; at += 14) {
      const { scene, number } = await acted(ordinary, false);
      const into = undoCut({ scene, number, ordinary }, at);
      if (into === undefined) break;
      cuts += 1;
      const modes = () => new Map(filesOf(scene).map((name) => [inodeOf(scene, name), modeOf(scene, name)]));
      for (const name of filesOf(scene)) chmodSync(join(scene.tree, name), 0o611);
      const set = modes();
      await scene.launcher('--undo', join(scene.store, String(number)), '--into', into);
      const now = modes();
      expect([at, ...[...set.keys()].map((inode) => now.get(inode))]).toEqual([at, ...set.values()]);
      scene.dispose();
    }
    expect(cuts).toBeGreaterThan(4);
  });
});
