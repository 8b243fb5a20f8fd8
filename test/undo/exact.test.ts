/**
 * Whatever a command did, undo brings back content, names, links, modes and times exactly, and undo of the undo what the
 * command had left. 20 random cases here, 200 with `npm run check -- effects`.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTools, type Tools } from '../sandbox/tools.ts';
import { lacks } from '../support/lacks.ts';
import { grow, scripts, trees, written } from './random.ts';
import { makeScene } from './scene.ts';

const CASES = Number(process.env.AISH_EFFECTS_CASES ?? 20) / 2;
const root = process.getuid?.() === 0;

let tools: Tools;
beforeAll(async () => {
  if (!lacks('cc')) tools = await buildTools();
});
afterAll(() => tools?.dispose());

describe.skipIf(lacks('cc'))('undo is exact', () => {
  const exact = async (ordinary: boolean) => {
    let escaped = 0;
    await fc.assert(
      fc.asyncProperty(trees, scripts, async (tree, script) => {
        const scene = makeScene(tools.launcher, ordinary);
        try {
          const commands = written(script, grow(scene.tree, tree));
          // The first kept command only hands the tree over to its user.
          await scene.keep('true');
          const before = scene.snapshot();
          const kept = await scene.keep(commands);
          const after = scene.snapshot(true);
          // A command that races its own paths may get past the store; what it may not is get past it unsaid.
          if (kept.notes.length > 0) {
            expect(
              kept.notes.every((note) => note.startsWith('unkept ')),
              commands,
            ).toBe(true);
            escaped += 1;
            return;
          }
          const undone = await scene.undo(kept.number);
          expect(undone.steps.filter(({ verb }) => verb === 'refused')).toEqual([]);
          expect([...scene.snapshot()], commands).toEqual([...before]);
          const again = await scene.undo(undone.number);
          expect(again.steps.filter(({ verb }) => verb === 'refused')).toEqual([]);
          expect([...scene.snapshot(true)], commands).toEqual([...after]);
        } finally {
          scene.dispose();
        }
      }),
      { numRuns: CASES, endOnFailure: CASES > 20 },
    );
    expect(escaped, 'cases said to be incomplete').toBeLessThanOrEqual(CASES / 20);
  };

  it('for who runs this', () => exact(false), 30_000 + CASES * 20_000);

  it.skipIf(!root || lacks('setpriv'))('for an ordinary user', () => exact(true), 30_000 + CASES * 20_000);
});
