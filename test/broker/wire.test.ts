import { expect, test } from 'vitest';
import { toWire } from '../../src/broker/wire.ts';
import type { Message } from '../../src/session/message.ts';

const system: Message = { role: 'system', content: 'S' };
const user = (content: string): Message => ({ role: 'user', content });
const said = (content: string, ...ids: string[]): Message => ({
  role: 'assistant',
  content,
  toolCalls: ids.map((id) => ({ id, name: 'bash', arguments: '{"command":"ls"}' })),
});
const result = (callId: string, content = `result ${callId}`): Message => ({ role: 'tool', callId, content });

/** Returns `role:content`, with the ids of calls and results. */
function sketch(messages: readonly Message[], withTools = true): string[] {
  return toWire(messages, withTools).map((message) => {
    const calls = 'tool_calls' in message ? (message.tool_calls ?? []).map((call) => `+${call.id}`).join('') : '';
    const answers = 'tool_call_id' in message ? `@${message.tool_call_id}` : '';
    return `${message.role}${answers}${calls}:${typeof message.content === 'string' ? message.content : '?'}`;
  });
}

test('a legal conversation is sent unchanged', () => {
  const messages = [system, user('a'), said('b', '1', '2'), result('1'), result('2'), user('c')];
  expect(sketch(messages)).toEqual([
    'system:S',
    'user:a',
    'assistant+1+2:b',
    'tool@1:result 1',
    'tool@2:result 2',
    'user:c',
  ]);
});

test('one system message comes first, and a later one becomes a user message in its place', () => {
  expect(
    sketch([system, { role: 'system', content: 'T' }, user('a'), said('b'), { role: 'system', content: 'U' }]),
  ).toEqual(['system:S\n\nT', 'user:a', 'assistant:b', 'user:U']);
});

test('adjacent messages of one role are joined, and empty answers left out', () => {
  expect(sketch([system, user('a'), user('b'), said(''), user('c'), said('d'), said('e'), user('f')])).toEqual([
    'system:S',
    'user:a\n\nb\n\nc',
    'assistant:d\n\ne',
    'user:f',
  ]);
});

test('a call without a result gets one, and a result without its call becomes text', () => {
  expect(sketch([user('a'), said('', '1', '2'), result('2'), user('b'), result('9')])).toEqual([
    'user:a',
    'assistant+1+2:',
    'tool@2:result 2',
    'tool@1:[aish] no result was recorded for this call',
    'user:b\n\n[aish] result of an earlier call:\nresult 9',
  ]);
});

test('text between a call and its result moves after the result', () => {
  expect(sketch([user('a'), said('', '1', '2'), result('1'), user('b'), result('2'), said('c'), user('d')])).toEqual([
    'user:a',
    'assistant+1+2:',
    'tool@1:result 1',
    'tool@2:result 2',
    'user:b',
    'assistant:c',
    'user:d',
  ]);
});

test('a request neither starts nor ends with an answer, which strict templates refuse or continue', () => {
  expect(sketch([system, said('b')])).toEqual([
    'system:S',
    'user:[aish] (earlier turns left out)',
    'assistant:b',
    'user:[aish] go on',
  ]);
});

test('arguments are always a JSON object, since a template parses them again', () => {
  const written = ['', '  ', '{"a":1}', '{"a":', '[1]', '"x"', 'null', 'rm -rf /'];
  const messages = written.map(
    (text, n): Message => ({
      role: 'assistant',
      content: '',
      toolCalls: [{ id: `${n}`, name: 'bash', arguments: text }],
    }),
  );
  const sent = toWire(messages).flatMap((message) => ('tool_calls' in message ? (message.tool_calls ?? []) : []));
  expect(sent.map((call) => (call.type === 'function' ? call.function.arguments : ''))).toEqual([
    '{}',
    '{}',
    '{"a":1}',
    '{"invalid_arguments":"{\\"a\\":"}',
    '{"invalid_arguments":"[1]"}',
    '{"invalid_arguments":"\\"x\\""}',
    '{"invalid_arguments":"null"}',
    '{"invalid_arguments":"rm -rf /"}',
  ]);
});

test('unpaired surrogates are replaced, since some servers refuse the whole request for one', () => {
  expect(sketch([user('a\ud83d')])).toEqual(['user:a\ufffd']);
});

test('for a model without tools, calls and results are sent as text', () => {
  expect(sketch([user('a'), said('b', '1'), result('1'), said('c'), user('d')], false)).toEqual([
    'user:a',
    'assistant:b\n(called bash with {"command":"ls"})',
    'user:result 1',
    'assistant:c',
    'user:d',
  ]);
});
