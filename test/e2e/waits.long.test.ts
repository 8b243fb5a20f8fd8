/** Anything that takes longer than a moment says so, counts its time, and can be stopped. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { journalPath } from '../../src/store/index.ts';
import { forkFaultServer } from '../support/fault-server.ts';
import { scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';

/** An MCP server that starts and never answers. */
const MUTE = { mcp: { servers: { mute: { command: 'sleep', args: ['1000'] } } } };
/** The number of events in a journal that takes a second to read on any machine. */
const EVENTS = 500_000;

it('an MCP server’s slow start does not delay the session, and can be stopped', async () => {
  await using rig = await openRig(scratch(undefined, MUTE), /mute starts [2-9] s \(:mcp stop mute\)/, { columns: 120 });
  rig.type(':mcp stop mute\r');
  await rig.waitFor(/mute +off/);
  expect(rig.screen().at(-1)).not.toContain('mute');
});

it('a : command counts its time, and Ctrl-C stops it', async () => {
  await using rig = await openRig(scratch(undefined, MUTE), /-- \w+ --/, { columns: 120 });
  rig.type(':mcp restart mute\r');
  await rig.waitFor(/:mcp [2-9] s \(Ctrl-C stops\)/);
  rig.key('ctrl-c');
  await rig.waitFor(':mcp was stopped');
  expect(rig.screen().at(-1)).not.toMatch(/mute starts|:mcp/);
});

it('Ctrl-C in :safety check also cancels its request to a model', async () => {
  await using server = await forkFaultServer('stall-before-anything');
  await using rig = await openRig(scratch(server.baseUrl), /-- \w+ --/, { columns: 120 });
  rig.type(':safety check frobnicate --all\r');
  await rig.waitFor(/:safety [1-9] s \(Ctrl-C stops\)/);
  rig.key('ctrl-c');
  await rig.waitFor(':safety was stopped');
});

it('the plain screen announces a wait once', async () => {
  await using rig = await openRig(scratch(undefined, { ...MUTE, ui: { screen: 'plain' } }), '[aish:demo]>');
  rig.type(':mcp restart mute\r');
  await rig.waitFor(':mcp is still running; Ctrl-C stops it');
  rig.key('ctrl-c');
  await rig.waitFor(':mcp was stopped');
});

it('resuming a long session shows the elapsed time, and two Ctrl-C return the terminal', {
  timeout: 120_000,
}, async () => {
  using place = scratch();
  const path = journalPath(join(place.home, '.local/state/aish/sessions'), 'long');
  mkdirSync(dirname(path), { recursive: true });
  const opened = `{"v":1,"seq":0,"event":${JSON.stringify({
    session: 'main',
    at: 1,
    type: 'opened',
    cwd: place.work,
    mode: 'unrestricted',
    settings: { preset: 'demo', maxTurns: 40, maxToolRounds: 16, maxNorrisSteps: 2, confirmCmd: true, sandbox: false },
  })}}\n`;
  const moved = (seq: number) =>
    `{"v":1,"seq":${seq},"event":{"session":"main","at":${seq},"type":"shellMoved","cwd":"/"}}\n`;
  writeFileSync(path, opened + Array.from({ length: EVENTS }, (_, n) => moved(n + 1)).join(''));
  await using stopped = startRig(place, { columns: 120, args: ['--resume', 'long'] });
  await stopped.waitFor(/starting [1-9] s {2}Ctrl-C twice stops/);
  stopped.key('ctrl-c', 'ctrl-c');
  expect((await stopped.exited).code).toBe(130);
  expect(stopped.alternate).toBe(false);
  await using rig = startRig(place, { columns: 120, args: ['--resume', 'long'] });
  await rig.waitFor(/-- \w+ --/, 60_000);
  expect(rig.text()).not.toContain('damaged');
});
