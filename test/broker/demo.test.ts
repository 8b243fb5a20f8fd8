import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBroker, DEMO_PRESET } from '../../src/broker/index.ts';
import { formatForModel } from '../../src/session/exec-text.ts';
import type { Message } from '../../src/session/message.ts';
import { converse, HELLO } from './talk.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-'));
});
afterEach(() => rm(folder, { recursive: true }));

const DAY = 24 * 60 * 60 * 1000;
/** Writes a file that was last changed `days` ago. */
async function file(name: string, days = 0): Promise<void> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, 'x');
  const time = new Date(Date.now() - days * DAY);
  await utimes(path, time, time);
}

const broker = createBroker({ presets: [DEMO_PRESET], sleep: async () => {} });

function bash(command: string): Promise<string> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', command], { cwd: folder }, (error, stdout, stderr) => {
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
  { norris = false, verdict }: { norris?: boolean; verdict?: (command: string) => string | undefined } = {},
): Promise<Run> {
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
    const { reply } = await converse(broker, {}, messages, 'demo');
    messages.push({ role: 'assistant', content: reply.text, toolCalls: [] });
    const command = /^CMD: (.*)$/m.exec(reply.text)?.[1];
    if (command === undefined) return { commands, last: reply.text };
    commands.push(command);
    const content = verdict?.(command) ?? (await bash(command));
    messages.push({ role: 'user', content: `${content}\n\n${tail}` });
  }
  throw new Error('the demo did not come to an end');
}

test.each([true, false])('the demo counts all Python files of the last week (AT-1), as a run: %s', async (norris) => {
  const many = Array.from({ length: 25 }, (_, n) => file(`many/${n}.py`));
  await Promise.all([...many, file('with a\nline break.py', 2), file('.hidden.py'), file('old.py', 9), file('a.txt')]);
  const goal = 'find all Python files modified in the last week and count them';
  const { commands, last } = await play(goal, { norris });
  expect(commands).toHaveLength(2);
  expect(last).toMatch(/^There are 27 Python files modified in the last 7 days here\.\n\n- \.\/\.hidden\.py\n/);
  expect(last.endsWith('\n\nGOAL: complete')).toBe(norris);
});

test('the demo knows the example goal of the first screen', async () => {
  const { last } = await play('find all Python files changed last week and count them', { norris: true });
  expect(last).toBe('There are 0 Python files modified in the last 7 days here.\n\nGOAL: complete');
});

const CLEAN = 'clean up old logs in logs';

test('the demo removes rotated logs by name, and says how to restore them', async () => {
  await Promise.all([file('logs/app.log'), file('logs/app.log.1'), file('logs/data.txt')]);
  const { commands, last } = await play(CLEAN, { norris: true });
  expect(commands[1]).toBe('rm -f -- logs/app.log.1');
  expect(last).toMatch(/^Removed\. `:undo run`[\s\S]*GOAL: complete$/);
  expect((await readdir(join(folder, 'logs'))).toSorted()).toEqual(['app.log', 'data.txt']);
  expect((await play(CLEAN)).last).toMatch(/^There are no rotated logs in logs\. A HALT: run/);
});

test.each([
  ['[aish] action skipped by user: rm -f', /You skipped that step[\s\S]*GOAL: blocked\na step was skipped/],
  ['$ rm\nrm: logs/x: Permission denied\n[exit 1, cwd /]', /^The command failed: rm: .*denied[\s\S]*GOAL: blocked/],
])('the demo stops at a removal that did not run: %s', async (answer, said) => {
  await file('logs/app.log.1');
  const verdict = (command: string) => (command.startsWith('rm') ? answer : undefined);
  const { commands, last } = await play(CLEAN, { norris: true, verdict });
  expect(commands).toHaveLength(2);
  expect(last).toMatch(said);
});

test('the demo reports a missing directory', async () => {
  const { last } = await play('clean up old logs in nowhere', { norris: true });
  expect(last).toMatch(/nowhere.*No such file[\s\S]*GOAL: blocked/);
});

test('for an unknown goal the demo says that it is a script and how to connect a model', async () => {
  expect((await play('write me a poem')).last).toMatch(
    /a script, not a language model[\s\S]*llama-server[\s\S]*Ollama[\s\S]*OPENAI_API_KEY/,
  );
  expect((await play('write me a poem', { norris: true })).last).toMatch(/\n\nGOAL: blocked\nthe demo is a script/);
});

test('the demo explains a failure of the user’s last command', async () => {
  const ran = '[aish] the user ran:\n$ gti status\nbash: gti: command not found\n[exit 127, cwd /]\n\n';
  const asked = async (before: string) => {
    const messages: Message[] = [{ role: 'user', content: `${before}why did that fail?` }];
    return (await converse(broker, {}, messages, 'demo')).reply.text;
  };
  expect(await asked(ran)).toMatch(/`gti status` ended with exit 127\. It said: .*command not found/);
  expect(await asked('[aish] the user ran:\n$ ls\nx\n[exit 0, cwd /]\n\n')).toContain(
    '`ls` ended with exit 0. It said: `x`',
  );
  expect(await asked('')).toContain('You have run nothing yet');
});

test('the demo does not mix a second question with earlier questions and output', async () => {
  const messages: Message[] = [
    ...HELLO.slice(0, 1),
    { role: 'user', content: CLEAN },
    { role: 'assistant', content: 'I look.\n\nCMD: find logs', toolCalls: [] },
    {
      role: 'user',
      content:
        '$ find logs\nhello\n\nclean up old logs\n[exit 0, cwd /]\n\n[aish] the user ran:\n$ ls\nx\n[exit 0, cwd /]\n\ncount python files',
    },
  ];
  const { reply } = await converse(broker, {}, messages, 'demo');
  expect(reply.text).toMatch(/CMD: find \. -type f -name '\*\.py' \| sort/);
});

test('the demo streams, counts tokens itself, and stops at once', async () => {
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
  expect(heard.reply).toMatchObject({ text: 'I am the', finish: 'cancelled', preset: 'demo' });
  expect(pieces).toHaveLength(3);
  expect(heard.reply.usage).toEqual({ promptTokens: 9, completionTokens: 2 });
});

test('the demo plans and summarises on request', async () => {
  const options = { signal: new AbortController().signal };
  const plan = await broker.chat('demo', [{ role: 'user', content: 'count python files' }], {
    ...options,
    category: 'norris-preplan',
  });
  expect(plan.text).toMatch(/^TASK: .+\nTASK: count python files$/);
  const memory = await broker.chat('demo', HELLO, { ...options, category: 'memory' });
  expect(memory.text).toBe('The user asked the demo: hello.');
});

test.each(['ls -la', 'rm -f a', ''])('the demo’s second opinion never calls a command safe: %j', async (question) => {
  const options = { signal: new AbortController().signal, category: 'safety' as const, maxTokens: 4 };
  const reply = await broker.chat('demo', [{ role: 'user', content: question }], options);
  expect(reply.text).toBe('YES');
});
