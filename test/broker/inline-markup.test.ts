import { expect, test } from 'vitest';
import { MarkupSplitter } from '../../src/broker/accumulator.ts';

/** Returns the result for a text that arrives in these pieces. */
function split(...pieces: string[]) {
  const seen = { text: '', reasoning: '', calls: [] as string[] };
  const splitter = new MarkupSplitter({
    text: (delta) => {
      seen.text += delta;
    },
    reasoning: (delta) => {
      seen.reasoning += delta;
    },
    call: (body) => body.startsWith('{') && seen.calls.push(body) > 0,
    wasReasoning() {
      seen.reasoning += seen.text;
      seen.text = '';
    },
  });
  for (const piece of pieces) splitter.push(piece);
  const dropped = splitter.end(false);
  return { ...seen, dropped };
}

const plain = { text: '', reasoning: '', calls: [], dropped: false };

test.each([
  ['<think>a</think>b', { reasoning: 'a', text: 'b' }],
  ['<thinking>a</thinking>\n\nb', { reasoning: 'a', text: 'b' }],
  ['[THINK]a[/THINK]b', { reasoning: 'a', text: 'b' }],
  ['<reasoning>a</reasoning>b', { reasoning: 'a', text: 'b' }],
  ['<seed:think>a</seed:think>b', { reasoning: 'a', text: 'b' }],
  [
    '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>',
    { reasoning: 'a', text: 'b' },
  ],
  ['an array[0] and a <|pipe|>', { text: 'an array[0] and a <|pipe|>' }],
  ['a <think>b</think> c', { reasoning: 'b', text: 'a  c' }],
  ['<think>a', { reasoning: 'a' }],
  ['write <think> to begin', { text: 'write <think> to begin', reasoning: ' to begin' }],
  ['a `<think>` b', { text: 'a `<think>` b' }],
  ['```xml\n<think>\n</think>\n```\nb', { text: '```xml\n<think>\n</think>\n```\nb' }],
  ['a\n</think>\nb', { reasoning: 'a\n', text: 'b' }],
  ['1 < 2 <b', { text: '1 < 2 <b' }],
  ['a<tool_call>{"x"}</tool_call>b', { calls: ['{"x"}'], text: 'ab' }],
  ['a<tool_call>none</tool_call>b', { text: 'a<tool_call>none</tool_call>b' }],
  ['<tool_call>{"x"}', { calls: ['{"x"}'] }],
])('the text %j is split into reasoning, text and calls', (text, expected) => {
  expect(split(text)).toEqual({ ...plain, ...expected });
});

test('an incomplete call at the end is dropped and reported', () => {
  const splitter = new MarkupSplitter({
    text: () => {},
    reasoning: () => {},
    call: () => true,
    wasReasoning: () => {},
  });
  splitter.push('<tool_call>{"name":"ba');
  expect(splitter.end(true)).toBe(true);
});
