/** `:copy` and `:export` take answers and output out of the program. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

/** Returns the text last sent to the terminal's clipboard. */
function clipboard(rig: Rig): string {
  const sent = [...rig.raw.matchAll(/\x1b\]52;c;([A-Za-z0-9+/=]*)/g)].at(-1)?.[1] ?? '';
  return Buffer.from(sent, 'base64').toString();
}

it(':copy takes the last answer and output, and :export writes the session into new files', async () => {
  await using server = await startScriptedServer([say('It says **hello**.')]);
  using place = scratch(server.baseUrl);
  await using rig = await openRig(place, '[aish:fast]>', { rows: 40, columns: 110 });
  rig.type('echo hello\r');
  await rig.waitFor(/echo hello .*✓/);
  rig.type('?what does it say\r');
  await rig.waitFor('It says hello.');
  rig.type(':copy\r');
  await rig.waitFor('copied "the last answer" (18 characters)');
  expect(clipboard(rig)).toBe('It says **hello**.');
  rig.type(':copy output\r');
  await rig.waitFor(() => clipboard(rig) === 'hello');
  rig.type(':export md talk.md\r');
  await rig.waitFor(/saved: .*talk\.md/);
  const file = join(place.work, 'talk.md');
  expect(readFileSync(file, 'utf8')).toMatch(
    /\$ echo hello\nhello\n```\n\n> \*\*what does it say\*\*\n\nIt says \*\*hello\*\*\./,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  rig.type(':export md talk.md\r');
  await rig.waitFor('talk.md is there already');
  rig.type(':export json talk.json\r');
  await rig.waitFor(/saved: .*talk\.json/);
  const { version, entries } = JSON.parse(readFileSync(join(place.work, 'talk.json'), 'utf8'));
  expect([
    version,
    entries.map(({ kind }: { kind: string }) => kind).filter((kind: string) => kind !== 'notice'),
  ]).toEqual([1, ['exec', 'user', 'assistant']]);
  rig.type(':export html talk.html\r');
  await rig.waitFor(/saved: .*talk\.html/);
  expect(readFileSync(join(place.work, 'talk.html'), 'utf8')).toContain('<p>It says **hello**.</p>');
});
