/**
 * Whatever a command did, undo restores content, names, links, modes and times exactly, and undo of the undo restores
 * what the command had left. 20 random cases here, 200 with `npm run check -- effects`.
 */
import { describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { builtTools, inEveryCase, USERS } from './bench.ts';
import { scripts } from './random.ts';

const cases = Number(process.env.AISH_EFFECTS_CASES ?? 20) / 2;
const TIMEOUT = { timeout: 30_000 + cases * 20_000 };
const tools = builtTools();

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
});
