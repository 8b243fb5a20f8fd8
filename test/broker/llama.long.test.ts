import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBroker, discover } from '../../src/broker/index.ts';
import type { Message } from '../../src/session/message.ts';
import { type Llama, llamaMissing, startLlama } from './llama-server.ts';
import { converse, presetAt } from './talk.ts';

const missing = llamaMissing();
if (missing) console.log(`skipped: tests against a real llama.cpp server (${missing})`);

const asks = (content: string): Message[] => [
  { role: 'system', content: 'You are a shell assistant.' },
  { role: 'user', content },
];
const brokerAt = ({ baseUrl }: Llama) => createBroker({ presets: [presetAt(baseUrl, { model: 'aish-tiny' })] });
const CALM = { temperature: 0, maxTokens: 200 };
const commandsIn = (calls: readonly { arguments: string }[]) =>
  calls.map((call) => (JSON.parse(call.arguments) as { command: string }).command);

describe.skipIf(missing)('a real llama.cpp server', () => {
  let llama: Llama;
  beforeAll(async () => {
    llama = await startLlama();
  });
  afterAll(() => llama?.[Symbol.asyncDispose]());

  test('streams text and counts tokens', async () => {
    const { reply, text } = await converse(brokerAt(llama), { ...CALM, tools: [] }, asks('count to 3'));
    expect(reply.finish).toBe('stop');
    expect(reply.text).toBe('1 2 3');
    expect(text).toBe(reply.text);
    expect(reply.usage?.promptTokens).toBeGreaterThan(5);
    expect(reply.usage?.completionTokens).toBeGreaterThan(3);
  });

  test('calls a tool, gets the result, and answers from it', async () => {
    const broker = brokerAt(llama);
    const messages = asks('run `echo hi`');
    const { reply } = await converse(broker, CALM, messages);
    expect(reply.finish).toBe('tools');
    expect(commandsIn(reply.toolCalls)).toEqual(['echo hi']);
    const [call] = reply.toolCalls;
    const next: Message[] = [
      ...messages,
      { role: 'assistant', content: reply.text, toolCalls: reply.toolCalls },
      { role: 'tool', callId: call?.id ?? '', content: '$ echo hi\nhi\n[exit 0]' },
    ];
    const answer = await converse(broker, CALM, next);
    expect(answer.reply).toMatchObject({ finish: 'stop' });
    expect(answer.reply.text).toMatch(/Done/);
  });

  test('makes two calls in one reply, each with an id of its own', async () => {
    const { reply } = await converse(brokerAt(llama), CALM, asks('run `ls -la` and `pwd`'));
    expect(commandsIn(reply.toolCalls)).toEqual(['ls -la', 'pwd']);
    expect(new Set(reply.toolCalls.map((call) => call.id)).size).toBe(2);
  });

  test('thinks first, separately from the answer', async () => {
    const { reply, reasoning } = await converse(
      brokerAt(llama),
      { ...CALM, tools: [] },
      asks('think about disk space'),
    );
    expect(reply.reasoning).not.toBe('');
    expect(reasoning).toBe(reply.reasoning);
    expect(reply.text).not.toMatch(/<\/?think>/);
  });

  test('stops an endless story at the limit, or at once on an abort, and is then free', async () => {
    const broker = brokerAt(llama);
    const limited = await converse(broker, { maxTokens: 20, tools: [] }, asks('tell a long story'));
    expect(limited.reply).toMatchObject({ finish: 'length' });
    expect(limited.reply.notices.join()).toMatch(/cut at the token limit/);

    const stop = new AbortController();
    let pieces = 0;
    const onText = (): void => {
      pieces += 1;
      if (pieces === 10) stop.abort();
    };
    const { reply } = await converse(broker, { signal: stop.signal, tools: [], onText }, asks('tell a long story'));
    expect(reply.finish).toBe('cancelled');
    expect(reply.text.length).toBeGreaterThan(0);
    // The server has one slot, so another answer comes only when the story has really ended.
    expect((await converse(broker, { ...CALM, tools: [] }, asks('count to 3'))).reply.finish).toBe('stop');
  });

  test('has a call that the token limit cuts off dropped and reported', async () => {
    const { reply } = await converse(brokerAt(llama), { temperature: 0, maxTokens: 12 }, asks('run `echo hi`'));
    expect(reply.toolCalls).toEqual([]);
    expect(reply.finish).toBe('length');
    expect(reply.notices).not.toEqual([]);
  });

  test('still answers after a call with invalid JSON arguments', async () => {
    const messages: Message[] = [
      ...asks('run `ls`'),
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'bash', arguments: '{"command":' }] },
      { role: 'tool', callId: 'a', content: 'the arguments are no JSON' },
      { role: 'user', content: 'count to 3' },
    ];
    expect((await converse(brokerAt(llama), CALM, messages)).reply.failure).toBeUndefined();
  });

  test('reports a context overflow with the size of the request and of the window', async () => {
    const { reply } = await converse(brokerAt(llama), { tools: [] }, asks('word '.repeat(40_000)));
    expect(reply.failure).toMatchObject({ kind: 'overflow' });
    expect(reply.failure?.message).toMatch(/\d{5} tokens for a window of 16384/);
  });

  test('is probed and discovered', async () => {
    const broker = brokerAt(llama);
    expect(await broker.probe('fast', new AbortController().signal)).toEqual({
      reachable: true,
      window: 16_384,
      detail: 'answers; window 16384 tokens',
    });
    const [found] = await discover({ env: {}, ports: [llama.port], timeoutMs: 2000 });
    expect(found).toMatchObject({
      label: 'llama.cpp',
      preset: { name: 'fast', model: 'aish-tiny', baseUrl: llama.baseUrl },
    });
  });
});

describe.skipIf(missing)('a llama.cpp server in special states', () => {
  test('is waited for while it loads its model', async () => {
    await using llama = await startLlama([], { wait: false });
    // Before the server listens it refuses the connection, which fails at once; then it reports that it is loading.
    await expect
      .poll(
        () =>
          fetch(llama.baseUrl).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 20_000 },
      )
      .not.toBe(0);
    const broker = createBroker({ presets: [presetAt(llama.baseUrl)], retry: { baseMs: 50 } });
    expect((await converse(broker, { ...CALM, tools: [] }, asks('count to 3'))).reply.finish).toBe('stop');
  });

  test('with a strict chat template accepts every history that is sent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'template-'));
    try {
      const template = join(folder, 'strict.jinja');
      await writeFile(template, STRICT_TEMPLATE);
      await using llama = await startLlama(['--chat-template-file', template]);
      const history: Message[] = [
        { role: 'system', content: 'You are a shell assistant.' },
        { role: 'assistant', content: 'an answer whose question was evicted', toolCalls: [] },
        { role: 'user', content: 'hello' },
        { role: 'system', content: '[aish] mode: Restricted' },
        { role: 'user', content: 'count to 3' },
      ];
      const { reply } = await converse(brokerAt(llama), { ...CALM, tools: [] }, history);
      expect(reply.failure).toBeUndefined();
      expect(reply.finish).toBe('stop');
      // The template is really strict: unchanged, the same history is refused.
      const raw = history.map(({ role, content }) => ({ role, content }));
      const body = JSON.stringify({ model: 'aish-tiny', messages: raw, max_tokens: 5 });
      const headers = { 'content-type': 'application/json' };
      const refused = await fetch(`${llama.baseUrl}/chat/completions`, { method: 'POST', headers, body });
      expect(refused.ok).toBe(false);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** The strictest kind: the system message only first, and user and assistant in turns. */
const STRICT_TEMPLATE = `{%- set turn = namespace(last='assistant') -%}
{%- for message in messages -%}
{%- if message.role == 'system' and not loop.first -%}{{- raise_exception('System message must be at the beginning.') -}}{%- endif -%}
{%- if message.role != 'system' -%}
{%- if message.role == turn.last -%}{{- raise_exception('Roles must alternate user/assistant.') -}}{%- endif -%}
{%- set turn.last = message.role -%}
{%- endif -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
`;
