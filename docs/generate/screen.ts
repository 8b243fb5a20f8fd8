/**
 * Makes docs/screen.svg, the moving picture of the README: `node docs/generate/screen.ts`. The built program with a model
 * that follows a script: a question, a goal, a HALT, its trial, what it did, and how it is taken back.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Run } from '../../test/support/cells.ts';
import { scratch } from '../../test/support/program.ts';
import { startRig } from '../../test/support/rig.ts';
import { say, startScriptedServer } from '../../test/support/scripted-server.ts';
import { type Frame, movingSvg } from '../picture/moving.ts';

const TARGET = new URL('../screen.svg', import.meta.url);
const SIZE = { columns: 88, rows: 26 };
/** The screen is taken when it has not changed for so long. In ms. */
const REST_MS = 400;

/** What differs from run to run, and what the picture shows instead. */
const STEADY: readonly (readonly [RegExp, string])[] = [
  [/\d+ ms\b/g, '4 ms'],
  [/· [\d.]+ s\b/g, '· 2 s'],
  [/\b\d\d:\d\d\b/g, '14:03'],
];

function steady(run: Run): Run {
  const text = STEADY.reduce((text, [changing, shown]) => text.replace(changing, shown), run.text);
  return { ...run, text: text.padEnd(run.text.length).slice(0, run.text.length) };
}

/** Plays it in the built program: what is on the screen, and for how long. */
export async function play(): Promise<readonly Frame[]> {
  await using server = await startScriptedServer([
    say('`/pay` answered **500**: the handler reads a card that is not there.\n\nThe rotated log is only in the way.'),
    say('The rotated log goes, the current one stays.\nCMD: rm logs/app.log.1'),
    say('GOAL: complete\nOne old log is gone.'),
  ]);
  using place = scratch(server.baseUrl, {
    mode: 'unrestricted',
    safety: { llm_second_opinion: false },
    ui: { motion: false },
  });
  const shop = join(place.home, 'shop');
  mkdirSync(join(shop, 'logs'), { recursive: true });
  writeFileSync(join(shop, 'logs', 'app.log'), 'GET /cart 200\nGET /pay 500\nGET /cart 200\n');
  writeFileSync(join(shop, 'logs', 'app.log.1'), 'GET /pay 500\n'.repeat(4000));
  const frames: Frame[] = [];
  await using rig = startRig({ ...place, work: shop }, SIZE);
  /** Types, waits for what is to be seen and for rest, and keeps the screen for so many seconds. */
  const frame = async (seconds: number, does: () => void, seen: string | RegExp): Promise<void> => {
    does();
    await rig.waitFor(seen);
    for (let [last, since] = ['', performance.now()]; performance.now() - since < REST_MS; await wait(50)) {
      const now = rig.text();
      if (now !== last || now.includes('ready in a moment')) [last, since] = [now, performance.now()];
    }
    frames.push({ seconds, rows: rig.runs().map((row) => row.map(steady)) });
  };
  const type = (text: string) => () => rig.type(text);
  const key = (name: string) => () => rig.key(name);
  await frame(1.5, () => {}, 'F1 lists the keys');
  await frame(1, type("grep --color=always -n ' 500' logs/app.log"), '500');
  await frame(1.5, key('enter'), '✓');
  await frame(1.2, type('why did that fail?'), 'fail?');
  await frame(3, key('enter'), 'in the way');
  await frame(1.2, type(':norris clean up old logs in logs'), 'in logs');
  await frame(4, key('enter'), 'all shown');
  await frame(4, key('t'), 'T applies');
  await frame(3, key('T'), /done[\s\S]*\[aish:fast\]> /);
  await frame(1.2, type(':undo run yes'), 'run yes');
  await frame(4, key('enter'), /undo run yes[\s\S]*app\.log\.1[\s\S]*\[aish:fast\]> /);
  return frames;
}

if (process.argv[1] === import.meta.filename) {
  const title = 'aish-tui: a question, an autonomous run, a HALT before a file is removed, a trial of it, and its undo';
  writeFileSync(TARGET, movingSvg(await play(), SIZE.columns, title));
}
