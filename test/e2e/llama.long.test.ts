import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Llama, llamaMissing, startLlama } from '../broker/llama-server.ts';
import { lacks } from '../support/lacks.ts';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

const missing = llamaMissing();
if (missing !== undefined) console.log(`skipped: no real llama.cpp server here (${missing})`);

describe.skipIf(missing !== undefined)('the program with a real llama.cpp server', () => {
  let llama: Llama;
  beforeAll(async () => {
    llama = await startLlama();
  });
  afterAll(async () => {
    await llama?.[Symbol.asyncDispose]();
  });

  it('answers a question with a tool call that the user confirms', async () => {
    using place = scratch(llama.baseUrl, { mode: 'unrestricted' });
    writeFileSync(join(place.work, 'only-file.txt'), '');
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
    rig.type('?run `ls`\r');
    await rig.waitFor('RUN THIS?');
    await rig.waitFor(/all shown|Enter: /);
    rig.type('p');
    await rig.waitFor('Done. The last line of the output is:');
    expect(rig.text()).toContain('only-file.txt');
  });

  it('halts on a delete, and runs it only after proceed', async () => {
    using place = scratch(llama.baseUrl, { mode: 'unrestricted' });
    mkdirSync(join(place.work, 'foo'));
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
    rig.type('?run `rm -rf foo`\r');
    await rig.waitFor('HALT');
    await rig.waitFor(/all shown|Enter: /);
    expect(existsSync(join(place.work, 'foo'))).toBe(true);
    rig.type('p');
    await rig.waitFor(() => !existsSync(join(place.work, 'foo')));
    await rig.waitFor('Done.');
  });

  it('stops an answer that would never end', async () => {
    using place = scratch(llama.baseUrl, { max_answer_tokens: 10_000 });
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
    rig.type('?tell a long story\r');
    await rig.waitFor(/thinking|answering|writing/);
    await rig.waitFor((r) => r.screen().filter((line) => line.trim() !== '').length > 8);
    rig.key('ctrl-x', 'ctrl-c');
    await rig.waitFor('stopped');
  });

  it('skips in a headless run what needs a yes', async () => {
    using place = scratch(llama.baseUrl, { mode: 'unrestricted' });
    mkdirSync(join(place.work, 'foo'));
    const { err } = await runProgram(place, ['ask', 'run `rm -rf foo`']);
    expect(err).toContain('HALT');
    expect(existsSync(join(place.work, 'foo'))).toBe(true);
  });
});

/** Goals that the tiny model was trained for, each with a check that it was reached. */
const GOALS: readonly (readonly [string, (place: Scratch, out: string) => boolean])[] = [
  ['run `echo hello`', (_, out) => /^hello$/m.test(out)],
  ['run `ls -la` and `pwd`', (place, out) => out.includes('fruits.txt') && out.includes(place.work)],
  ['run `ls` then `pwd`', (place, out) => out.includes('fruits.txt') && out.includes(place.work)],
  ['list files', (_, out) => out.includes('fruits.txt')],
  ['show disk usage', (_, out) => out.includes('Filesystem')],
  ['git status', (_, out) => out.includes('branch')],
  ['search for apple in fruits.txt', (_, out) => out.includes('apple pie')],
  ['run `touch made.txt`', (place) => existsSync(join(place.work, 'made.txt'))],
  ['run `cat fruits.txt`', (_, out) => out.includes('apple pie')],
  ['run `mkdir newdir`', (place) => existsSync(join(place.work, 'newdir'))],
];

/** Runs a goal where nothing needs a yes. Returns whether it was reached, and the output. */
async function reach({ baseUrl }: Llama, [goal, reached]: (typeof GOALS)[number]) {
  using place = scratch(undefined, {
    models: { fast: { base_url: baseUrl, model: 'aish-tiny', temperature: 0 } },
    model: 'fast',
    mode: 'unrestricted',
    confirm_cmd: false,
    auto_approve: ['bash'],
    safety: { llm_second_opinion: false },
  });
  writeFileSync(join(place.work, 'fruits.txt'), 'pear tart\napple pie\n');
  execFileSync('git', ['init', '-q', place.work]);
  const { out } = await runProgram(place, ['ask', goal]);
  return { goal, reached: reached(place, out), out };
}

describe.skipIf(missing !== undefined || lacks('git'))('goals that the tiny model was trained for', () => {
  it.each([4096, 8192])('are reached at least 7 times out of 10 in a window of %i tokens', async (window) => {
    await using llama = await startLlama(['-c', String(window)]);
    const done: string[] = [];
    for (const goal of GOALS) {
      const { goal: name, reached } = await reach(llama, goal);
      if (reached) done.push(name);
    }
    expect(done.length, done.join(', ')).toBeGreaterThanOrEqual(7);
  });

  it('run nothing where the server supports no tools: the model answers in text without a CMD: line', async () => {
    await using llama = await startLlama(['--no-jinja']);
    for (const goal of GOALS.slice(7)) {
      const { reached, out } = await reach(llama, goal);
      expect(reached).toBe(false);
      expect(out).toContain('run this yourself');
    }
  });
});
