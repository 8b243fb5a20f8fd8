/**
 * EX-9, law 1: whatever a program, a model or an MCP server prints, the real terminal receives only text, colours, safe
 * links and the program's own sequences. The test checks every byte that the built program writes. `npm run check --
 * fuzz-screen` is the long form; AISH_SEED repeats a run.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { HOSTILE, hostileBytes, hostileText, random } from '../support/hostile.ts';
import { lacks } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig, type Rig, startRig } from '../support/rig.ts';
import { call, startScriptedServer, type Turn } from '../support/scripted-server.ts';
import { SEED } from '../support/seed.ts';
import { foreign } from '../support/terminal-output.ts';

const BYTES = Number(process.env.AISH_FUZZ_BYTES ?? 150_000);
const PATIENCE = 15_000 + BYTES / 50;
const all = HOSTILE.join(' ');

/** The launcher of the kernel sandbox needs a C compiler. */
const missing = lacks('cc');

function expectOwn(rig: Rig): void {
  expect(foreign(rig.raw), `AISH_SEED=${SEED}`).toEqual([]);
}

/** Leaves the program, so that what it prints on the normal screen is checked as well. */
async function leave(rig: Rig): Promise<void> {
  rig.type('\x15:quit\r');
  await rig.exited;
  expectOwn(rig);
}

it('what a program of the user prints is cleaned of dangerous control sequences, and so are the names of files and directories', {
  timeout: 4 * PATIENCE,
}, async () => {
  const next = random(SEED);
  using place = scratch();
  // The bytes never switch to the alternate screen, because a program that does so gets the terminal (see below).
  const noise = hostileBytes(next, BYTES)
    .toString('latin1')
    .replaceAll(/\x1b\[\?[\d;]*(?:47|1047|1049)[\d;]*[hl]/g, '');
  writeFileSync(join(place.work, 'noise'), noise, 'latin1');
  writeFileSync(join(place.work, 'corpus'), HOSTILE.filter((each) => !each.includes('?47')).join('\n'));
  const names = HOSTILE.filter((each) => !each.includes('/')).map((each) => `evil ${each}`);
  for (const name of names) mkdirSync(join(place.work, 'names', name), { recursive: true });
  await using rig = await openRig(place, '[aish:demo]>');
  let exit = 10;
  const line = async (text: string) => {
    exit += 1;
    rig.type(`${text}; (exit ${exit})\r`);
    await rig.waitFor(`✗ ${exit}`, PATIENCE).catch((cause) => {
      throw new Error(`AISH_SEED=${SEED}\n${cause.message}`, { cause });
    });
  };
  await line('cat corpus');
  await line('cat noise');
  await line('ls names');
  await line('cd names/evil*777*A');
  await line('nosuch"$(cat ../../corpus)"');
  await leave(rig);
});

/** A program on the alternate screen gets the terminal, but neither the clipboard, title, window, printer nor keys. */
it('what a program on the alternate screen paints is cleaned of dangerous control sequences', async () => {
  using place = scratch();
  const painted = HOSTILE.filter((each) => !/\?47|\x1bc|\x1b\[!p/.test(each)).join('');
  writeFileSync(join(place.work, 'painted'), `\x1b[?1049h${painted}\x18`);
  await using rig = await openRig(place, '[aish:demo]>');
  const before = rig.raw.length;
  rig.type('cat painted; printf "\\017\\033(B\\033[2J\\033[H%s" lo""ok; read -rsn1 x; printf "\\033[?1049l"\r');
  await rig.waitFor('look');
  const strings = rig.raw.slice(before).match(/\x1b[P_^X\]][^\x07\x1b]*|\x1b\[[\d;]*[ti]|\x1bc/g) ?? [];
  const allowed = /^\x1b(?:\]8;;(?:$|https?:)|P[$+]q|Pq#|_Gf=|\]1337;File=inline=1)/;
  expect(strings.filter((each) => !allowed.test(each))).toEqual([]);
  rig.type('x');
  await rig.waitFor(/✓ \d/);
});

it.skipIf(missing)(
  'what a model says, thinks and calls is cleaned of control sequences, and so are the error messages of its server',
  { timeout: 4 * PATIENCE },
  async () => {
    const next = random(SEED);
    const pieces = (length: number) => (hostileText(next, length).match(/[\s\S]{1,7}/gu) ?? []) as readonly string[];
    const turns: readonly Turn[] = [
      { text: pieces(BYTES / 10), reasoning: all },
      { text: HOSTILE, reasoning: hostileText(next, 2000) },
      call(`tool ${all}`, { [all]: all }, all),
      call('bash', `{"command": ${all}`, all),
      { text: all },
      call('bash', { command: `echo ${all}`, label: all }),
      call('bash', { command: `rm -rf ${all}` }),
      call('request_mode_upgrade', { reason: all }),
      { error: { status: 400, message: all } },
      { error: { status: 401, message: hostileText(next, 3000) } },
    ];
    await using server = await startScriptedServer(turns.map((turn) => ({ usage: null, ...turn })));
    using place = scratch(server.baseUrl, { safety: { llm_second_opinion: false } });
    await using rig = await openRig(place, '[aish:fast]>', { rows: 40 });
    // A line sent while the model still answers joins its next step. When the run fails, the line returns to the prompt.
    for (const [steps, questions, failure] of [
      [1, [], ''],
      [1, [], ''],
      [3, [], ''],
      [4, ['deletes files and directories', 'leave Restricted'], 'the request was refused'],
      [1, [], 'the API key was not accepted'],
    ] as const) {
      const before = server.requests.length;
      rig.type('?go on\r');
      for (const [at, question] of questions.entries()) {
        await server.request(before + steps - questions.length + at);
        // The question accepts answers and is not the previous question.
        await rig.waitFor((r) => r.text().includes(question) && /all shown|Enter: /.test(r.text()), PATIENCE);
        rig.type('s');
        await server.request(before + at + 2);
      }
      await server.request(before + steps);
      await rig.waitFor(failure, PATIENCE);
    }
    rig.type('?no more\r');
    await rig.waitFor('the script is over', PATIENCE);
    expect(server.requests.length).toBe(turns.length + 1);
    rig.type(':history\r');
    await rig.waitFor('no more');
    await leave(rig);
  },
);

it('an MCP server’s description of itself, its tools and its answers are cleaned of control sequences', async () => {
  const fixture = fileURLToPath(new URL('../support/hostile-mcp.ts', import.meta.url));
  await using server = await startScriptedServer(
    [call('evil__say', { [all]: all }), call('evil__fail', {}), { text: 'That was it.' }].map((turn) => ({
      usage: null,
      ...turn,
    })),
  );
  using place = scratch(server.baseUrl, {
    safety: { llm_second_opinion: false },
    mcp: {
      servers: { evil: { command: process.execPath, args: [fixture] } },
      auto_approve: ['evil__*'],
      read_only: ['evil__*'],
    },
  });
  await using rig = startRig(place, { rows: 40 });
  await rig.waitFor('[aish:fast]>');
  rig.type(':mcp restart evil\r');
  await rig.waitFor(/evil +ready/);
  rig.type(':mcp tools evil\r');
  await rig.waitFor(/evil__say/);
  rig.type('?use them\r');
  await rig.waitFor('That was it.');
  await leave(rig);
});
