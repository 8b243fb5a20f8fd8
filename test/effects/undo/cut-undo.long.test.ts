/**
 * An undo that is killed before any of its system calls and then continues. It is exact, and changes by somebody else
 * between the two stay.
 */
import {
  appendFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { builtTools, USERS } from './bench.ts';
import { builtCut } from './cut.ts';
import { makeScene, type Scene } from './scene.ts';

/** A time in ms after an undo’s last record in which its remaining calls have ended. */
const LATER_MS = 2_500;
const tools = builtTools();
const undoCut = builtCut(tools);
const scenes: Scene[] = [];

afterEach(() => {
  for (const scene of scenes.splice(0)) scene.dispose();
});

/**
 * A script that writes and closes files, then moves, removes or replaces them: each needs several steps to be restored.
 */
const SCRIPT = `for f in 1 2; do echo n >> d/f$f; chmod 600 d/f$f; done; echo n > m; mv m o; : > t; rm t; echo n >> p; mv q p
rm -r d; echo n >> l; mv e/g h; echo new > k; ln k k2; rm r; echo n > w; chmod 600 s; mkdir i; mv e i/e; touch -d 2001-01-01 u`;

async function acted(ordinary: boolean): Promise<{
  readonly ordinary: boolean;
  readonly scene: Scene;
  readonly number: number;
  readonly before: unknown;
  readonly after: unknown;
}> {
  const scene = makeScene(tools().launcher, ordinary);
  scenes.push(scene);
  for (const name of ['d', 'e']) mkdirSync(join(scene.tree, name));
  const files = ['d/f1', 'd/f2', 'd/f3', 'e/g', 'e/x', 'm', 't', 'p', 'q', 'a', 'r', 'w', 's', 'u'];
  for (const name of files) writeFileSync(join(scene.tree, name), `${name}\n`);
  linkSync(join(scene.tree, 'a'), join(scene.tree, 'l'));
  linkSync(join(scene.tree, 'd/f2'), join(scene.tree, 'd/f4'));
  await scene.keep('true');
  const before = [...scene.snapshot()];
  const { number } = await scene.keep(SCRIPT);
  return { ordinary, scene, number, before, after: [...scene.snapshot(true)] };
}

const resume = ({ scene, number }: Awaited<ReturnType<typeof acted>>, into: string) =>
  scene.launcher('--undo', join(scene.store, String(number)), '--into', into);
const told = (steps: readonly { readonly verb: string; readonly path: string; readonly source: string }[]) =>
  steps.filter(({ verb }) => verb === 'refused').map(({ path, source }) => `${path}: ${source}`);

/** Returns all files below the tree. */
const filesOf = ({ tree }: Scene) =>
  readdirSync(tree, { recursive: true, encoding: 'utf8' })
    .map((name) => join(tree, name))
    .filter((path) => lstatSync(path).isFile());

describe.skipIf(lacks('cc')).each(USERS)('an undo that is killed, as %s', (_, ordinary) => {
  it('at any system call continues to exactly the earlier state, and can be undone', { timeout: 120_000 }, async () => {
    let cuts = 0;
    for (let at = 3; ; at += 7) {
      const all = await acted(ordinary);
      const into = undoCut(all, at);
      if (into === undefined) break;
      cuts += 1;
      const went = await resume(all, into);
      expect([at, ...told(went.steps)]).toEqual([at]);
      expect([at, [...all.scene.snapshot()]]).toEqual([at, all.before]);
      const { directory } = all.scene.next();
      const again = await all.scene.launcher('--undo', into, '--into', directory);
      expect([at, ...told(again.steps)]).toEqual([at]);
      expect([at, [...all.scene.snapshot(true)]]).toEqual([at, all.after]);
      all.scene.dispose();
    }
    expect(cuts).toBeGreaterThan(15);
  });

  it('leaves text that the user wrote meanwhile, and so does the undo of that undo', {
    timeout: 120_000,
  }, async () => {
    const cuts: (Awaited<ReturnType<typeof acted>> & { readonly at: number; readonly into: string })[] = [];
    for (let at = 20; ; at += 17) {
      const all = await acted(ordinary);
      const into = undoCut(all, at);
      if (into === undefined) break;
      cuts.push({ ...all, at, into });
    }
    expect(cuts.length).toBeGreaterThan(6);
    await sleep(LATER_MS);
    for (const all of cuts) {
      const { scene, at, into } = all;
      const written: string[] = [];
      const seen = new Set<number>();
      for (const [i, path] of filesOf(scene).entries()) {
        const { ino } = lstatSync(path);
        if (seen.has(ino)) continue;
        seen.add(ino);
        const mine = `mine ${i}.`;
        if (i % 3 === 0) rmSync(path);
        if (i % 3 === 1) appendFileSync(path, mine);
        else writeFileSync(path, mine);
        written.push(mine);
      }
      const everything = () =>
        filesOf(scene)
          .map((path) => readFileSync(path, 'utf8'))
          .join('\n');
      const lost = () => written.filter((mine) => !everything().includes(mine));
      await resume(all, into);
      expect([at, ...lost()]).toEqual([at]);
      const { directory } = scene.next();
      const again = await scene.launcher('--undo', into, '--into', directory);
      expect([at, ...lost()]).toEqual([at]);
      expect(told(again.steps)).not.toEqual([]);
    }
  });
});
