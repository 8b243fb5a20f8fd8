import { expect, test } from 'vitest';
import { createBroker, DEMO_PRESET } from '../../src/broker/index.ts';
import { startFaultServer } from '../support/fault-server.ts';
import { call, hold, say, startScriptedServer, whenever } from '../support/scripted-server.ts';
import { BASH, converse, HELLO, impatient, presetAt } from './talk.ts';

const NEVER = new AbortController().signal;

test('text arrives in pieces while the server still writes, and the reply contains all of it', async () => {
  await using server = await startScriptedServer([{ text: ['one ', 'two ', hold('rest'), 'three'], reasoning: 'hm' }]);
  const { broker } = impatient([presetAt(server.baseUrl)]);
  const pieces: string[] = [];
  const heard = await converse(broker, {
    onText(delta) {
      pieces.push(delta);
      if (pieces.length === 2) server.release('rest');
    },
  });
  expect(pieces).toEqual(['one ', 'two ', 'three']);
  expect(heard.reply).toMatchObject({
    text: 'one two three',
    reasoning: 'hm',
    finish: 'stop',
    preset: 'fast',
    notices: [],
  });
});

test('chat returns the same reply as a stream does, in one piece', async () => {
  await using server = await startScriptedServer([call('bash', { command: 'ls' }, 'I look.')]);
  const { broker } = impatient([presetAt(server.baseUrl)]);
  const reply = await broker.chat('fast', HELLO, { signal: NEVER, category: 'chat', tools: [BASH], maxTokens: 5 });
  expect(reply).toMatchObject({ text: 'I look.', finish: 'tools', usage: { promptTokens: 20 } });
  expect(reply.toolCalls).toMatchObject([{ name: 'bash', arguments: '{"command":"ls"}' }]);
  expect(server.requests[0]?.body).toMatchObject({ stream: false, max_tokens: 5 });
});

test('omitted options are omitted from the request, and without a key there is no Authorization header', async () => {
  await using server = await startScriptedServer([say('fine')]);
  const { broker } = impatient([presetAt(server.baseUrl)]);
  await converse(broker, { tools: [] });
  const [request] = server.requests;
  expect(Object.keys(request?.body ?? {}).toSorted()).toEqual(['messages', 'model', 'stream', 'stream_options']);
  expect(request?.headers.authorization).toBeUndefined();
});

test('the key is fetched at each call, and the preset’s capabilities decide which fields are sent', async () => {
  await using server = await startScriptedServer([say('fine'), say('fine')]);
  const keys = ['key-one', 'key-two'];
  const capabilities = { maxTokensField: 'max_completion_tokens', temperature: false, streamUsage: false } as const;
  const { broker } = impatient([presetAt(server.baseUrl, { apiKey: async () => keys.shift(), capabilities })]);
  await converse(broker, { maxTokens: 9, temperature: 0 });
  await converse(broker);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-one', 'Bearer key-two']);
  expect(server.requests[0]?.body).toMatchObject({ max_completion_tokens: 9 });
  expect(server.requests[0]?.text).not.toMatch(/"max_tokens"|temperature|stream_options/);
});

test('a failing key command gives a one-line error, and nothing is sent', async () => {
  await using server = await startScriptedServer([]);
  const apiKey = () => Promise.reject(new Error('pass: not unlocked'));
  const { broker } = impatient([presetAt(server.baseUrl, { apiKey })]);
  const { reply } = await converse(broker);
  expect(reply.failure).toEqual({ kind: 'auth', message: 'no API key for fast: pass: not unlocked' });
  expect(server.requests).toEqual([]);
});

test('an abort keeps the partial text, ends the request at the server and drops an incomplete call', async () => {
  await using server = await startScriptedServer([{ text: ['half ', hold('never'), 'whole'] }]);
  const { broker } = impatient([presetAt(server.baseUrl)]);
  const stop = new AbortController();
  const { reply } = await converse(broker, { signal: stop.signal, onText: () => stop.abort() });
  expect(reply).toMatchObject({ text: 'half ', toolCalls: [], finish: 'cancelled', notices: [] });
  expect(reply.failure).toBeUndefined();
  await server.aborted(await server.request(1));
});

test('an abort ends a pause between two attempts', async () => {
  await using server = await startFaultServer('loading-for-ever');
  const broker = createBroker({ presets: [presetAt(server.baseUrl)], retry: { baseMs: 60_000 } });
  const stop = new AbortController();
  const { reply, notices } = await converse(broker, { signal: stop.signal, onNotice: () => stop.abort() });
  expect(reply.finish).toBe('cancelled');
  expect(notices).toEqual([]);
});

test('a call aborted before its start sends nothing', async () => {
  await using server = await startScriptedServer([]);
  const { broker } = impatient([presetAt(server.baseUrl)]);
  const { reply } = await converse(broker, { signal: AbortSignal.abort() });
  expect(reply.finish).toBe('cancelled');
  expect(server.requests).toEqual([]);
});

test('Retry-After is obeyed and reported', async () => {
  await using server = await startFaultServer('rate-limited');
  const { broker, pauses } = impatient([presetAt(server.baseUrl)]);
  const { notices } = await converse(broker);
  expect(pauses).toEqual([2000]);
  expect(notices).toEqual(['fast is busy (429); trying again in 2 s']);
});

/** The number of attempts at a server that always fails, by the failure and the question. */
test.each([
  ['a server that fails', 'server-error', {}, {}, 8],
  ['an answer without a body', 'no-body', {}, {}, 8],
  ['a connection that is cut', 'killed-at-once', {}, {}, 8],
  ['an answer that is cut', 'early-end', {}, {}, 8],
  ['a rate limit', 'rate-limited-for-ever', {}, {}, 8],
  ['a chat template that refuses the messages', 'template-error', {}, {}, 2],
  ['a second opinion', 'server-error', { category: 'safety' }, {}, 1],
  ['a preset with a fallback', 'server-error', {}, { fallback: ['deep'] }, 2],
  ['a refused key', 'unauthorised', {}, {}, 1],
] as const)('%s is tried the right number of times', async (_what, fault, options, preset, attempts) => {
  await using server = await startFaultServer(fault);
  const { broker } = impatient([presetAt(server.baseUrl, preset), presetAt(server.baseUrl, { name: 'deep' })]);
  expect((await converse(broker, options)).reply.finish).toBe('failed');
  expect(server.calls()).toBe(attempts);
});

test('pauses double up to half a minute, and at a rate limit from two seconds up to a minute', async () => {
  for (const [fault, first, longest] of [
    ['server-error', 400, 30_000],
    ['rate-limited-for-ever', 2000, 60_000],
  ] as const) {
    await using server = await startFaultServer(fault);
    const { broker, pauses } = impatient([presetAt(server.baseUrl)], { random: () => 1, retry: { attempts: 9 } });
    await converse(broker);
    expect(pauses).toEqual(pauses.map((_, n) => Math.min(longest, first * 2 ** n)));
    expect(pauses.at(-1)).toBe(longest);
  }
});

test('a server that refuses the connection fails at once, unless it has answered in this session', async () => {
  const server = await startScriptedServer([say('fine')]);
  const known = impatient([presetAt(server.baseUrl)]);
  await converse(known.broker);
  await server.close();
  expect((await converse(known.broker)).reply.failure?.message).toMatch(/connection refused.*tried 8 times/);
  const { broker, pauses } = impatient([presetAt(server.baseUrl)]);
  expect((await converse(broker)).reply.failure?.message).toMatch(/connection refused.*start the server/);
  expect(pauses).toEqual([]);
});

test('an answer that broke off is dropped and requested again, and counts as an attempt', async () => {
  await using server = await startScriptedServer([say('half an', { cut: true }), say('a whole answer')]);
  const { broker } = impatient([presetAt(server.baseUrl)]);
  const paused: string[] = [];
  const { reply, text } = await converse(broker, { onPause: (why) => paused.push(why) });
  expect(reply).toMatchObject({ text: 'a whole answer', finish: 'stop', attempts: [{ text: 'half an' }] });
  expect(text).toBe('a whole answer');
  expect(paused).toEqual(['fast broke off its answer']);
});

test('a model that is loading is waited for with growing pauses', async () => {
  await using server = await startFaultServer('loading');
  const { broker, pauses } = impatient([presetAt(server.baseUrl)]);
  const { reply, notices } = await converse(broker);
  expect(reply.text).toBe('fine');
  expect(pauses).toEqual([400, 600]);
  expect(notices[0]).toBe('fast is still loading its model; waiting');
});

test('a field that a server once refused is not sent again', async () => {
  await using server = await startFaultServer('wants-max-completion-tokens');
  const { broker } = impatient([presetAt(server.baseUrl)]);
  for (let round = 0; round < 2; round += 1) await converse(broker, { maxTokens: 7 });
  expect(server.bodies.map((body) => 'max_completion_tokens' in body)).toEqual([false, true, true]);
});

for (const fault of ['killed-at-once', 'busy-for-ever', 'server-error', 'loading-for-ever'] as const) {
  test(`the fallback takes over after "${fault}", with a message (BR-4)`, async () => {
    await using broken = await startFaultServer(fault);
    await using sound = await startScriptedServer([say('from the other')]);
    const { broker } = impatient([
      presetAt(broken.baseUrl, { fallback: ['nowhere', 'fast', 'deep'] }),
      presetAt(sound.baseUrl, { name: 'deep', model: 'large' }),
    ]);
    const notices: string[] = [];
    const onNotice = (line: string) => void notices.push(line);
    const reply = await broker.chat('fast', HELLO, { signal: NEVER, category: 'safety', onNotice });
    expect(reply).toMatchObject({ text: 'from the other', preset: 'deep', finish: 'stop' });
    expect(reply.attempts).toMatchObject([{ preset: 'fast', finish: 'failed' }]);
    expect(reply.notices).toHaveLength(1);
    expect(reply.notices[0]).toMatch(/; using deep \(large\) instead$/);
    expect(notices).toContain(reply.notices[0]);
  });

  test(`a streamed call reports after "${fault}" who may be asked instead, and asks nobody itself`, async () => {
    await using broken = await startFaultServer(fault);
    await using sound = await startScriptedServer([say('from the other')]);
    const { broker } = impatient([
      presetAt(broken.baseUrl, { fallback: ['nowhere', 'fast', 'deep'] }),
      presetAt(sound.baseUrl, { name: 'deep', model: 'large' }),
    ]);
    const { reply } = await converse(broker);
    expect(reply).toMatchObject({ preset: 'fast', finish: 'failed', fallback: ['deep'] });
    expect(sound.requests).toEqual([]);
  });
}

for (const fault of ['unauthorised', 'overflow', 'never-ends', 'no-such-model'] as const) {
  test(`no fallback is used for "${fault}", since another preset would fail too or hide the reason`, async () => {
    await using broken = await startFaultServer(fault);
    await using sound = await startScriptedServer([say('from the other')]);
    const { broker } = impatient([
      presetAt(broken.baseUrl, { fallback: ['deep'] }),
      presetAt(sound.baseUrl, { name: 'deep' }),
    ]);
    const { reply } = await converse(broker);
    expect(reply).toMatchObject({ preset: 'fast', finish: 'failed' });
    expect(reply.fallback).toBeUndefined();
    expect((await broker.chat('fast', HELLO, { signal: NEVER, category: 'chat' })).finish).toBe('failed');
    expect(sound.requests).toEqual([]);
  });
}

for (const fault of ['early-end', 'killed', 'stall', 'error-in-mid-stream', 'garbage'] as const) {
  test(`an answer broken off by "${fault}" is kept, and another preset may be asked`, async () => {
    await using broken = await startFaultServer(fault);
    const presets = [presetAt(broken.baseUrl, { fallback: ['deep'] }), presetAt(broken.baseUrl, { name: 'deep' })];
    const { broker } = impatient(presets, { idleTimeoutMs: 100 });
    const { reply } = await converse(broker);
    expect(reply).toMatchObject({ text: 'half', finish: 'failed', fallback: ['deep'] });
  });
}

test('a fallback never weakens the secrets policy: unfiltered messages go to no preset that requires a filter', async () => {
  await using sound = await startScriptedServer([say('leaked')]);
  const { broker } = impatient([
    presetAt('http://127.0.0.1:9/v1', { fallback: ['cloud'] }),
    presetAt(sound.baseUrl, { name: 'cloud', secrets: 'scrub' }),
  ]);
  const { reply } = await converse(broker);
  expect(reply).toMatchObject({ finish: 'failed', failure: { kind: 'unreachable' } });
  expect(reply.notices.join()).toMatch(/cloud was not used as a fallback: its policy for secrets/);
  expect(sound.requests).toEqual([]);
});

test('with a filter each preset gets the text allowed for it, or the call is refused with a reason', async () => {
  await using sound = await startScriptedServer([say('fine')]);
  const presets = [
    presetAt('http://127.0.0.1:9/v1', { fallback: ['cloud'] }),
    presetAt(sound.baseUrl, { name: 'cloud', secrets: 'scrub' }),
    presetAt(sound.baseUrl, { name: 'strict', secrets: 'block' }),
  ];
  const { broker } = impatient(presets, {
    prepare(name, messages) {
      if (name === 'strict') return { refused: 'a secret may not leave this machine' };
      return { messages: messages.map((m) => ({ ...m, content: m.content.replace('hello', `for ${name}`) })) };
    },
  });
  expect((await broker.chat('fast', HELLO, { signal: NEVER, category: 'chat' })).preset).toBe('cloud');
  expect(sound.requests[0]?.lastUser).toBe('for cloud');
  const { reply } = await converse(broker, {}, HELLO, 'strict');
  expect(reply.failure).toEqual({ kind: 'refused', message: 'a secret may not leave this machine' });
});

test('a remote fallback with a weaker policy is not asked, and one on this machine is', async () => {
  const { broker } = impatient(
    [
      presetAt('http://127.0.0.1:9/v1', { secrets: 'scrub', fallback: ['elsewhere', 'here'] }),
      presetAt('https://models.invalid/v1', { name: 'elsewhere', secrets: 'off' }),
      presetAt('http://127.0.0.1:9/v1', { name: 'here' }),
    ],
    { prepare: (_, messages) => ({ messages }) },
  );
  const { reply } = await converse(broker);
  expect(reply.fallback).toEqual(['here']);
  expect(reply.notices.join()).toContain('elsewhere was not used as a fallback');
});

test('a request that may not be sent at all is not sent to a fallback either', async () => {
  const { broker } = impatient(
    [
      presetAt('http://127.0.0.1:9/v1', { secrets: 'block', fallback: ['here'] }),
      presetAt('http://127.0.0.1:9/v1', { name: 'here' }),
    ],
    { prepare: () => ({ refused: 'it holds a secret', final: true }) },
  );
  const { reply } = await converse(broker);
  expect(reply.failure?.kind).toBe('refused');
  expect(reply.fallback).toBeUndefined();
});

test('the error about an unknown preset lists the known ones', async () => {
  const { broker } = impatient([DEMO_PRESET, presetAt('http://127.0.0.1:9/v1')]);
  const { reply } = await converse(broker, {}, HELLO, 'depe');
  expect(reply.failure).toEqual({
    kind: 'unknown-preset',
    message: 'there is no preset called depe; known: demo, fast',
  });
});

test('presets show where they run, without a password in the address', () => {
  const { broker } = impatient([
    DEMO_PRESET,
    presetAt('http://localhost:8080/v1'),
    presetAt('https://me:secret@api.example.com/v1/', { name: 'cloud' }),
  ]);
  expect(broker.presets()).toEqual([
    { name: 'demo', model: 'demo', baseUrl: '', local: true, demo: true, images: false, secrets: 'off' },
    { name: 'fast', model: 'tiny', baseUrl: 'http://localhost:8080/v1', local: true, demo: false, secrets: 'off' },
    {
      name: 'cloud',
      model: 'tiny',
      baseUrl: 'https://api.example.com/v1',
      local: false,
      demo: false,
      secrets: 'scrub',
    },
  ]);
});

test('a tool call written as text stays text with a note when the tool was not offered', async () => {
  await using server = await startFaultServer('raw-tool-call');
  const { broker } = impatient([presetAt(server.baseUrl)]);
  const { reply, text } = await converse(broker, { tools: [] });
  expect(reply).toMatchObject({ toolCalls: [], finish: 'stop' });
  expect(reply.text).toContain('<tool_call>{"name": "bash"');
  expect(text).toBe(reply.text);
  expect(reply.notices.join()).toMatch(/wrote a tool call as plain text/);
});

test('the price of a call is the one that the server reports, and is never invented', async () => {
  await using server = await startScriptedServer([
    { ...say('a'), usage: { prompt: 3, completion: 1, cost: 0.0004 } },
    { ...say('b'), usage: { prompt: 3, completion: 1 } },
  ]);
  const { broker } = impatient([presetAt(server.baseUrl)]);
  expect((await converse(broker)).reply.usage?.dollars).toBe(0.0004);
  expect((await converse(broker)).reply.usage).toEqual({ promptTokens: 3, completionTokens: 1 });
});

test('a preset has its own timeout for a silent server', async () => {
  await using server = await startFaultServer('stall-before-anything');
  const patience: number[] = [];
  const { broker } = impatient([presetAt(server.baseUrl, { firstByteMs: 300 })]);
  const { failure } = (await converse(broker, { onSent: (ms) => patience.push(ms) })).reply;
  expect(failure?.message).toContain('sent nothing for 0.3 s');
  expect(patience).toEqual([300]);
});

test('a reported usage of zero tokens counts as no usage report', async () => {
  await using server = await startScriptedServer([{ ...say('a'), usage: { prompt: 0, completion: 0 } }]);
  const { broker } = impatient([presetAt(server.baseUrl)]);
  expect((await converse(broker)).reply.usage).toBeUndefined();
});

test('the scripted server answers a request outside the conversation whenever it comes', async () => {
  await using server = await startScriptedServer([
    say('first'),
    whenever(/Detect destructive/, say('NO')),
    say('second'),
  ]);
  const { broker } = impatient([presetAt(server.baseUrl)]);
  const ask = async (content: string) => (await converse(broker, {}, [{ role: 'user', content }])).reply.text;
  expect([
    await ask('x'),
    await ask('Detect destructive …'),
    await ask('y'),
    await ask('Detect destructive …'),
  ]).toEqual(['first', 'NO', 'second', 'NO']);
  expect((await converse(broker)).reply.failure?.message).toMatch(/the script is over \(request 5\)/);
});

test('a request is repeated without the field that disables thinking when the server refuses the field', async () => {
  await using server = await startScriptedServer([
    { error: { status: 400, message: 'Unknown field: chat_template_kwargs' } },
    say('NO'),
  ]);
  const { broker } = impatient([presetAt(server.baseUrl, { model: 'qwen3' })]);
  const reply = await broker.chat('fast', HELLO, { signal: NEVER, category: 'safety', brief: true });
  expect(reply.text).toBe('NO');
  expect(server.requests.map(({ text }) => text.includes('chat_template_kwargs'))).toEqual([true, false]);
});
