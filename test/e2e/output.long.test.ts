/** Output of every shape and size, and the prompt during output (EX-3, EX-5, IN-7). */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Scratch, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

it('a progress bar of 1,000 redraws leaves one line, for the user and the model', async () => {
  await using server = await startScriptedServer([say('Done.')]);
  await using rig = await openRig(scratch(server.baseUrl), '[aish:fast]>');
  rig.type('for ((n = 1; n <= 1000; n++)); do printf "\\r\\033[K%d of 1000" $n; done; echo\r');
  await rig.waitFor(/✓ \d/);
  expect(rig.screen().filter((line) => /\d of 1000$/.test(line))).toEqual(['│ 1000 of 1000']);
  rig.type('?how far is it\r');
  await rig.waitFor('Done.');
  expect(server.requests[0]?.lastUser.match(/^.*\d of 1000$/gm)).toEqual(['1000 of 1000']);
});

/** Returns the size of the largest full-text file, in bytes. */
function fullText(place: Scratch): number {
  const sizes = readdirSync(place.home, { recursive: true, withFileTypes: true })
    .filter((entry) => /^output-.*\.txt$/.test(entry.name))
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size);
  return Math.max(0, ...sizes);
}

/**
 * The longest wait, in ms: on a machine with one busy core the flood, its producer and the test share the processor.
 */
const PATIENCE = 60_000;

it('a question is typed and answered during 100 MB of output, and Ctrl-C ends the output', {
  timeout: 2 * PATIENCE,
}, async () => {
  await using server = await startScriptedServer([say('All quiet here.')]);
  using place = scratch(server.baseUrl);
  await using rig = await openRig(place, '[aish:fast]>');
  rig.type('yes | head -c 100M\r');
  await rig.waitFor('keys go to the program');
  rig.key('ctrl-]');
  await rig.waitFor('gives it the keyboard');
  rig.type('?is all well\r');
  await rig.waitFor('All quiet here.', PATIENCE);
  expect(rig.text()).not.toMatch(/exit \d/);
  // The flood did not stop for the answer, and continues.
  await rig.waitFor(() => fullText(place) > 0);
  const before = fullText(place);
  expect(before).toBeLessThan(100 * 2 ** 20);
  await rig.waitFor(() => fullText(place) > before);
  rig.key('ctrl-c');
  await rig.waitFor(/✗ 130/);
  expect(rig.text()).toMatch(/│ y\n/);
});
