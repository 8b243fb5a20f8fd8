import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonLines, KINDS, linesSchema } from '../support/lines.ts';
import { runProgram, scratch } from '../support/program.ts';
import { call, say, startScriptedServer, whenever } from '../support/scripted-server.ts';

describe('aish-tui run', () => {
  it('counts recently changed Python files with the demo model in several steps, without a question', async () => {
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

  it.each([
    ['abort', 4],
    ['skip', 0],
  ] as const)('never proceeds at a HALT with --on-halt %s, and names every danger', async (answer, code) => {
    const command = 'rm -rf foo && chmod -R 777 .';
    await using server = await startScriptedServer([call('bash', { command }), say('GOAL: complete')]);
    using place = scratch(server.baseUrl);
    mkdirSync(join(place.work, 'foo'));
    const ended = await runProgram(place, ['run', '--json', '--on-halt', answer, 'clean up']);
    expect(ended.code).toBe(code);
    // The first finding is the least reversible, which depends on what the machine can keep.
    expect(ended.err).toMatch(/HALT: [^:]*; [^:]*: rm -rf foo && chmod -R 777 . -> /);
    for (const danger of ['deletes files', 'lets everyone write']) expect(ended.err).toContain(danger);
    const lines = jsonLines(ended.out);
    expect(lines.find(({ kind }) => kind === 'question')).toMatchObject({
      asks: 'halt',
      action: { kind: 'command', command },
      judgement: { destructive: true, reason: expect.stringContaining('rm -rf') },
      answer,
    });
    expect(existsSync(join(place.work, 'foo'))).toBe(true);
  });

  it('ends a command that waits for a person at once, and tells the model', async () => {
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

  it('skips what needs a yes without losing anything, and tells the model that nobody is there', async () => {
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

  it('reports by its exit code how it ended', async () => {
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

  it('writes a file by a here-document after CMD:, and leaves the file unchanged when the here-document has no end', async () => {
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

  it('prints each command once, without the line by which the model asked for it', async () => {
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

  it('prints JSON lines with --json', async () => {
    await using server = await startScriptedServer([say('CMD: echo hi'), say('GOAL: complete')]);
    using place = scratch(server.baseUrl);
    const { out } = await runProgram(place, ['run', '--json', 'greet']);
    const kinds = jsonLines(out).map(({ kind }) => kind);
    expect(kinds).toEqual(['norrisBegan', 'norrisStep', 'assistant', 'exec', 'norrisStep', 'assistant', 'norrisEnded']);
  });

  it('has a schema for every kind of JSON line', async () => {
    const told = linesSchema().oneOf.map(({ properties }) => properties.kind.const);
    expect(told.toSorted()).toEqual(Object.keys(KINDS).toSorted());
    expect(() => jsonLines('{"kind":"exec","command":"ls"}')).toThrow(/not as .*lines\.schema\.json says/);
  });

  it('exits with 130 on SIGINT, and ends its command', async () => {
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
  it('sends one system message and no field that servers refuse, keeps its session private, and can be continued', async () => {
    await using server = await startScriptedServer([say('Forty-two.'), say('second')]);
    using place = scratch(server.baseUrl);
    const { code, out } = await runProgram(place, ['ask', 'what', 'is', 'it?']);
    expect([code, out]).toEqual([0, '> what is it?\nForty-two.\n']);
    const sessions = join(place.home, '.local/state/aish/sessions');
    const [id = ''] = readdirSync(sessions);
    expect(statSync(join(sessions, id, 'journal.jsonl')).mode & 0o777).toBe(0o600);
    const [request] = server.requests;
    expect(request?.messages.map((message) => message.role)).toEqual(['system', 'user']);
    expect(request?.toolNames).toEqual(['bash', 'delegate', 'request_mode_upgrade', 'patch', 'jobs']);
    expect(request?.text.length).toBeLessThan(4500);
    await runProgram(place, ['--resume'], { input: '?two\n' });
    const said = server.requests[1]?.messages.map((message) => message.content).slice(1);
    expect(said).toEqual(['what is it?', 'Forty-two.', 'two']);
  });
});

describe('lines piped to aish-tui', () => {
  it('work as if typed: the shell keeps cd and export, and the model sees what ran', async () => {
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

describe('aish-tui safety check', () => {
  it('honours the configuration and names every danger, the least reversible first', async () => {
    using place = scratch('http://127.0.0.1:9/v1');
    const config = { safety: { destructive_patterns: [{ pattern: 'deploy', reason: 'goes live' }] } };
    const file = join(place.work, 'own.jsonc');
    writeFileSync(file, JSON.stringify(config));
    writeFileSync(join(place.work, 'kept'), 'x');
    const check = async (command: string) =>
      (await runProgram(place, ['--config', file, 'safety', 'check', command])).out.trimEnd().split('\n');
    expect(await check('echo deploy')).toEqual(['destructive: goes live (rule: user: deploy)']);
    expect((await check('rm -rf kept; kill -9 123')).slice(1)).toEqual([
      '  ends a process at once: kill -9 123 (:undo can’t bring it back)',
      '  deletes files and directories: rm -rf kept',
    ]);
  });
});

describe('a mistake', () => {
  it.each([
    [['--frobnicate'], 2, /unknown option '--frobnicate'/],
    [['--config', '/nonexistent.jsonc', 'ask', 'x'], 2, /\/nonexistent\.jsonc: can't be read \(ENOENT\)/],
    [['--model', 'fats', 'ask', 'x'], 2, /no preset is called fats; there are: fast, demo/],
    [['--resume', 'nope'], 2, /no session nope|not a terminal/],
    [['safety', 'check'], 2, /no command given/],
  ] as const)('in %j gives one line and an exit code', async (args, code, line) => {
    using place = scratch('http://127.0.0.1:9/v1');
    const ended = await runProgram(place, args);
    expect(ended.code).toBe(code);
    expect(ended.err).toMatch(line);
    expect(ended.err.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  it('in the server’s address gives one line that says so, and exit code 6', async () => {
    using place = scratch('http://127.0.0.1:9/v1');
    const { code, out } = await runProgram(place, ['ask', 'hello']);
    expect(code).toBe(6);
    expect(out).toMatch(/127\.0\.0\.1:9/);
  });
});
