/** A HALT on several kinds of terminals: its colours, the text behind it, and keys typed before it is armed. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { PROGRAM, scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { call, hold, say, startScriptedServer } from '../support/scripted-server.ts';

const UNRESTRICTED = { mode: 'unrestricted', safety: { llm_second_opinion: false } };
const DELETES = call('bash', { command: 'rm -rf foo' });

/** Starts a session whose model wants to delete an existing directory of the user. */
async function asked(replies = [DELETES, say('GOAL: complete')]) {
  const server = await startScriptedServer(replies);
  const place = scratch(server.baseUrl, UNRESTRICTED);
  mkdirSync(join(place.work, 'foo'));
  return { server, place };
}

async function toHalt(rig: Rig): Promise<void> {
  await rig.waitFor('[aish:fast]>');
  rig.type(':norris tidy\r');
  await rig.waitFor(/HALT[\s\S]*rm -rf foo[\s\S]*(all shown|Enter: )/);
}

const SIXTEEN = /\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7])[;m]/;
const OF_256 = /\x1b\[(?:\d+;)*[34]8;5;/;
const TRUE = /\x1b\[(?:\d+;)*[34]8;2;/;

it.each([
  ['16 colours', { TERM: 'linux', COLORTERM: '' }, SIXTEEN, [OF_256, TRUE]],
  ['256 colours', { TERM: 'xterm-256color', COLORTERM: '' }, OF_256, [TRUE]],
  ['all colours', { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, TRUE, [OF_256]],
] as const)('a HALT on a terminal with %s uses only those colours', async (_, env, has, others) => {
  const { server, place } = await asked();
  await using _server = server;
  using _place = place;
  await using rig = startRig(place, { env });
  await toHalt(rig);
  expect(rig.raw).toMatch(has);
  for (const other of others) expect(rig.raw).not.toMatch(other);
  rig.type('s');
  await rig.waitFor(/✓ done/);
});

it('F1 in a HALT explains it in place, and the next key answers', async () => {
  const { server, place } = await asked();
  await using _server = server;
  using _place = place;
  await using rig = startRig(place);
  await toHalt(rig);
  rig.key('f1');
  await rig.waitFor(/HALT[\s\S]*s +skip: does not run it/);
  rig.type('s');
  await rig.waitFor(/skipped/);
  await rig.waitFor(/✓ done/);
});

it('a draft typed when a HALT opens is kept, answers nothing, and returns after it', async () => {
  const { server, place } = await asked([{ text: [hold('now'), ''], ...DELETES }, say('GOAL: complete')]);
  await using _server = server;
  using _place = place;
  await using rig = startRig(place);
  await rig.waitFor('[aish:fast]>');
  rig.type(':norris tidy\r');
  await rig.waitFor(/step 1|1\/\d+/);
  rig.type('echo passes');
  await rig.waitFor(/> echo passes/);
  server.release('now');
  await rig.waitFor(/HALT[\s\S]*rm -rf foo[\s\S]*(all shown|Enter: )/);
  await rig.waitFor(/your draft, kept/);
  rig.type('s');
  await rig.waitFor(/✓ done/);
  await rig.waitFor(/> echo passes/);
});

it.skipIf(lacks('tmux'))('a HALT in tmux is asked and answered as usual', async () => {
  const { server, place } = await asked();
  await using _server = server;
  using _place = place;
  // tmux passes a single argument to the shell.
  const args = ['-L', 'aish', '-f', '/dev/null', 'new-session', `'${PROGRAM.replaceAll("'", "'\\''")}'`];
  await using rig = startRig(place, { file: 'tmux', args, env: { TMUX_TMPDIR: place.work, TERM: 'xterm-256color' } });
  await toHalt(rig);
  rig.type('s');
  await rig.waitFor(/skipped/);
  await rig.waitFor(/✓ done/);
  rig.type('echo mine\r');
  await rig.waitFor(/│ mine/);
  rig.key('ctrl-d');
  await rig.exited;
});
