/** SIGKILL at any moment of a kept command, its undo, or a trial's apply: everything done so far can be restored. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { buildTools, type Tools } from '../sandbox/tools.ts';
import { makeScene, type Scene, type Undone } from './scene.ts';
import { trialsWork } from './trial-support.ts';

const CASES = Number(process.env.AISH_EFFECTS_CASES ?? 20) / 2;

let tools: Tools;
beforeAll(async () => {
  if (!lacks('cc')) tools = await buildTools();
});
afterAll(() => tools?.dispose());

const SCRIPT = `for i in 1 2 3 4; do echo more >> a$i/1; mv a$i b$i; rm -rf c$i; echo new > n$i; chmod 600 b$i/2; ln b$i/2 l$i; done`;

function fill({ tree }: Scene): void {
  for (const i of [1, 2, 3, 4]) {
    for (const name of ['a', 'c']) {
      mkdirSync(join(tree, `${name}${i}`));
      for (const file of ['1', '2', '3'])
        writeFileSync(join(tree, `${name}${i}`, file), `${name}${i}/${file}\n`.repeat(50));
    }
  }
}

/** Kills the process after a time that grows with each case: from before its first step to after its last. */
function killAfter(pid: number, milliseconds: number): void {
  setTimeout(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process had already ended.
    }
  }, milliseconds);
}

const NOT_ENDED = 75;

/** The supervisor outlives the launcher while it ends the command and its journal. */
async function finish(scene: Scene, number: number): Promise<Undone> {
  for (;;) {
    const finished = await scene.launcher('--undo', join(scene.store, String(number)), '--finish');
    if (finished.code !== NOT_ENDED) return finished;
  }
}

describe.skipIf(lacks('cc'))('a SIGKILL', () => {
  it(
    'of a command whose changes are kept leaves a complete journal and an exact undo',
    async () => {
      for (let i = 0; i < CASES; i += 1) {
        const scene = makeScene(tools.launcher);
        try {
          fill(scene);
          const before = scene.snapshot();
          const kept = await scene.keep(SCRIPT, { started: (pid) => killAfter(pid, 2 + (i * 60) / CASES) });
          const finished = await finish(scene, kept.number);
          // The process was killed before it had a journal, and so before the command ran.
          if (finished.code === 126) continue;
          expect(finished).toMatchObject({ code: 0, error: '' });
          expect(await scene.undo(kept.number)).toMatchObject({ code: 0, error: '' });
          expect([...scene.snapshot()]).toEqual([...before]);
        } finally {
          scene.dispose();
        }
      }
    },
    30_000 + CASES * 5_000,
  );

  it.skipIf(!trialsWork())(
    'of an apply leaves every path old or new, and the apply can be undone',
    async () => {
      for (let i = 0; i < CASES; i += 1) {
        const scene = makeScene(tools.launcher);
        try {
          fill(scene);
          const before = scene.snapshot();
          const contents = new Set([...before.values()].map((line) => line.split(' ').at(-1)));
          const { number, listed } = await scene.try(SCRIPT.replaceAll('ln b$i/2 l$i', 'cp -p b$i/2 l$i'));
          expect(listed).toMatchObject({ changes: expect.anything() });
          for (const text of ['new\n', ...[1, 2, 3, 4].map((j) => `${`a${j}/1\n`.repeat(50)}more\n`)])
            contents.add(Buffer.from(text).toString('base64'));
          const store = join(scene.store, String(number));
          const child = spawn(tools.launcher, ['--apply', store, '--tree', scene.tree], { stdio: 'ignore' });
          killAfter(child.pid ?? 0, (i * 10) / CASES);
          await new Promise((resolve) => child.on('close', resolve));
          for (const line of scene.snapshot().values()) expect(contents).toContain(line.split(' ').at(-1));
          expect((await scene.undo(number)).steps.filter(({ verb }) => verb === 'refused')).toEqual([]);
          expect([...scene.snapshot()]).toEqual([...before]);
        } finally {
          scene.dispose();
        }
      }
    },
    30_000 + CASES * 5_000,
  );

  it(
    'of an undo leaves every path old or new, and the undo continues where it was',
    async () => {
      for (let i = 0; i < CASES; i += 1) {
        const scene = makeScene(tools.launcher);
        try {
          fill(scene);
          const before = scene.snapshot();
          const contents = new Set([...before.values()].map((line) => line.split(' ').at(-1)));
          const kept = await scene.keep(SCRIPT);
          for (const line of scene.snapshot().values()) contents.add(line.split(' ').at(-1));
          const { directory } = scene.next();
          const child = spawn(tools.launcher, ['--undo', join(scene.store, String(kept.number)), '--into', directory], {
            stdio: 'ignore',
          });
          killAfter(child.pid ?? 0, (i * 12) / CASES);
          await new Promise((resolve) => child.on('close', resolve));
          for (const line of scene.snapshot().values()) expect(contents).toContain(line.split(' ').at(-1));
          const again = await scene.launcher('--undo', join(scene.store, String(kept.number)), '--into', directory);
          expect(again.steps.filter(({ verb }) => verb === 'refused')).toEqual([]);
          expect([...scene.snapshot()]).toEqual([...before]);
        } finally {
          scene.dispose();
        }
      }
    },
    30_000 + CASES * 5_000,
  );
});
