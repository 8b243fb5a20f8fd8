/**
 * A trial changes nothing. Applied, the tree equals that of a real run except for times and inode numbers; undone, it
 * is as before. 20 random cases here, 200 with `npm run check -- effects`.
 */
import { describe, expect, it } from 'vitest';
import { builtTools, inEveryCase, USERS } from './bench.ts';
import { steadyScripts as scripts } from './random.ts';
import { trialsWork } from './trial-support.ts';

const cases = Number(process.env.AISH_EFFECTS_CASES ?? 20) / 2;
const TIMEOUT = { timeout: 30_000 + cases * 20_000 };
const tools = builtTools();

/** Removes times, and the content of git's index, which contains times and inode numbers. */
function timeless(snapshot: ReadonlyMap<string, string>): Record<string, string> {
  const lines = [...snapshot].map(([path, line]): [string, string] => {
    const fields = line.split(' ');
    fields[5] = '';
    return [path, path.endsWith('/.git/index') ? '' : fields.join(' ')];
  });
  return Object.fromEntries(lines);
}

describe.skipIf(!trialsWork())('a trial is exact', () => {
  it.each(USERS)('for random commands %s', TIMEOUT, (_, ordinary) => {
    const options = { cases, scripts, maxUntold: 0.7, launcher: tools().launcher, ordinary };
    return inEveryCase(options, async (scene, commands, before) => {
      const tried = await scene.try(commands);
      expect([...scene.snapshot()], 'a trial changes nothing').toEqual([...before]);
      // A trial can't always tell which name of a file a real run would change; then nothing can be applied.
      if (typeof tried.listed === 'string') {
        expect(tried.listed).toMatch(/other names|moves the directory/);
        return false;
      }
      // A link may lead out of the tree, where a real run writes and a trial is refused; the trial reports it.
      if (tried.listed.outside.length > 0) return false;
      const applied = await scene.apply(tried.number);
      expect(applied, commands).toMatchObject({ code: 0, error: '', steps: [] });
      const after = timeless(scene.snapshot(true));
      const undone = await scene.undo(tried.number);
      expect(undone.steps.filter(({ verb }) => verb === 'refused')).toEqual([]);
      expect([...scene.snapshot()], commands).toEqual([...before]);
      await scene.real(commands);
      expect(after, commands).toEqual(timeless(scene.snapshot(true)));
      return true;
    });
  });
});
