/** A scene for each test of a file, its most frequent calls, and random cases in scenes of their own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { buildTools, type Tools } from '../sandbox/tools.ts';
import { grow, type Script, trees, written } from './random.ts';
import { makeScene, type Scene } from './scene.ts';

const root = process.getuid?.() === 0;

/** Whether a test can also run as an ordinary account. */
export const canBeOrdinary = root && !lacks('setpriv');

/** The accounts under which a test runs, with words for its name. */
export const USERS = [
  ['who runs this', false] as const,
  ...(canBeOrdinary ? [['an ordinary user', true] as const] : []),
];

/** Builds the launcher and test programs for the tests of a file. */
export function builtTools(): () => Tools {
  let tools: Tools | undefined;
  beforeAll(async () => {
    if (!lacks('cc')) tools = await buildTools();
  });
  afterAll(() => tools?.dispose());
  return () => {
    if (!tools) throw new Error('there is no compiler');
    return tools;
  };
}

/** Makes a scene for each test of a file. */
export function sceneForEach(ordinary = false) {
  const tools = builtTools();
  let scene: Scene | undefined;
  const anew = (by = ordinary, elsewhere?: string) => {
    scene?.dispose();
    scene = makeScene(tools().launcher, by, elsewhere);
  };
  beforeEach(() => {
    if (!lacks('cc')) anew();
  });
  afterEach(() => scene?.dispose());
  const at = {
    get scene(): Scene {
      if (!scene) throw new Error('there is no compiler');
      return scene;
    },
    get tools(): Tools {
      return tools();
    },
    /** Replaces the scene by a fresh one. */
    anew,
    put: (name: string, text: string) => writeFileSync(join(at.scene.tree, name), text),
    get: (name: string) => readFileSync(join(at.scene.tree, name), 'utf8'),
    /** Returns what an undo refused, and why. */
    refused: ({ steps }: Pick<Awaited<ReturnType<Scene['undo']>>, 'steps'>) =>
      steps
        .filter(({ verb }) => verb === 'refused')
        .map(({ path, source }) => `${path.slice(at.scene.tree.length + 1)}: ${source}`),
  };
  return at;
}

/**
 * Runs random commands over random trees, each in a scene of its own.
 * @param check false: the case is inconclusive
 * @param maxUntold the largest share of inconclusive cases
 */
export async function inEveryCase(
  {
    cases,
    scripts,
    maxUntold,
    launcher,
    ordinary,
  }: {
    readonly cases: number;
    readonly scripts: fc.Arbitrary<Script>;
    readonly maxUntold: number;
    readonly launcher: string;
    readonly ordinary: boolean;
  },
  check: (scene: Scene, commands: string, before: ReadonlyMap<string, string>) => Promise<boolean>,
): Promise<void> {
  let untold = 0;
  await fc.assert(
    fc.asyncProperty(trees, scripts, async (tree, script) => {
      const scene = makeScene(launcher, ordinary);
      try {
        const commands = written(script, grow(scene.tree, tree));
        // The first kept command only changes the owner of the tree to its user.
        await scene.keep('true');
        if (!(await check(scene, commands, scene.snapshot()))) untold += 1;
      } finally {
        scene.dispose();
      }
    }),
    { numRuns: cases, endOnFailure: true },
  );
  expect(untold, 'cases of which nothing can be said').toBeLessThanOrEqual(cases * maxUntold);
}
