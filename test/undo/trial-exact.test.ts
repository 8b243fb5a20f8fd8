/**
 * A trial changes nothing; applied, the tree is what a real run leaves but for times and inode numbers; undone, it is what
 * it was. 20 random cases here, 200 with `npm run check -- effects`.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTools, type Tools } from '../sandbox/tools.ts';
import { lacks } from '../support/lacks.ts';
import { grow, steadyScripts, trees, written } from './random.ts';
import { makeScene } from './scene.ts';
import { trialsWork } from './trial-support.ts';

const CASES = Number(process.env.AISH_EFFECTS_CASES ?? 20) / 2;
const root = process.getuid?.() === 0;

let tools: Tools;
beforeAll(async () => {
  if (!lacks('cc')) tools = await buildTools();
});
afterAll(() => tools?.dispose());

/** Without times; of git's index also without content, since it holds times and inode numbers itself. */
function timeless(snapshot: ReadonlyMap<string, string>): Record<string, string> {
  const lines = [...snapshot].map(([path, line]): [string, string] => {
    const fields = line.split(' ');
    fields[5] = '';
    return [path, path.endsWith('/.git/index') ? '' : fields.join(' ')];
  });
  return Object.fromEntries(lines);
}

describe.skipIf(!trialsWork())('a trial is exact', () => {
  const exact = async (ordinary: boolean) => {
    let untold = 0;
    await fc.assert(
      fc.asyncProperty(trees, steadyScripts, async (tree, script) => {
        const scene = makeScene(tools.launcher, ordinary);
        try {
          const commands = written(script, grow(scene.tree, tree));
          await scene.keep('true');
          const before = scene.snapshot();
          const tried = await scene.try(commands);
          expect([...scene.snapshot()], 'a trial changes nothing').toEqual([...before]);
          // Which of a file's names a real run would change is not always to be told: then nothing can be applied.
          if (typeof tried.listed === 'string') {
            expect(tried.listed).toMatch(/other names|moves the directory/);
            untold += 1;
            return;
          }
          // A link may lead it out of the tree, where a real run writes and a trial is refused: it says so.
          if (tried.listed.outside.length > 0) {
            untold += 1;
            return;
          }
          const applied = await scene.apply(tried.number);
          expect(applied, commands).toMatchObject({ code: 0, error: '', steps: [] });
          const after = timeless(scene.snapshot(true));
          const undone = await scene.undo(tried.number);
          expect(undone.steps.filter(({ verb }) => verb === 'refused')).toEqual([]);
          expect([...scene.snapshot()], commands).toEqual([...before]);
          await scene.real(commands);
          expect(after, commands).toEqual(timeless(scene.snapshot(true)));
        } finally {
          scene.dispose();
        }
      }),
      { numRuns: CASES, endOnFailure: true },
    );
    expect(untold, 'cases that could not be told').toBeLessThan(CASES * 0.7);
  };

  it('for who runs this', () => exact(false), 30_000 + CASES * 20_000);

  it.skipIf(!root || lacks('setpriv'))('for an ordinary user', () => exact(true), 30_000 + CASES * 20_000);
});
