import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Scratch, scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';

const MS_PER_DAY = 24 * 60 * 60 * 1000;

/** Plants a session that was last used this many days ago, with a saved output. */
function earlier(
  { home }: Scratch,
  id: string,
  daysAgo: number,
): { readonly journal: string; readonly output: string } {
  const folder = join(home, '.local/state/aish/sessions', id);
  const [journal, output] = [join(folder, 'journal.jsonl'), join(folder, 'output/output-1.txt')];
  mkdirSync(join(folder, 'output'), { recursive: true });
  for (const path of [journal, output]) {
    writeFileSync(path, '{}\n');
    const at = new Date(Date.now() - daysAgo * MS_PER_DAY);
    utimesSync(path, at, at);
  }
  return { journal, output };
}

it('old outputs are removed at the start, and old sessions only when the user confirms', async () => {
  using here = scratch();
  const old = earlier(here, 'old', 40);
  const young = earlier(here, 'young', 2);
  await using rig = startRig(here, { columns: 100, rows: 24 });
  await rig.waitFor('[aish:demo]>');
  rig.type(':sessions prune\r');
  await rig.waitFor(/old {2}last used .*\n.*1 session/);
  expect([old.output, old.journal, young.output].map((path) => existsSync(path))).toEqual([false, true, true]);
  rig.type(':sessions prune yes\r');
  await rig.waitFor('removed: 1 of 1');
  expect([old.journal, young.journal].map((path) => existsSync(path))).toEqual([false, true]);
});
