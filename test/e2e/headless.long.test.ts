/**
 * Special cases of runs without a user: missing, blocked or leftover files and servers, and the messages about them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { jsonLines } from '../support/lines.ts';
import { PROGRAM, runProgram, scratch } from '../support/program.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

describe('aish-tui run', () => {
  it('names each server whose tools are missing in one line', async () => {
    const servers = {
      gone: { command: 'no-such-program' },
      slow: { command: 'sleep', args: ['60'] },
      fails: { command: 'sh', args: ['-c', 'echo broken >&2; exit 3'] },
    };
    using place = scratch(undefined, { mcp: { servers, start_seconds: 5 } });
    const { err } = await runProgram(place, ['ask', 'hello']);
    expect(err).toMatch(/the tools of gone \(MCP\) are missing: could not start: .*no-such-program/);
    expect(err).toMatch(/the tools of slow \(MCP\) are missing: ./);
    expect(err).toMatch(/the tools of fails \(MCP\) are missing: ended with exit 3: broken/);
  });

  it.skipIf(lacks('cc'))('lists at its end what it changed, however it ends', async () => {
    const edit = call('bash', { command: 'echo x >> notes.txt; mkdir -p .git new; touch .git/a new/b' });
    const line = /1 file changed, 1 created\n.*notes\.txt +\+1 −0\n[\s\S]*git's own: \d\n.*\n:undo run takes it back/;
    const ways: readonly (readonly [ReturnType<typeof call>, number, readonly string[]])[] = [
      [say('GOAL: complete'), 0, []],
      [say('GOAL: blocked'), 3, []],
      [call('bash', { command: 'rm -rf mine' }), 4, []],
      [say('GOAL: complete'), 0, ['--json']],
      [call('bash', { command: 'sleep 60' }), 5, ['--timeout', '8']],
    ];
    for (const [last, code, flags] of ways) {
      await using server = await startScriptedServer([edit, last]);
      using place = scratch(server.baseUrl, { mode: 'project' });
      for (const name of ['notes.txt', 'mine']) writeFileSync(join(place.work, name), 'x\n');
      const ended = await runProgram(place, ['run', ...flags, 'write']);
      expect(ended.code, ended.err).toBe(code);
      if (flags.includes('--json')) expect(jsonLines(ended.out).some(({ text }) => line.test(String(text)))).toBe(true);
      else expect(ended.out + ended.err).toMatch(line);
    }
  });

  it('warns at the start about names in the configuration that it does not know', async () => {
    await using server = await startScriptedServer([say('GOAL: complete')]);
    using place = scratch(server.baseUrl, {
      norris: { executor: 'quick' },
      safety: { llm_second_opinion: false, disable_rules: ['kill-9'] },
    });
    const { code, err } = await runProgram(place, ['run', 'x']);
    expect(code).toBe(0);
    expect(err).toMatch(/norris\.executor: no preset is called quick; fast is used/);
    expect(err).toMatch(/safety\.disable_rules: no rule is called kill-9; did you mean kill -9\?/);
    expect((await runProgram(place, ['doctor'])).out).toMatch(
      /config +safety\.disable_rules: no rule is called kill-9/,
    );
  });

  it('fails when its output can’t be written', async () => {
    await using server = await startScriptedServer([say('It is blue.')]);
    using place = scratch(server.baseUrl);
    const { code, err } = await runProgram(place, ['-c', `"$0" ask why > /dev/full`, PROGRAM], { file: '/bin/sh' });
    expect(code).toBe(74);
    expect(err).toMatch(/the output could not be written \(.*ENOSPC/);
  });

  it('waits for a job of the model, and fails when the job fails', async () => {
    const ends = [0, 7].map(async (exit) => {
      await using server = await startScriptedServer([
        say(`CMD&: sleep 2; echo installed > done; exit ${exit}`),
        say('GOAL: complete'),
        say('GOAL: complete'),
      ]);
      using place = scratch(server.baseUrl, { mode: 'unrestricted', safety: { llm_second_opinion: false } });
      const { code, err } = await runProgram(place, ['run', 'install']);
      expect(server.requests.at(2)?.lastUser).toContain('still running: job 1');
      expect(err).toContain('waiting for job 1 (sleep 2');
      expect(readFileSync(join(place.work, 'done'), 'utf8')).toBe('installed\n');
      return code;
    });
    expect(await Promise.all(ends)).toEqual([0, 3]);
  });
});

describe('aish-tui ask', () => {
  it('fails when the model acts and then says nothing', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'true' }), say(''), say('')]);
    using place = scratch(server.baseUrl);
    const { code, err } = await runProgram(place, ['ask', 'what is it?']);
    expect([code, err]).toEqual([6, expect.stringContaining('aish-tui: the model gave no answer')]);
  });
});

it('a headless run exits without a stack trace when the reader of its output closes early', async () => {
  await using server = await startScriptedServer([say('CMD: seq 1 2000'), say('GOAL: complete')]);
  using place = scratch(server.baseUrl);
  const ended = await runProgram(place, ['-c', `"${PROGRAM}" run count | head -1`], { file: '/bin/sh' });
  expect(ended.out.split('\n')[0]).toContain('goal: count');
  expect(ended.err).not.toMatch(/EPIPE|^\s+at /m);
});

it('a headless run removes control sequences from a model’s text before a terminal sees it', async () => {
  const sly = call('no\u001b]52;c;aGk=\u0007such', {});
  await using server = await startScriptedServer([sly, say('ok')]);
  using place = scratch(server.baseUrl);
  const { out, err } = await runProgram(place, ['ask', 'x']);
  expect(out).toContain('no tool is called');
  expect(out + err).not.toMatch(/[\x1b\x07]/);
});

it.skipIf(lacks('cc'))('a headless run resumes in the mode given on the command line', async () => {
  await using server = await startScriptedServer([say('first')]);
  using place = scratch(server.baseUrl, { mode: 'unrestricted' });
  await runProgram(place, ['ask', 'one']);
  const { out } = await runProgram(place, ['--resume', '--mode', 'restricted'], { input: ':mode\n' });
  expect(out).toContain('restricted: the model can read, not write');
  expect(out).not.toContain('first');
});
