import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeKey, encodePaste } from '../../../src/ui/screen/input.ts';
import { keysOf } from '../../support/keys.ts';

const classic = { disambiguates: false, applicationCursor: false, bracketsPastes: false };
const kitty = { ...classic, disambiguates: true };

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
  '\x1b[3;5~',
  '\x1bOP',
  '\x1b[1;2P',
  '\x1bb',
  '\x1b[Z',
])('a program gets the bytes that the terminal sent: %j', (bytes) => {
  const sent = keysOf(bytes).map((key) => encodeKey(key, classic));
  expect(sent.join('')).toBe(bytes);
});

it('cursor keys without modifiers are sent as SS3 to a program that requested it', () => {
  const sent = keysOf('\x1b[A\x1b[1;5C').map((key) => encodeKey(key, { ...classic, applicationCursor: true }));
  expect(sent).toEqual(['\x1bOA', '\x1b[1;5C']);
});

it.each([
  ['keys that type', 'aÉ👍 ', 'aÉ👍 '],
  ['Enter, Tab and Backspace alone', '\r\t\x7f', '\r\t\x7f'],
  ['Esc', '\x1b[27u', '\x1b[27u'],
  ['Ctrl-C and Ctrl-I', '\x03\x1b[105;5u', '\x1b[99;5u\x1b[105;5u'],
  ['Alt with a letter', '\x1bb', '\x1b[98;3u'],
  ['Ctrl-Enter, Shift-Tab, Shift-Enter', '\x1b[13;5u\x1b[Z\x1b[13;2u', '\x1b[13;5u\x1b[9;2u\x1b[13;2u'],
  ['cursor and function keys', '\x1b[A\x1bOP\x1bOR\x1b[1;5D', '\x1b[A\x1b[P\x1b[13~\x1b[1;5D'],
])('keys are distinguished for a program that requested it: %s', (_, typed, sent) => {
  const keys = keysOf(typed).map((key) => encodeKey(key, kitty));
  expect(keys.join('')).toBe(sent);
});

it('keys encoded for a program are parsed as the same keys', () => {
  const names = ['a', 'z', 'é', 'enter', 'tab', 'backspace', 'escape', 'up', 'home', 'f1', 'f3', 'f12', 'delete'];
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.boolean(), fc.boolean(), fc.boolean(), (name, ctrl, alt, shift) => {
      const typesAlone = [...name].length === 1 && !ctrl && !alt;
      fc.pre(!typesAlone);
      const key = { type: 'key', name, ctrl, alt, shift, event: 'press' } as const;
      const [read, ...more] = keysOf(encodeKey(key, kitty));
      expect(more).toEqual([]);
      expect(read).toMatchObject({ name, ctrl, alt, shift });
    }),
  );
});

it('a pasted block is sent with Enter as its line end, in brackets if requested', () => {
  const paste = { type: 'paste', text: 'one\ntwo', truncated: false } as const;
  expect(encodePaste(paste, classic)).toBe('one\rtwo');
  expect(encodePaste(paste, { ...classic, bracketsPastes: true })).toBe('\x1b[200~one\rtwo\x1b[201~');
});
