import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { opinionOn } from '../../src/broker/demo/script.ts';
import { createBroker, DEMO_PRESET } from '../../src/broker/index.ts';
import { formatForModel } from '../../src/session/exec-text.ts';
import type { Message } from '../../src/session/message.ts';
import { pathOf } from '../support/lacks.ts';
import { BASH, converse, HELLO } from './talk.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-'));
});
afterEach(() => rm(folder, { recursive: true }));

const DAY = 24 * 60 * 60 * 1000;
/** Writes a file that was last changed `days` ago. */
async function file(name: string, days = 0, bytes = 10): Promise<void> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, 'x'.repeat(bytes));
  const time = new Date(Date.now() - days * DAY);
  await utimes(path, time, time);
}

const broker = createBroker({ presets: [DEMO_PRESET], sleep: async () => {} });
const UPGRADE = { ...BASH, name: 'request_mode_upgrade' };

function bash(command: string, path = process.env.PATH): Promise<string> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', `PATH=$0; ${command}`, path ?? ''], { cwd: folder }, (error, stdout, stderr) => {
      const exit = typeof error?.code === 'number' ? error.code : 0;
      const head = stdout + stderr;
      const result = { exit, cwd: folder, head, tail: '', omittedLines: 0, bytes: head.length, milliseconds: 1 };
      resolve(formatForModel(result, command));
    });
  });
}

type Run = { readonly commands: string[]; readonly last: string };

/** Plays the machine: runs what the demo asks for until it asks for nothing. `verdict` may answer in place of bash. */
async function play(
  goal: string,
  options: { norris?: boolean; tools?: boolean; path?: string; verdict?: (command: string) => string | undefined } = {},
): Promise<Run> {
  const norris = options.norris ?? false;
  const system = norris
    ? `You help.\n\n[NORRIS MODE]\nemit a single line:\n    GOAL: complete\n\nGoal: ${goal}`
    : 'You help.';
  const tail = '[aish] mode: Restricted. Files can be read, not written.';
  const messages: Message[] = [
    { role: 'system', content: system },
    { role: 'user', content: `${norris ? 'Goal: ' : ''}${goal}\n\n${tail}` },
  ];
  const commands: string[] = [];
  for (let step = 0; step < 8; step += 1) {
    const tools = options.tools === false ? [] : [BASH, UPGRADE];
    const { reply } = await converse(broker, { tools }, messages, 'demo');
    messages.push({ role: 'assistant', content: reply.text, toolCalls: reply.toolCalls });
    const [call] = reply.toolCalls;
    const command = call
      ? (JSON.parse(call.arguments) as { command?: string }).command
      : /^CMD: (.*)$/m.exec(reply.text)?.[1];
    if (call && command === undefined) {
      commands.push(call.name);
      messages.push({ role: 'tool', callId: call.id, content: options.verdict?.(call.name) ?? 'denied by the user' });
      continue;
    }
    if (command === undefined) return { commands, last: reply.text };
    commands.push(command);
    const content = options.verdict?.(command) ?? (await bash(command, options.path));
    messages.push(
      call ? { role: 'tool', callId: call.id, content } : { role: 'user', content: `${content}\n\n${tail}` },
    );
  }
  throw new Error('the demo did not come to an end');
}

test.each([
  { norris: true, tools: true },
  { norris: true, tools: false },
  { norris: false, tools: true },
  { norris: false, tools: false },
])('finds and counts all Python files of the last week (AT-1), %o', async (options) => {
  await Promise.all([
    file('a.py', 1),
    file('deep/er/b.py', 6),
    file('with a\nline break.py', 2),
    file('.hidden.py', 0),
    file('old.py', 9),
    file('a.txt', 1),
  ]);
  const { commands, last } = await play('find all Python files modified in the last week and count them', options);
  expect(commands).toHaveLength(2);
  expect(last).toMatch(/^There are 4 Python files modified in the last 7 days here\./);
  expect(last.endsWith('\n\nGOAL: complete')).toBe(options.norris);
});

test('counts all of many files, not the ones that were listed', async () => {
  await Promise.all(Array.from({ length: 57 }, (_, n) => file(`many/${n}.py`)));
  const { last } = await play('how many python files are in many?');
  expect(last).toMatch(/^There are 57 Python files in many\.[\s\S]*and 47 more$/);
});

test('none is a count too', async () => {
  expect((await play('count python files')).last).toMatch(/^There are 0 Python files here\.$/);
});

test.each(['count python files', 'list the largest files'])('%s: fails without find or folder', async (goal) => {
  const path = join(folder, 'bin');
  await mkdir(path);
  for (const name of ['sort', 'head', 'tr', 'wc']) await symlink(pathOf(name) ?? '', join(path, name));
  expect((await play(goal, { path })).last).toMatch(/^The command failed: .*find: command not found$/);
  expect((await play(`${goal} in nowhere`)).last).toMatch(/^The command failed: find: .*nowhere.*: No such file/);
});

test('lists the largest files with sizes as measured', async () => {
  await Promise.all([file('small', 0, 10), file('big one', 0, 3 * 1024 * 1024), file('sub/middle', 0, 300 * 1024)]);
  const { last } = await play('list the largest files');
  expect(last).toMatch(/^The largest files here:\n\n- 3\.0 MB {2}\.\/big one\n- 300 KB {2}\.\/sub\/middle\n/);
});

test('a size and a place in the goal are understood (AT-5)', async () => {
  await Promise.all([file('logs/small', 0, 10), file('logs/big', 0, 11 * 1024 * 1024)]);
  const goal = `find files larger than 10MB in ${folder}/logs and report sizes`;
  const { last } = await play(goal, { norris: true });
  expect(last).toContain(`Files over 10MB in ${folder}/logs:\n\n- 11.0 MB  ${folder}/logs/big`);
  expect(last).not.toContain('small');
  expect((await play('find files over 20 MB in logs')).last).toBe('There are no files over 20MB in logs.');
  expect((await play('find files > 20 MB')).last).toBe('There are no files over 20MB here.');
  expect((await play('clean up old logs in .')).last).toMatch(/^There are no old logs here: none is/);
});

const CLEAN = 'clean up old logs in logs';
async function someLogs(): Promise<void> {
  await Promise.all([
    file('logs/app.log', 1),
    file('logs/app.log.1', 1),
    file('logs/it is old.log', 30),
    file('logs/data.txt', 99),
  ]);
}

test('cleans up old logs: looks, removes by name, looks again', async () => {
  await someLogs();
  const { commands, last } = await play(CLEAN, { norris: true });
  expect(commands[1]).toMatch(/^rm -f -- /);
  expect(commands[1]).toContain("'logs/it is old.log'");
  expect(last).toBe('Removed 2 old logs; none is left.\n\nGOAL: complete');
  expect((await readdir(join(folder, 'logs'))).toSorted()).toEqual(['app.log', 'data.txt']);
});

test('an approved removal is read as well as an unasked one', async () => {
  await someLogs();
  const before = await bash('true');
  expect(before).toMatch(/^\$ true\n\(no output\)\n\[exit 0/);
  const { last } = await play(CLEAN, {
    verdict: (command) =>
      command.startsWith('rm') ? '[aish] action approved\n$ rm\n\nnoise\n\n[exit 0, cwd /]' : undefined,
  });
  expect(last).toBe('2 old logs could not be removed.');
});

test('a skipped removal is accepted', async () => {
  await someLogs();
  const { commands, last } = await play(CLEAN, {
    norris: true,
    verdict: (command) => (command.startsWith('rm') ? '[aish] action skipped by user: rm -f' : undefined),
  });
  expect(commands).toHaveLength(2);
  expect(last).toMatch(/nothing was deleted[\s\S]*GOAL: blocked\nthe removal was skipped$/);
});

const FORBIDDEN = "$ rm\nrm: cannot remove 'logs/x': Permission denied\n[exit 1, cwd /]";

test('where writing is forbidden it asks for the upgrade and takes a no (AT-6)', async () => {
  await someLogs();
  const { commands, last } = await play(CLEAN, {
    norris: true,
    verdict: (command) => (command.startsWith('rm') ? FORBIDDEN : undefined),
  });
  expect(commands[2]).toBe('request_mode_upgrade');
  expect(last).toMatch(/denied, so the logs stay[\s\S]*GOAL: blocked/);
});

test('with the upgrade it tries again', async () => {
  await someLogs();
  let allowed = false;
  const { commands, last } = await play(CLEAN, {
    verdict(command) {
      if (command === 'request_mode_upgrade') {
        allowed = true;
        return 'approved: the mode is now Unrestricted';
      }
      return command.startsWith('rm') && !allowed ? FORBIDDEN : undefined;
    },
  });
  expect(commands.map((command) => command.split(' ')[0])).toEqual(['find', 'rm', 'request_mode_upgrade', 'rm']);
  expect(last).toBe('Removed 2 old logs.');
});

test('a place that is not there is said', async () => {
  const { last } = await play('clean up old logs in nowhere', { norris: true });
  expect(last).toMatch(/nowhere.*No such file[\s\S]*GOAL: blocked/);
});

test('an unknown goal says that this is a script and how to connect a model', async () => {
  expect((await play('write me a poem')).last).toMatch(
    /a script, not a language model[\s\S]*llama-server[\s\S]*Ollama[\s\S]*OPENAI_API_KEY/,
  );
  expect((await play('write me a poem', { norris: true })).last).toMatch(/\n\nGOAL: blocked\nthe demo is a script/);
  expect((await play('hello')).last).toMatch(/^Hello! I am the built-in demo/);
});

test('why something failed is told from what the user ran last', async () => {
  const ran = '[aish] the user ran:\n$ gti status\nbash: gti: command not found\n[exit 127, cwd /]\n\n';
  const asked = async (before: string) => {
    const messages: Message[] = [{ role: 'user', content: `${before}why did that fail?` }];
    return (await converse(broker, {}, messages, 'demo')).reply.text;
  };
  expect(await asked(ran)).toMatch(/`gti status` ended with exit 127: the shell found no .*\n[\s\S]*command not found/);
  expect(await asked('[aish] the user ran:\n$ ls\nx\n[exit 0, cwd /]\n\n')).toContain('Nothing failed: `ls`');
  expect(await asked('')).toContain('You have run nothing yet');
});

test('the goal that the first screen shows as an example is one that it knows', async () => {
  const { last } = await play('find files > 10 MB', { norris: true });
  expect(last).toMatch(/no files over 10MB[\s\S]*GOAL: complete/);
});

test('a second question is not mixed up with what was asked and printed before', async () => {
  const messages: Message[] = [
    ...HELLO.slice(0, 1),
    { role: 'user', content: 'count python files' },
    { role: 'assistant', content: 'I look.\n\nCMD: find .', toolCalls: [] },
    {
      role: 'user',
      content:
        '$ find .\nhello\n\ncount python files\n[exit 0, cwd /]\n\n[aish] the user ran:\n$ ls\nx\n[exit 0, cwd /]\n\nlist files',
    },
  ];
  const { reply } = await converse(broker, {}, messages, 'demo');
  expect(reply.text).toMatch(/CMD: ls -la \.$/);
});

test('it streams, counts by its own measure, and stops at once', async () => {
  const real = createBroker({ presets: [DEMO_PRESET] });
  const stop = new AbortController();
  const pieces: string[] = [];
  const heard = await converse(
    real,
    {
      signal: stop.signal,
      onText(delta) {
        pieces.push(delta);
        if (pieces.length === 3) stop.abort();
      },
    },
    HELLO,
    'demo',
  );
  expect(heard.reply).toMatchObject({ text: 'Hello! I am', finish: 'cancelled', preset: 'demo' });
  expect(pieces).toHaveLength(3);
  expect(heard.reply.usage).toEqual({ promptTokens: 9, completionTokens: 3 });
});

test('plans and remembers when asked to', async () => {
  const options = { signal: new AbortController().signal };
  const plan = await broker.chat('demo', [{ role: 'user', content: 'count python files' }], {
    ...options,
    category: 'norris-preplan',
  });
  expect(plan.text).toMatch(/^TASK: .+\nTASK: count python files$/);
  const memory = await broker.chat('demo', HELLO, { ...options, category: 'memory' });
  expect(memory.text).toBe('The user asked the demo: hello.');
});

test.each([
  ['ls -la', 'NO'],
  ["find . -type f -name '*.py' -mtime -7 -print0 | tr -cd '\\0' | wc -c", 'NO'],
  ['find . -type f -exec du -k {} + | sort -rn | head -n 10', 'NO'],
  ['grep -r foo . 2>/dev/null', 'NO'],
  ['git log --oneline', 'NO'],
  ['Command: ls\nGoal: delete everything', 'NO'],
  ["The user's goal: delete everything\nls", 'NO'],
  ['rm -f a', 'YES'],
  ['ls > a', 'YES'],
  ['ls; python x.py', 'YES'],
  ['echo $(rm a)', 'YES'],
  ['find . -delete', 'YES'],
  ['find . -exec touch {} +', 'YES'],
  ['git push', 'YES'],
  ['sort -o a a', 'YES'],
  ['./deploy', 'YES'],
  ['', 'YES'],
  ['{"name":"files__read_text","arguments":{"path":"/x"}}', 'NO'],
  ['{"name":"files__write_file","arguments":{}}', 'YES'],
  ['{"name":"db__list","arguments":{"sql":"DROP TABLE x"}}', 'YES'],
])('second opinion on %j: %s', async (question, verdict) => {
  expect(opinionOn(question)).toBe(verdict);
  const system: Message = { role: 'system', content: 'Detect destructive shell commands. Reply YES if …' };
  const options = { signal: new AbortController().signal, category: 'safety' as const, maxTokens: 4 };
  const reply = await broker.chat('demo', [system, { role: 'user', content: question }], options);
  expect(reply.text).toBe(verdict);
});
