import { expect, it } from 'vitest';
import { encodeKey, encodePaste } from '../../src/terminal/encode.ts';
import { keysOf } from '../support/keys.ts';

it.each([
  'a',
  'é',
  '👍',
  '\r',
  '\t',
  '\x7f',
  '\x03',
  '\x04',
  '\x1a',
  '\x1b[A',
  '\x1b[1;5C',
  '\x1b[3~',
  '\x1bOP',
  '\x1bb',
  '\x1b[Z',
])('sends a program the bytes that the terminal sent: %j', (bytes) => {
  expect(keysOf(bytes).map(encodeKey).join('')).toBe(bytes);
});

it('sends a pasted block with Enter as its line ends', () => {
  expect(encodePaste({ type: 'paste', text: 'one\ntwo', truncated: false })).toBe('one\rtwo');
});
