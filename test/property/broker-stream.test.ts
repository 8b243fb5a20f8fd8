import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MarkupSplitter, ReplyAccumulator } from '../../src/broker/accumulator.ts';

import { toWire } from '../../src/broker/wire.ts';
import type { Message } from '../../src/session/message.ts';

const pieceOfText = fc.constantFrom(
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '{"a":1}',
  '`',
  '```',
  '\n',
  ' ',
  'word',
  '<',
  'é',
);

function outcome(pieces: readonly string[]): string {
  let [text, reasoning] = ['', ''];
  const calls: string[] = [];
  const splitter = new MarkupSplitter({
    text: (delta) => {
      text += delta;
    },
    reasoning: (delta) => {
      reasoning += delta;
    },
    call: (body) => body === '{"a":1}' && calls.push(body) > 0,
    wasReasoning() {
      reasoning += text;
      text = '';
    },
  });
  for (const piece of pieces) splitter.push(piece);
  splitter.end(false);
  return JSON.stringify([text, reasoning, calls]);
}

test('the place where a stream is cut into chunks changes nothing', () => {
  fc.assert(
    fc.property(fc.array(pieceOfText, { maxLength: 20 }), fc.array(fc.nat(12), { minLength: 1 }), (words, cuts) => {
      const whole = words.join('');
      const pieces: string[] = [];
      for (let at = 0, n = 0; at < whole.length; n += 1) {
        const size = 1 + (cuts[n % cuts.length] ?? 0);
        pieces.push(whole.slice(at, at + size));
        at += size;
      }
      expect(outcome(pieces)).toBe(outcome([whole]));
    }),
  );
});

test('the accumulator accepts any chunk, except an error or a chunk that is not an object', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.object({
          key: fc.constantFrom(
            'choices',
            'delta',
            'message',
            'content',
            'tool_calls',
            'function',
            'arguments',
            'name',
            'id',
            'index',
            'usage',
            'prompt_tokens',
            'finish_reason',
          ),
          withNullPrototype: true,
          maxDepth: 6,
        }),
      ),
      (chunks) => {
        const acc = new ReplyAccumulator(new Set(), { text: () => {}, reasoning: () => {} });
        for (const chunk of chunks) acc.push(chunk);
        for (const call of acc.finish(false).toolCalls) expect(call.id).not.toBe('');
      },
    ),
  );
});

const id = fc.constantFrom('1', '2', '3');
const text = fc.constantFrom('', 'a', 'b\ud800');
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constantFrom('system' as const, 'user' as const), content: text }),
  fc.record({ role: fc.constant('tool' as const), callId: id, content: text }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: text,
    toolCalls: fc.uniqueArray(
      fc.record({ id, name: fc.constant('bash'), arguments: fc.constantFrom('', '{', '{}', '[]') }),
      { selector: (call) => call.id },
    ),
  }),
);

test('every request is legal, whatever the history', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
      const wire = toWire(messages);
      let open: string[] = [];
      for (const [n, sent] of wire.entries()) {
        const before = wire[n - 1]?.role;
        expect(typeof sent.content).toBe('string');
        if (sent.role === 'system') expect(n).toBe(0);
        if (sent.role === 'user' || sent.role === 'assistant') expect(before).not.toBe(sent.role);
        if (sent.role === 'tool') {
          expect(open).toContain(sent.tool_call_id);
          open = open.filter((known) => known !== sent.tool_call_id);
        } else {
          expect(open).toEqual([]);
        }
        if (sent.role === 'assistant') {
          for (const call of sent.tool_calls ?? []) {
            if (call.type === 'function') expect(JSON.parse(call.function.arguments)).toBeTypeOf('object');
            open.push(call.id);
          }
        }
      }
      expect(open).toEqual([]);
      expect(wire.find(({ role }) => role !== 'system')?.role ?? 'user').toBe('user');
      expect(wire.at(-1)?.role).not.toBe('assistant');
    }),
  );
});
