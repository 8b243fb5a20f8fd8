/** The commands `run` and `ask` without a user: limits, input, signals and exit codes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROGRAM, runProgram, scratch } from '../support/program.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const SAFE = call('bash', { command: 'pwd' });

describe('a limit of aish-tui run', () => {
  it('--max-steps ends the run with exit code 5', async () => {
    await using server = await startScriptedServer([SAFE, SAFE, SAFE, SAFE, SAFE]);
    using place = scratch(server.baseUrl);
    const { code, out } = await runProgram(place, ['run', '--max-steps', '2', 'go on']);
    expect(code).toBe(5);
    expect(out).toContain('at most 2 steps');
    expect(server.requests).toHaveLength(2);
  });

  it('--timeout ends the run with exit code 5 and leaves nothing running', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'sleep 300' })]);
    using place = scratch(server.baseUrl);
    const began = performance.now();
    const { code, err } = await runProgram(place, ['run', '--timeout', '2s', 'wait']);
    expect(code).toBe(5);
    expect(err).toContain('the time is up (2 s)');
    expect(performance.now() - began).toBeLessThan(25_000);
  });

  it.each([
    ['could pass it', '0.000001', 0],
    ['would exceed it', '6000', 1],
  ])('--max-dollars ends the run with exit code 5 before a paid call that %s', async (_which, dollars, calls) => {
    await using server = await startScriptedServer([{ ...SAFE, usage: { prompt: 6000, completion: 0, cost: 6000 } }]);
    using place = scratch(server.baseUrl, {
      models: { fast: { base_url: server.baseUrl, model: 'scripted', prices: { input: 1000, output: 1000 } } },
    });
    const { code, err } = await runProgram(place, ['run', '--max-dollars', dollars, 'spend']);
    expect(code).toBe(5);
    expect(err).toContain('cost.stop_at_dollars');
    expect(server.requests).toHaveLength(calls);
  });

  it.each([
    ['--max-steps', '0'],
    ['--max-steps', 'many'],
    ['--max-dollars', '-1'],
    ['--timeout', '0'],
    ['--timeout', '5d'],
    ['--mode', 'yolo'],
    ['--on-halt', 'proceed'],
    ['--cwd', '/nowhere/at/all'],
  ])('%s with the value %s is a wrong argument with exit code 2', async (flag, value) => {
    using place = scratch();
    expect(await runProgram(place, ['run', flag, value, 'goal'])).toMatchObject({ code: 2, out: '' });
  });
});

describe('the input of run and ask', () => {
  it('is read from standard input for -, and an empty input is an error', async () => {
    await using server = await startScriptedServer([say('GOAL: complete'), say('four')]);
    using place = scratch(server.baseUrl);
    expect((await runProgram(place, ['run', '-'], { input: 'first\nsecond\n' })).code).toBe(0);
    expect(server.requests[0]?.messages[0]?.content).toContain('first\nsecond');
    const { code, out } = await runProgram(place, ['ask', '-'], { input: 'two and two?\n' });
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('four') });
    expect(await runProgram(place, ['ask', '-'], { input: ' \n' })).toMatchObject({ code: 2 });
  });

  it('includes text files by --attach, in a fence that they can’t close', async () => {
    await using server = await startScriptedServer([say('a list')]);
    using place = scratch(server.baseUrl);
    mkdirSync(join(place.work, 'deep'));
    writeFileSync(join(place.work, 'notes.md'), '```\nbuy milk\n```\n');
    writeFileSync(join(place.work, 'b.txt'), 'second');
    // Attachments are named relative to the directory in which the program was started.
    const files = ['--attach', 'notes.md', '--attach', 'b.txt', '--cwd', 'deep'];
    expect((await runProgram(place, ['ask', ...files, 'what is this?'])).code).toBe(0);
    expect(server.requests[0]?.lastUser).toContain(
      'what is this?\n\nnotes.md:\n````\n```\nbuy milk\n```\n````\n\nb.txt:\n```\nsecond\n```',
    );
  });

  it.each([
    ['a file that is not there', 'none.txt', 'it is not there'],
    ['a directory', '.', 'it is not a file'],
    ['a device that never ends', '/dev/zero', 'it is not a file'],
    ['a binary file', 'blob', 'it is not text'],
    ['a file that is too large', 'large', 'it is larger than 256 kB'],
  ])('refuses to attach %s, asks nothing, and exits with 2', async (_what, name, why) => {
    await using server = await startScriptedServer([say('never')]);
    using place = scratch(server.baseUrl);
    writeFileSync(join(place.work, 'blob'), Buffer.from([0xff, 0xfe, 0, 1]));
    writeFileSync(join(place.work, 'large'), 'x'.repeat(256 * 1024 + 1));
    const ended = await runProgram(place, ['ask', '--attach', name, 'what is this?']);
    expect(ended).toMatchObject({ code: 2, err: expect.stringContaining(`${name} can't be attached: ${why}`) });
    expect(server.requests).toEqual([]);
  });

  it('is used in the directory of --cwd, also with the options after the subcommand', async () => {
    await using server = await startScriptedServer([SAFE, say('GOAL: complete')]);
    using place = scratch(server.baseUrl);
    mkdirSync(join(place.work, 'deep'));
    writeFileSync(join(place.work, 'deep/here'), '');
    const { code, out } = await runProgram(place, ['run', '--cwd', 'deep', '--model', 'fast', 'where']);
    expect(code).toBe(0);
    expect(out).toContain(join(place.work, 'deep'));
  });

  it.each([
    ['run', 'go on'],
    ['ask', 'what?'],
    ['try', '--', 'true'],
    ['sandbox', '--', 'true'],
    ['undo', '1', '--yes'],
    ['config', 'check'],
  ])('in a removed directory gives one line of explanation for %s', async (...args) => {
    await using server = await startScriptedServer([]);
    using place = scratch(server.baseUrl);
    const code = `mkdir gone && cd gone && rmdir ../gone && exec "$@"`;
    const ended = await runProgram(place, ['-c', code, 'sh', PROGRAM, ...args], { file: '/bin/sh' });
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toMatch(/^aish-tui: this directory does not exist any more: cd to one that does/m);
    const there = ['-c', code, 'sh', PROGRAM, '--cwd', place.work, 'sessions'];
    expect(await runProgram(place, there, { file: '/bin/sh' })).toMatchObject({ code: 0 });
  });
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends a run with exit code %s, and ends the run’s command', async (signal, code) => {
  await using server = await startScriptedServer([call('bash', { command: 'echo started; sleep 300' })]);
  using place = scratch(server.baseUrl);
  let sent = false;
  const ended = await runProgram(place, ['run', 'wait'], {
    onOut(text, kill) {
      if (!sent && text.includes('[norris] step 1')) {
        sent = true;
        kill(signal);
      }
    },
  });
  expect(ended.code).toBe(code);
});
