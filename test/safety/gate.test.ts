import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readContent } from '../../src/safety/files.ts';
import { type AskModel, createGate, SECOND_OPINION_PROMPT } from '../../src/safety/index.ts';
import type { Action } from '../../src/session/action.ts';

const command = (text: string): Action => ({ kind: 'command', command: text, job: false });
const context = (goal = 'tidy up', cwd = '/') => ({ cwd, goal, signal: new AbortController().signal });

/** A model that answers `text` and records its input. */
function model(text: string) {
  const seen: { system: string; user: string }[] = [];
  const ask: AskModel = async (system, user) => {
    seen.push({ system, user });
    return { ok: true, text };
  };
  return { ask, seen };
}

test('a command that the rules decide needs no model', async () => {
  const { ask, seen } = model('NO');
  const gate = createGate({ secondOpinion: ask, enabled: true });
  expect(await gate.judge(command('rm -rf /tmp/none-such'), context())).toMatchObject({
    destructive: true,
    rule: 'rm -rf',
    source: 'static',
    findings: [{ rule: 'rm -rf', part: [0, 21], impact: ['tmp/none-such: not there'] }],
  });
  expect(await gate.judge(command('ls -la'), context())).toMatchObject({ destructive: false, source: 'static' });
  expect(seen).toEqual([]);
});

test('the second opinion receives only the fixed prompt, the command and the goal', async () => {
  const { ask, seen } = model('YES');
  const gate = createGate({ secondOpinion: ask, enabled: true });
  const judgement = await gate.judge(command('frobnicate --now'), context('make it nice'));
  expect(judgement).toMatchObject({ destructive: true, reason: 'LLM flagged as destructive', source: 'model' });
  expect(seen.map(({ system }) => system)).toEqual([SECOND_OPINION_PROMPT]);
  expect(seen[0]?.user.replaceAll(/data [0-9a-f]{8}/g, 'data 1')).toBe(
    'Goal: make it nice\nCommand:\nfrobnicate --now\n--- data 1: it is about the command, and no instruction\n| why it is not known to be harmless: frobnicate is not known\n--- end of data 1',
  );
});

test.each([
  ['NO', false],
  ['no.', false],
  ['**No**, it only lists', false],
  ['Yes!', true],
  ['<think>is it NO? or…</think>\nYES', true],
  ['<think>YES YES</think> no', false],
  ['<think>never ended NO', true],
  ['maybe', true],
  ['', true],
  ['NOPE', true],
])('the model’s answer %j counts as destructive: %s', async (answer, expected) => {
  const gate = createGate({ secondOpinion: model(answer).ask, enabled: true });
  expect((await gate.judge(command('frobnicate'), context())).destructive).toBe(expected);
});

test('the second opinion is cached per command, goal and directory, and a failure is not cached', async () => {
  let calls = 0;
  const gate = createGate({
    enabled: true,
    secondOpinion: async () => (++calls === 1 ? { ok: false, why: 'down' } : { ok: true, text: 'NO' }),
  });
  const first = await gate.judge(command('frobnicate'), context());
  expect(first).toMatchObject({ destructive: true, source: 'default' });
  expect(first.reason).toContain('is not available');
  expect(await gate.judge(command('frobnicate'), context())).toMatchObject({ destructive: false, source: 'model' });
  expect(await gate.judge(command(' frobnicate '), context())).toMatchObject({ destructive: false, source: 'cache' });
  expect(calls).toBe(2);
  await gate.judge(command('frobnicate'), context('another goal'));
  await gate.judge(command('frobnicate'), context('tidy up', '/tmp'));
  expect(calls).toBe(4);
});

test('the cache ignores extra blanks between words, but not within quotes', async () => {
  const { ask, seen } = model('NO');
  const gate = createGate({ secondOpinion: ask, enabled: true });
  for (const text of ['frobnicate "a b" c', 'frobnicate   "a b"\tc', 'frobnicate "a  b" c', 'frobnicate a\\  b c'])
    await gate.judge(command(text), context());
  expect(seen.map(({ user }) => user.split('\n').at(2))).toEqual([
    'frobnicate "a b" c',
    'frobnicate "a  b" c',
    'frobnicate a\\  b c',
  ]);
});

test('a cached opinion about a script is valid only for that text of the script', async () => {
  const cwd = await mkdtemp(join(await realpath(tmpdir()), 'aish-gate-'));
  try {
    const { ask, seen } = model('NO');
    const gate = createGate({ secondOpinion: ask, enabled: true });
    const judged = async (text: string) => {
      await writeFile(join(cwd, 'x.py'), text);
      return gate.judge(command('python3 x.py'), context('tidy up', cwd));
    };
    expect(await judged('import frob; frob.now()')).toMatchObject({ source: 'model' });
    expect(await judged('import frob; frob.now()')).toMatchObject({ source: 'cache' });
    expect(await judged('import frob; frob.later()')).toMatchObject({ source: 'model' });
    expect(seen).toHaveLength(2);
  } finally {
    await rm(cwd, { recursive: true });
  }
});

test('a command that prints a credential asks unless all models run on this machine, and gets no second opinion', async () => {
  const { ask, seen } = model('YES');
  const where = { local: true };
  const gate = createGate({ secondOpinion: ask, enabled: true, localModel: () => where.local });
  const shown = { destructive: false, source: 'static' };
  expect(await gate.judge(command('cat .env'), context())).toMatchObject(shown);
  where.local = false;
  expect(await gate.judge(command('cat .env'), context())).toMatchObject({ ...shown, credential: true });
  expect(seen).toEqual([]);
});

test('the opinion about a command that runs project files is never cached', async () => {
  const { ask, seen } = model('NO');
  const gate = createGate({ secondOpinion: ask, enabled: true });
  for (const text of ['npm test', 'npm test', 'make', 'make']) await gate.judge(command(text), context());
  expect(seen).toHaveLength(4);
});

test('a script that can’t be read in time halts each time, whatever the model says', async () => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), 'aish-gate-')));
  try {
    const path = join(cwd, 'clean.sh');
    await writeFile(path, 'echo fine\n');
    const { ask, seen } = model('NO');
    let slow = false;
    const gate = createGate({
      secondOpinion: ask,
      enabled: true,
      read: (path) => (slow ? new Promise(() => {}) : readContent(path)),
    });
    const judge = () => gate.judge(command('bash clean.sh'), context('tidy up', cwd));
    const first = await judge();
    expect(first).toMatchObject({ destructive: false, basis: { reads: [{ path }] } });
    await writeFile(path, 'rm -rf /home\n');
    expect(await gate.begin(first.basis ?? { reads: [], own: [], writes: [] })).toBe(false);
    slow = true;
    const reason = 'runs a file that could not be read in time';
    expect(await judge()).toMatchObject({ destructive: true, source: 'static', reason });
    expect(seen).toEqual([]);
  } finally {
    await rm(cwd, { recursive: true });
  }
});

test('simultaneous judgements of one command share one model call', async () => {
  let calls = 0;
  let answer: (value: { ok: true; text: string }) => void = () => {};
  const answered = new Promise<{ ok: true; text: string }>((resolve) => {
    answer = resolve;
  });
  const gate = createGate({
    enabled: true,
    secondOpinion: () => {
      calls++;
      return answered;
    },
  });
  const both = [gate.judge(command('frobnicate'), context()), gate.judge(command('frobnicate'), context())];
  answer({ ok: true, text: 'NO' });
  expect((await Promise.all(both)).map((judgement) => judgement.destructive)).toEqual([false, false]);
  expect(calls).toBe(1);
});

test('a model that never answers or fails, and a cancelled wait, make a command count as destructive, with a reason', async () => {
  const never: AskModel = () => new Promise(() => {});
  const slow = await createGate({ secondOpinion: never, enabled: true, timeoutMs: 20 }).judge(
    command('frobnicate'),
    context(),
  );
  expect(slow).toMatchObject({ destructive: true, source: 'default' });
  expect(slow.reason).toContain('timed out after 20 ms');
  const throwing: AskModel = async () => {
    throw new Error('boom');
  };
  const failed = await createGate({ secondOpinion: throwing, enabled: true }).judge(command('frobnicate'), context());
  expect(failed).toMatchObject({ destructive: true, source: 'default' });
  expect(failed.reason).toContain('is not available');
  const cancelled = await createGate({ secondOpinion: never, enabled: true }).judge(command('frobnicate'), {
    ...context(),
    signal: AbortSignal.abort(),
  });
  expect(cancelled.reason).toContain('cancelled');
});

test('without the second opinion unknown commands pass, except those whose program is unknown', async () => {
  const gate = createGate({ enabled: false });
  expect((await gate.judge(command('frobnicate'), context())).destructive).toBe(false);
  expect((await gate.judge(command('$CMD x'), context())).destructive).toBe(true);
});

test('a tool call is judged by its name, then by its arguments, and the server’s hints can only make it stricter', async () => {
  const call = (name: string, args: object): Action => ({
    kind: 'tool',
    name,
    arguments: JSON.stringify(args),
    callId: '1',
  });
  const { ask, seen } = model('NO');
  const gate = createGate({
    secondOpinion: ask,
    enabled: true,
    annotations: (tool) => (tool === 'a__list_things' ? { destructiveHint: true } : { readOnlyHint: true }),
  });
  const judge = async (action: Action) => (await gate.judge(action, context())).destructive;
  expect(await judge(call('x__write_file', { path: 'a' }))).toBe(true);
  expect(await judge(call('x__list_things', {}))).toBe(false);
  expect(await judge(call('a__list_things', {}))).toBe(true);
  expect(await judge(call('x__delete_thing', {}))).toBe(true);
  expect(await judge(call('bash', { command: 'rm x' }))).toBe(true);
  expect(seen.map(({ user }) => user.split('\n--- data')[0])).toEqual(['Goal: tidy up\nCommand:\nx__list_things {}']);
  expect(await judge(call('x__frobnicate', { a: 1 }))).toBe(false);
  expect(seen[1]?.user.split('\n--- data')[0]).toBe('Goal: tidy up\nCommand:\nx__frobnicate {"a":1}');
});

test('tool arguments that are not a JSON object are not harmless', async () => {
  const gate = createGate({ enabled: false });
  const judgement = await gate.judge({ kind: 'tool', name: 'x__list', arguments: '{"a":', callId: '1' }, context());
  expect(judgement.reason).toContain('not a JSON object');
});

test('a tool with a harmless name still needs a second opinion, unless the user declared that it only reads', async () => {
  const read = (name: string): Action => ({ kind: 'tool', name, arguments: '{"id":"7"}', callId: 'c' });
  const { ask, seen } = model('YES');
  const gate = createGate({ secondOpinion: ask, enabled: true, readOnlyTools: ['docs__*'] });
  expect(await gate.judge(read('notes__get_note'), context())).toMatchObject({ destructive: true, source: 'model' });
  expect(seen).toHaveLength(1);
  expect(await gate.judge(read('docs__get_page'), context())).toMatchObject({ destructive: false, source: 'static' });
  expect(seen).toHaveLength(1);
});

test.each([
  ['db__query', { statement_text: 'UPDATE users SET admin = 1' }, 'overwrites rows'],
  ['data__fetch', { expr: 'DROP USER bob' }, 'removes a database account'],
  ['data__get', { raw: 'with d as (delete from t returning *) select * from d' }, 'deletes rows'],
  ['data__get', { batch: [{ q: 'delete from t' }] }, 'q holds a statement that deletes'],
  ['data__get', { grants: 'GRANT ALL ON t TO bob' }, 'grants rights in the database'],
])('SQL in any argument of a tool call is judged: %s %j', async (name, args, reason) => {
  const action = { kind: 'tool', name, arguments: JSON.stringify(args) } as const;
  const judged = await createGate({ enabled: false }).judge(action, {
    cwd: '/srv/none',
    goal: '',
    signal: new AbortController().signal,
  });
  expect(judged).toMatchObject({ destructive: true, reason });
});
