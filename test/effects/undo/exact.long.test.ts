/**
 * After any command, undo restores content, names, links, modes and times exactly, and undoing the undo restores the
 * command’s result. 20 random cases here, 200 with `npm run check -- effects`.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { builtTools, inEveryCase, USERS } from './bench.ts';
import { builtCut } from './cut.ts';
import { scripts } from './random.ts';

const cases = Number(process.env.AISH_EFFECTS_CASES ?? 20) / 2;
const TIMEOUT = { timeout: 30_000 + cases * 20_000 };
const tools = builtTools();
const undoCut = builtCut(tools);

describe.skipIf(lacks('cc'))('undo is exact', () => {
  it.each(USERS)('for random commands %s', TIMEOUT, (_, ordinary) => {
    const options = { cases, scripts, maxUntold: 0.05, launcher: tools().launcher, ordinary };
    return inEveryCase(options, async (scene, commands, before) => {
      const kept = await scene.keep(commands);
      const after = scene.snapshot(true);
      // A command that races its own paths may escape the store, but not silently.
      if (kept.notes.length > 0) {
        const said = kept.notes.every((note) => note.startsWith('unkept '));
        expect(said, `${commands}\n${kept.notes.join()}`).toBe(true);
        return false;
      }
      const undone = await scene.undo(kept.number);
      expect(undone.steps.filter(({ verb }) => verb === 'refused')).toEqual([]);
      expect([...scene.snapshot()], commands).toEqual([...before]);
      const again = await scene.undo(undone.number);
      expect(again.steps.filter(({ verb }) => verb === 'refused')).toEqual([]);
      expect([...scene.snapshot(true)], commands).toEqual([...after]);
      return true;
    });
  });

  it.each(USERS)('for random commands %s, if the undo is killed twice and begun again', TIMEOUT, (_, ordinary) => {
    // An undo with fewer calls ends before it can be killed; such a case proves nothing.
    const options = { cases, scripts, maxUntold: 0.5, launcher: tools().launcher, ordinary };
    let calls = 0;
    return inEveryCase(options, async (scene, commands, before) => {
      const kept = await scene.keep(commands);
      const after = scene.snapshot(true);
      calls += 13;
      const acted = { scene, ordinary, number: kept.number };
      const into = kept.notes.length > 0 ? undefined : undoCut(acted, 2 + (calls % 61));
      if (into === undefined) return false;
      undoCut(acted, 2 + (calls % 29), into);
      const of = join(scene.store, String(kept.number));
      const went = await scene.launcher('--undo', of, '--into', into);
      expect(
        went.steps.filter(({ verb }) => verb === 'refused'),
        `${calls} ${commands}`,
      ).toEqual([]);
      expect([...scene.snapshot()], `${calls} ${commands}`).toEqual([...before]);
      const again = await scene.launcher('--undo', into, '--into', scene.next().directory);
      expect(
        again.steps.filter(({ verb }) => verb === 'refused'),
        `${calls} ${commands}`,
      ).toEqual([]);
      expect([...scene.snapshot(true)], `${calls} ${commands}`).toEqual([...after]);
      return true;
    });
  });
});
