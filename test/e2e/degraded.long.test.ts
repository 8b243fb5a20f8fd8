/** Parts that work only partly stay visible: in the status bar, the log and the forecast of `:safety check`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { call, say, startScriptedServer, whenever } from '../support/scripted-server.ts';

const OPINION = /Detect destructive/;
/** A program that the gate has no record for. */
const UNKNOWN = 'frobnicate --all';

const logOf = ({ home }: Scratch) => readFileSync(join(home, '.local/state/aish/aish.log'), 'utf8');

/** A configuration with a preset `guard` for the second opinion beside the active preset. */
function withGuard(baseUrl: string, guardUrl: string) {
  const model = 'scripted';
  return {
    mode: 'unrestricted',
    model: 'fast',
    models: { fast: { base_url: baseUrl, model }, guard: { base_url: guardUrl, model } },
    safety: { llm_model: 'guard' },
  };
}

it('one line of its own explains why there is no second opinion, and the questions do not repeat it', async () => {
  await using server = await startScriptedServer([
    call('bash', { command: UNKNOWN }),
    call('bash', { command: `${UNKNOWN} again` }),
    say('GOAL: blocked\nno'),
  ]);
  using place = scratch(undefined, withGuard(server.baseUrl, 'http://127.0.0.1:9/v1'));
  const { out, err } = await runProgram(place, ['run', '--on-halt', 'skip', 'frobnicate'], {});
  const all = out + err;
  expect(all.split('no second opinion from guard (its server does not answer')).toHaveLength(2);
  expect(all.split('second opinion is not available; treated as destructive').length).toBeGreaterThan(2);
  expect(all).not.toContain('127.0.0.1:9');
});

it('the status bar shows that the second opinion fails, until it works again', async () => {
  await using server = await startScriptedServer([
    call('bash', { command: UNKNOWN }),
    call('bash', { command: `${UNKNOWN} again` }),
    say('GOAL: blocked\nno'),
  ]);
  await using guard = await startScriptedServer([
    { when: OPINION, error: { status: 401, message: 'no' } },
    whenever(OPINION, say('YES')),
  ]);
  using place = scratch(undefined, withGuard(server.baseUrl, guard.baseUrl));
  await using rig = await openRig(place, '[aish:fast]>', { columns: 120, rows: 30 });
  rig.type(':norris frobnicate\r');
  await rig.waitFor(/HALT[\s\S]*(all shown|Enter: )/);
  expect(rig.screen().at(-1)).toContain('no second opinion');
  expect(logOf(place)).toContain('"level":"warning","message":"the second opinion is down"');
  rig.type('s');
  await rig.waitFor(/LLM flagged[\s\S]*again[\s\S]*(all shown|Enter: )/);
  expect(rig.screen().at(-1)).not.toContain('no second opinion');
  expect(logOf(place)).toContain('the second opinion is there again');
});

describe(':safety check', () => {
  it.each([
    ['YES', 'LLM flagged as destructive', 'from a model: HALT, you would decide'],
    ['NO', 'second opinion: not destructive', 'in a Norris run it would run without a question'],
    ['maybe', 'second opinion was neither YES nor NO', 'from a model: HALT'],
  ])('asks the second opinion, and explains its answer %s', async (answer, reason, would) => {
    await using server = await startScriptedServer([whenever(OPINION, say(answer))]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    const { out } = await runProgram(place, [], { input: `:safety check ${UNKNOWN}\n` });
    expect(out).toContain('unknown: ');
    expect(out).toContain(reason);
    expect(out).toContain(would);
  });

  it('asks no model about a command that the rules decide', async () => {
    await using server = await startScriptedServer([]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    const { out } = await runProgram(place, [], { input: ':safety check rm -rf src\n:safety check ls\n' });
    expect(out).toMatch(
      /destructive: deletes files and directories \(rule: rm -rf\)[\s\S]*HALT, you would decide[\s\S]*safe: [\s\S]*without a question/,
    );
    expect(server.requests).toHaveLength(0);
  });
});
