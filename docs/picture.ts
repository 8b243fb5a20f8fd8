/** Makes docs/screen.svg: `node docs/picture.ts`. The built program with a model that follows a script, stopped by a HALT. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../test/support/cells.ts';
import { scratch } from '../test/support/program.ts';
import { startRig } from '../test/support/rig.ts';
import { say, startScriptedServer } from '../test/support/scripted-server.ts';
import { screenToSvg } from './picture/svg.ts';

const TARGET = new URL('screen.svg', import.meta.url);
const SIZE = { columns: 92, rows: 36 };

/** What differs from run to run, and what the picture shows instead. */
const STEADY: readonly (readonly [RegExp, string])[] = [
  [/\d+ ms\b/g, '4 ms'],
  [/· \d+ s /g, '· 2 s '],
  [/waits for you \d+ s/g, 'waits for you 2 s'],
];

function steady(run: Run): Run {
  const text = STEADY.reduce((text, [changing, shown]) => text.replace(changing, shown), run.text);
  return { ...run, text: text.padEnd(run.text.length).slice(0, run.text.length) };
}

await using server = await startScriptedServer([
  say('The rotated log goes, the current one stays.\nCMD: rm logs/app.log.1'),
]);
using place = scratch(server.baseUrl, { mode: 'unrestricted' });
const shop = join(tmpdir(), 'shop');
rmSync(shop, { recursive: true, force: true });
mkdirSync(join(shop, 'logs'), { recursive: true });
writeFileSync(join(shop, 'logs', 'app.log'), 'GET /cart 200\nGET /pay 500\nGET /cart 200\n');
writeFileSync(join(shop, 'logs', 'app.log.1'), 'GET /pay 500\n'.repeat(4000));
try {
  await using rig = startRig({ ...place, work: shop }, SIZE);
  await rig.waitFor('[aish:fast]>');
  rig.type("grep --color=always -n ' 500' logs/app.log\r");
  await rig.waitFor('✓');
  rig.type(':norris clean up old logs in logs\r');
  await rig.waitFor('kB');
  await rig.waitFor('seen to the end');
  writeFileSync(
    TARGET,
    screenToSvg(
      rig.runs().map((row) => row.map(steady)),
      SIZE.columns,
      'aish-tui: a command of the user, an autonomous run, and a HALT before a file is removed',
    ),
  );
} finally {
  rmSync(shop, { recursive: true, force: true });
}
