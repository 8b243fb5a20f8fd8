import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { jsonLines, KINDS, linesSchema } from '../support/lines.ts';
import { PROGRAM, runProgram, scratch } from '../support/program.ts';
import { call, say, startScriptedServer, whenever } from '../support/scripted-server.ts';

describe('aish-tui run', () => {
  it('counts recently changed Python files with the demo, several steps, no question', async () => {
    using place = scratch();
    mkdirSync(join(place.work, 'pkg'));
    for (const name of ['a.py', 'pkg/b.py', 'pkg/c.py', 'note.txt']) writeFileSync(join(place.work, name), 'x');
    writeFileSync(join(place.work, 'old.py'), 'x');
    utimesSync(join(place.work, 'old.py'), 1e9, 1e9);
    const { code, out } = await runProgram(place, [
      'run',
      'find all Python files modified in the last week and count them',
    ]);
    expect(code).toBe(0);
    expect(out).toContain('There are 3 Python files');
    expect(out).toMatch(/\[norris\] done \(\d+ steps, 2 commands, 0 skips/);
    expect(out).toContain('[demo]');
  });

  it('never proceeds at a HALT: aborts with 4, or skips', async () => {
    for (const [flag, code] of [
      ['abort', 4],
      ['skip', 0],
    ] as const) {
      await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo' }), say('GOAL: complete')]);
      using place = scratch(server.baseUrl);
      mkdirSync(join(place.work, 'foo'));
      const ended = await runProgram(place, ['run', '--on-halt', flag, 'clean up']);
      expect(ended.code).toBe(code);
      expect(ended.err).toContain(`HALT: `);
      expect(ended.out).not.toContain('by you');
      expect(ended.out).toContain(flag === 'skip' ? '0 commands, 1 skip,' : '0 skips,');
      expect(existsSync(join(place.work, 'foo'))).toBe(true);
    }
  });

  it('names the servers whose tools are missing, each in one line', async () => {
    const servers = {
      gone: { command: 'no-such-program' },
      slow: { command: 'sleep', args: ['60'] },
      fails: { command: 'sh', args: ['-c', 'echo broken >&2; exit 3'] },
    };
    using place = scratch(undefined, { mcp: { servers, start_seconds: 2 } });
    const { err } = await runProgram(place, ['ask', 'hello']);
    expect(err).toMatch(/the tools of gone \(MCP\) are missing: could not start: .*no-such-program/);
    expect(err).toMatch(/the tools of slow \(MCP\) are missing: ./);
    expect(err).toMatch(/the tools of fails \(MCP\) are missing: ended with exit 3: broken/);
  });

  it('ends what waits for a person at once, and tells the model', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'read -p "Name? " name; echo "<$name>"' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted', safety: { llm_second_opinion: false } });
    const { code, out } = await runProgram(place, ['run', 'ask']);
    const why = 'ended: bash waits for a person, and nobody is here to answer it';
    expect(out).toContain(why);
    expect(server.requests[1]?.text).toContain(why);
    expect(code).toBe(0);
  });

  it('goes on without what needs a yes and loses nothing, and tells the model that nobody is there', async () => {
    const patch = { path: 'notes.txt', patches: [{ operation: 'overwrite', newText: 'mine\n' }] };
    await using server = await startScriptedServer([call('patch', patch), say('GOAL: complete')]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    const { code, out, err } = await runProgram(place, ['run', 'write']);
    expect(err).toContain('needs approval: patch');
    expect(server.requests[1]?.text).toContain('[aish] action not run: nobody is there to approve it');
    expect(out).toContain('1 skip,');
    expect(code).toBe(0);
    expect(existsSync(join(place.work, 'notes.txt'))).toBe(false);
  });

  it.skipIf(lacks('cc'))('says at its end what it has changed, however it ends', async () => {
    const edit = call('bash', { command: 'echo x >> notes.txt; mkdir -p .git new; touch .git/a new/b' });
    const line = /1 file changed, 1 created: .*notes\.txt.* · git's own: \d · :undo run takes it back/;
    const ways: readonly (readonly [ReturnType<typeof call>, number, readonly string[]])[] = [
      [say('GOAL: complete'), 0, []],
      [say('GOAL: blocked'), 3, []],
      [call('bash', { command: 'rm -rf mine' }), 4, []],
      [say('GOAL: complete'), 0, ['--json']],
      [call('bash', { command: 'sleep 60' }), 5, ['--timeout', '4']],
    ];
    for (const [last, code, flags] of ways) {
      await using server = await startScriptedServer([edit, last]);
      using place = scratch(server.baseUrl, { mode: 'project' });
      for (const name of ['notes.txt', 'mine']) writeFileSync(join(place.work, name), 'x\n');
      const ended = await runProgram(place, ['run', ...flags, 'write']);
      expect(ended.code, ended.err).toBe(code);
      expect(ended.out + ended.err).toMatch(line);
      if (flags.includes('--json')) expect(jsonLines(ended.out).some(({ text }) => line.test(String(text)))).toBe(true);
    }
  });

  it('names every danger of what it does not run, the worst first', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo && chmod -R 777 .' })]);
    using place = scratch(server.baseUrl);
    mkdirSync(join(place.work, 'foo'));
    const { code, err } = await runProgram(place, ['run', 'publish']);
    expect(code).toBe(4);
    expect(err).toMatch(/HALT: [^:]*deletes files[^:]*: rm -rf foo && chmod -R 777 . -> abort/);
    expect(err).toMatch(/HALT: [^:]*; [^:]*: rm -rf/);
  });

  it('says in JSON what was asked, and how that was answered', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo' })]);
    using place = scratch(server.baseUrl);
    const { code, out } = await runProgram(place, ['run', '--json', 'clean up']);
    expect(code).toBe(4);
    const lines = jsonLines(out);
    expect(lines.find(({ kind }) => kind === 'question')).toMatchObject({
      asks: 'halt',
      action: { kind: 'command', command: 'rm -rf foo' },
      judgement: { destructive: true, reason: expect.stringContaining('rm -rf') },
      answer: 'abort',
    });
  });

  it('says at the start which names of the configuration it does not know', async () => {
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

  it('fails where its output can not be written', async () => {
    await using server = await startScriptedServer([say('It is blue.')]);
    using place = scratch(server.baseUrl);
    const { code, err } = await runProgram(place, ['-c', `"$0" ask why > /dev/full`, PROGRAM], { file: '/bin/sh' });
    expect(code).toBe(74);
    expect(err).toMatch(/the output could not be written \(.*ENOSPC/);
  });

  it('tells by its exit code how it ended', async () => {
    const codeOf = async (...turns: Parameters<typeof startScriptedServer>[0]) => {
      await using server = await startScriptedServer(turns);
      using place = scratch(server.baseUrl, { norris: { max_norris_steps: 2 } });
      return (await runProgram(place, ['run', 'x'])).code;
    };
    expect(await codeOf(say('GOAL: blocked\nno way'))).toBe(3);
    expect(await codeOf(say('hm'), say('hm'))).toBe(3);
    expect(await codeOf(say('CMD: true'), say('CMD: true'))).toBe(5);
    expect(await codeOf({ error: { status: 401, message: 'no key' } })).toBe(6);
  });

  it('asks the second opinion about a command that the rules leave open', async () => {
    await using server = await startScriptedServer([
      whenever(/Detect destructive shell commands/, say('YES')),
      say('CMD: frobnicate --all'),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    const { code, err } = await runProgram(place, ['run', 'tidy']);
    expect(err).toContain('HALT: LLM flagged as destructive: frobnicate --all');
    expect(code).toBe(4);
  });

  it('writes a file by a here-document behind CMD:, and leaves a file alone where it has no end', async () => {
    await using server = await startScriptedServer([
      say("```sh\nCMD: cat > made.txt <<'EOF'\none\nCMD: two\nEOF\n```"),
      say("CMD: cat > notes.txt <<'EOF'\nthree"),
      whenever(/its here-document is not finished/, say('GOAL: complete')),
    ]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    writeFileSync(join(place.work, 'notes.txt'), 'mine');
    const { code } = await runProgram(place, ['run', 'write']);
    expect(readFileSync(join(place.work, 'made.txt'), 'utf8')).toBe('one\nCMD: two\n');
    expect(readFileSync(join(place.work, 'notes.txt'), 'utf8')).toBe('mine');
    expect(code).toBe(0);
  });

  it('shows what was run, once, and not the lines by which the model asked for it', async () => {
    await using server = await startScriptedServer([
      say('Let me look.\nCMD: echo one\n'),
      say('```bash\nCMD: echo two\n```'),
      say('Found both.\nGOAL: complete'),
    ]);
    using place = scratch(server.baseUrl);
    const { out } = await runProgram(place, ['run', 'greet']);
    expect(out).not.toMatch(/CMD:|GOAL:|```/);
    expect(out.match(/^(?:\$ .*|one|two|\[exit.*|Let me look\.|Found both\.)$/gm)).toEqual([
      ...['Let me look.', '$ echo one', 'one', '[exit 0]', '$ echo two', 'two', '[exit 0]', 'Found both.'],
    ]);
  });

  it('speaks JSON lines', async () => {
    await using server = await startScriptedServer([say('CMD: echo hi'), say('GOAL: complete')]);
    using place = scratch(server.baseUrl);
    const { out } = await runProgram(place, ['run', '--json', 'greet']);
    const kinds = jsonLines(out).map(({ kind }) => kind);
    expect(kinds).toEqual(['norrisBegan', 'norrisStep', 'assistant', 'exec', 'norrisStep', 'assistant', 'norrisEnded']);
  });

  it('has a schema for every kind of line', async () => {
    const told = linesSchema().oneOf.map(({ properties }) => properties.kind.const);
    expect(told.toSorted()).toEqual(Object.keys(KINDS).toSorted());
    expect(() => jsonLines('{"kind":"exec","command":"ls"}')).toThrow(/not as .*lines\.schema\.json says/);
  });

  it('waits for a job of the model, and fails where it fails', async () => {
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

  it('ends as 130 on SIGINT, and its command with it', async () => {
    await using server = await startScriptedServer([say('CMD: echo begun; sleep 300'), say('never')]);
    using place = scratch(server.baseUrl, { safety: { llm_second_opinion: false } });
    const { code } = await runProgram(place, ['run', 'wait'], {
      onOut: (out, kill) => {
        if (out.includes('$ echo begun')) kill('SIGINT');
      },
    });
    expect(code).toBe(130);
  });
});

describe('aish-tui ask', () => {
  it('answers, and keeps its session private', async () => {
    await using server = await startScriptedServer([say('Forty-two.')]);
    using place = scratch(server.baseUrl);
    const { code, out } = await runProgram(place, ['ask', 'what', 'is', 'it?']);
    expect([code, out]).toEqual([0, '> what is it?\nForty-two.\n']);
    const sessions = join(place.home, '.local/state/aish/sessions');
    const [id = ''] = readdirSync(sessions);
    expect(statSync(join(sessions, id, 'journal.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('fails where the model acts and then says nothing', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'true' }), say(''), say('')]);
    using place = scratch(server.baseUrl);
    const { code, err } = await runProgram(place, ['ask', 'what is it?']);
    expect([code, err]).toEqual([6, expect.stringContaining('aish-tui: the model gave no answer')]);
  });

  it('sends one system message, first, and no field that servers refuse', async () => {
    await using server = await startScriptedServer([say('ok')]);
    using place = scratch(server.baseUrl);
    await runProgram(place, ['ask', 'hello']);
    const request = server.requests[0];
    expect(request?.messages.map((message) => message.role)).toEqual(['system', 'user']);
    expect(request?.toolNames).toEqual(['bash', 'delegate', 'request_mode_upgrade', 'patch', 'jobs']);
    expect(request?.text.length).toBeLessThan(4500);
  });
});

describe('piped lines', () => {
  it('are taken as if typed: the shell keeps cd and export, the model sees what ran', async () => {
    await using server = await startScriptedServer([say('You are in a folder.')]);
    using place = scratch(server.baseUrl);
    mkdirSync(join(place.work, 'deep'));
    const input = 'cd deep\nexport COLOUR=teal\necho "$PWD $COLOUR"\nwhere am I now, exactly?\n';
    const { code, out } = await runProgram(place, [], { input });
    expect(code).toBe(0);
    expect(out).toContain(`${join(place.work, 'deep')} teal`);
    expect(server.requests[0]?.lastUser).toContain('$ echo "$PWD $COLOUR"');
    expect(server.requests[0]?.lastUser).toContain('where am I now, exactly?');
  });
});

describe('mistakes', () => {
  it.each([
    [['--frobnicate'], 2, /unknown option '--frobnicate'/],
    [['--config', '/nonexistent.jsonc', 'ask', 'x'], 2, /\/nonexistent\.jsonc: can't be read \(ENOENT\)/],
    [['--model', 'fats', 'ask', 'x'], 2, /no preset is called fats; there are: fast, demo/],
    [['--resume', 'nope'], 2, /no session nope|not a terminal/],
    [['safety', 'check'], 2, /no command given/],
  ] as const)('%j is one line and an exit code', async (args, code, line) => {
    using place = scratch('http://127.0.0.1:9/v1');
    const ended = await runProgram(place, args);
    expect(ended.code).toBe(code);
    expect(ended.err).toMatch(line);
    expect(ended.err.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  it('a dead server is one line that says so, exit 6', async () => {
    using place = scratch('http://127.0.0.1:9/v1');
    const { code, out } = await runProgram(place, ['ask', 'hello']);
    expect(code).toBe(6);
    expect(out).toMatch(/127\.0\.0\.1:9/);
  });
});

it('lets a reader that has seen enough go, without a stack trace', async () => {
  await using server = await startScriptedServer([say('CMD: seq 1 2000'), say('GOAL: complete')]);
  using place = scratch(server.baseUrl);
  const ended = await runProgram(place, ['-c', `"${PROGRAM}" run count | head -1`], { file: '/bin/sh' });
  expect(ended.out.split('\n')[0]).toContain('goal: count');
  expect(ended.err).not.toMatch(/EPIPE|^\s+at /m);
});

it('cleans what a model says before a terminal sees it', async () => {
  const sly = call('no\u001b]52;c;aGk=\u0007such', {});
  await using server = await startScriptedServer([sly, say('ok')]);
  using place = scratch(server.baseUrl);
  const { out, err } = await runProgram(place, ['ask', 'x']);
  expect(out).toContain('no tool is called');
  expect(out + err).not.toMatch(/[\x1b\x07]/);
});

it.skipIf(lacks('cc'))('resumes in the mode that the command line asks for', async () => {
  await using server = await startScriptedServer([say('first')]);
  using place = scratch(server.baseUrl, { mode: 'unrestricted' });
  await runProgram(place, ['ask', 'one']);
  const { out } = await runProgram(place, ['--resume', '--mode', 'restricted'], { input: ':mode\n' });
  expect(out).toContain('restricted: the model can read, not write');
  expect(out).not.toContain('first');
});

it('goes on from its journal', async () => {
  await using server = await startScriptedServer([say('first'), say('second')]);
  using place = scratch(server.baseUrl);
  await runProgram(place, ['ask', 'one']);
  await runProgram(place, ['--resume'], { input: '?two\n' });
  expect(server.requests[1]?.messages.map((message) => message.content).slice(1)).toEqual(['one', 'first', 'two']);
});
