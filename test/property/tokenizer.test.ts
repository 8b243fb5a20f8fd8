import fc from 'fast-check';
import { expect, it } from 'vitest';
import { graphemes } from '../../src/text/display.ts';
import type { Token } from '../../src/ui/terminal/token.ts';
import { createTokenizer } from '../../src/ui/terminal/tokenizer.ts';
import { cases } from '../support/cases.ts';
import { fakeClock } from '../support/clock.ts';

function tokenize(chunks: readonly Uint8Array[]): Token[] {
  const tokens: Token[] = [];
  const tokenizer = createTokenizer((token) => tokens.push(token), fakeClock().schedule);
  for (const chunk of chunks) tokenizer.push(chunk);
  tokenizer.flush();
  return joined(tokens);
}

/** A combining mark in a later chunk is a key of its own; the text is the same. */
function joined(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (const token of tokens) {
    const last = result.at(-1);
    if (token.type === 'key' && last?.type === 'key' && last.text !== undefined && token.text !== undefined) {
      const text = last.text + token.text;
      if (graphemes(text).length < graphemes(last.text).length + graphemes(token.text).length) {
        result[result.length - 1] = { ...last, text, name: text.toLowerCase() };
        continue;
      }
    }
    result.push(token);
  }
  return result;
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

const reply = fc.constantFrom(
  '\x1b[?62;4c',
  '\x1b[>1;95;0c',
  '\x1b[?2026;2$y',
  '\x1b[24;80R',
  '\x1b[?5u',
  '\x1b]11;rgb:0000/0000/0000\x1b\\',
  '\x1b]10;rgb:ff/ff/ff\x07',
  '\x1bP>|XTerm(390)\x1b\\',
  '\x1bP1+r544e=787465726d\x1b\\',
  '\x1b[8;24;80t',
  '\x1b[?997;1n',
  '\x1b[<35;10;20M',
  '\x1b[I',
  '\x1b_Gi=1;OK\x1b\\',
);
const key = fc.oneof(
  fc.constantFrom(
    '\x1b[A',
    '\x1bOP',
    '\x1b[1;5C',
    '\x1b[97;5u',
    '\x1bb',
    '\x1b\x1b[A',
    '\x1b[3~',
    '\r',
    '\x03',
    '\x7f',
    '\x1b[200~a\rb\x1b[201~',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
/** Real terminal input, and random mutations of it. */
const stream = fc.array(fc.oneof(reply, key, fc.constantFrom('\x1b', '\x1b[', '\x1b]', '\x1bP', '\x1bO', '\u009b')), {
  maxLength: 12,
});
const csi = fc
  .tuple(
    fc.string({
      unit: fc.constantFrom('0', '1', '27', '97', '200', '55555', '9999999', ';', ':', '?', '<', '>', '$', ' '),
      maxLength: 7,
    }),
    fc.constantFrom(...'ABHPRSZcdghmMnpqrtuy~$^@IO['),
  )
  .map(([parameters, final]) => `\x1b[${parameters}${final}`);
const anyBytes = fc.oneof(
  fc.array(csi, { maxLength: 4 }).map((parts) => new Uint8Array(Buffer.from(parts.join('')))),
  fc.uint8Array({ maxLength: 60 }),
  stream.map((parts) => new Uint8Array(Buffer.from(parts.join('')))),
  fc
    .tuple(stream, fc.uint8Array({ maxLength: 4 }))
    .map(([parts, noise]) => new Uint8Array(Buffer.concat([Buffer.from(parts.join('')), noise]))),
);

it('the tokens are the same wherever the input is split', () => {
  fc.assert(
    fc.property(anyBytes, sizes, (bytes, lengths) => {
      expect(tokenize(cut(bytes, lengths))).toEqual(tokenize([bytes]));
    }),
    { numRuns: cases(600) },
  );
});

it('the tokenizer never yields a control character as typed text, and never throws', () => {
  fc.assert(
    fc.property(anyBytes, sizes, (bytes, lengths) => {
      for (const token of tokenize(cut(bytes, lengths))) {
        if (token.type === 'key' && token.text !== undefined) expect(token.text).not.toMatch(/[\p{Cc}\ufffd]/u);
        if (token.type === 'paste') expect(token.text).not.toMatch(/[^\P{Cc}\n\t]/u);
      }
    }),
    { numRuns: cases(400) },
  );
});

it('text between terminal replies is taken as typed, unchanged, wherever the input is split', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'Z', '7', ';', '[', ' ', 'é', '漢', '🙂'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(words, reply), { maxLength: 8 }), sizes, (parts, lengths) => {
      const bytes = new Uint8Array(Buffer.from(parts.flat().join('')));
      const typed = tokenize(cut(bytes, lengths)).map((token) =>
        token.type === 'key' ? (token.text ?? '<chord>') : '',
      );
      expect(typed.join('')).toBe(parts.map(([word]) => word).join(''));
    }),
    { numRuns: cases(400) },
  );
});
