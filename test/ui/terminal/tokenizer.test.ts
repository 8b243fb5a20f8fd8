import { describe, expect, it } from 'vitest';
import type { KeyToken, Token } from '../../../src/ui/terminal/token.ts';
import { createTokenizer, ESCAPE_TIMEOUT_MS } from '../../../src/ui/terminal/tokenizer.ts';

import { fakeClock } from '../../support/clock.ts';

function read(...chunks: readonly (string | Uint8Array)[]) {
  const tokens: Token[] = [];
  const clock = fakeClock();
  const tokenizer = createTokenizer((token) => tokens.push(token), clock.schedule);
  for (const chunk of chunks) tokenizer.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return { tokens, clock, tokenizer };
}

/** Returns `ctrl-alt-shift-name` for keys, and the type for other tokens. */
function names(tokens: readonly Token[]): string[] {
  return tokens.map((token) => (token.type === 'key' ? chord(token) : token.type));
}

function chord(key: KeyToken): string {
  return `${key.ctrl ? 'ctrl-' : ''}${key.alt ? 'alt-' : ''}${key.shift ? 'shift-' : ''}${key.name}`;
}

describe('keys', () => {
  it.each([
    ['hello\r', ['h', 'e', 'l', 'l', 'o', 'enter']],
    ['A?ß', ['shift-a', '?', 'ß']],
    ['\x01\x00\x1f\x7f\x08\t', ['ctrl-a', 'ctrl-space', 'ctrl-_', 'backspace', 'ctrl-h', 'tab']],
    ['\x1b[A\x1bOB\x1b[1;5C\x1b[1;2D', ['up', 'down', 'ctrl-right', 'shift-left']],
    ['\x1b[H\x1b[4~\x1b[5~\x1b[6;5~\x1b[3~', ['home', 'end', 'pageup', 'ctrl-pagedown', 'delete']],
    ['\x1bOP\x1b[15~\x1b[[A\x1b[1;2S', ['f1', 'f5', 'f1', 'shift-f4']],
    ['\x1b[Z\x1bb\x1bB\x1b\r\x1b\x7f', ['shift-tab', 'alt-b', 'alt-shift-b', 'alt-enter', 'alt-backspace']],
    ['\x1b\x1b[A\x1b\x18', ['alt-up', 'ctrl-alt-x']],
    ['\x1b[27;2;13~\x1b[27;5;105~', ['shift-enter', 'ctrl-i']],
    ['\x1b[13;2u\x1b[97;5u\x1b[27u\x1b[32;2u', ['shift-enter', 'ctrl-a', 'escape', 'shift-space']],
    ['\x1b[57399u\x1b[57423;5u\x1b[57376u', ['0', 'ctrl-home', 'f13']],
    ['\x1b[1089::99;5u', ['ctrl-c']],
    ['\x1b[47:63;4u', ['alt-?']],
    ['\x1b[3$\x1b[3^\x1bOa', ['shift-delete', 'ctrl-delete', 'ctrl-up']],
    ['\x1b[57441;2u\x1b[u\x1b[;;u\x1b[1;1;55555u', []],
    ['👨‍👩‍👧é', ['👨‍👩‍👧', 'é']],
  ])('are parsed from %j', (bytes, expected) => {
    expect(names(read(bytes).tokens)).toEqual(expected);
  });

  it('are distinguished as press, repeat and release, and a release types nothing', () => {
    const { tokens } = read('\x1b[97;1:1u\x1b[97;1:2u\x1b[97;1:3u\x1b[1;1:3A');
    expect(tokens).toMatchObject([
      { event: 'press', text: 'a' },
      { event: 'repeat', text: 'a' },
      { event: 'release' },
      { name: 'up', event: 'release' },
    ]);
    expect(tokens[2]).not.toHaveProperty('text');
  });

  it('take the text that the terminal reports with them', () => {
    expect(read('\x1b[97;2;65u').tokens).toMatchObject([{ name: 'a', shift: true, text: 'A' }]);
    expect(read('\x1b[97:65;2u').tokens).toMatchObject([{ name: 'a', shift: true, text: 'A' }]);
  });

  it('include a lone Esc only after its timeout', () => {
    const { tokens, clock } = read('\x1b');
    expect(tokens).toEqual([]);
    clock.advance(ESCAPE_TIMEOUT_MS - 1);
    expect(tokens).toEqual([]);
    clock.advance(1);
    expect(names(tokens)).toEqual(['escape']);
  });

  it('include an Esc typed directly before a reply of the terminal', () => {
    expect(names(read('\x1b\x1b[?62;4c').tokens)).toEqual(['escape', 'reply']);
  });

  it('include Alt-[ when nothing follows', () => {
    const { tokens, clock } = read('\x1b[');
    clock.advance(1000);
    expect(names(tokens)).toEqual(['alt-[']);
    expect(names(read('\x1b]a').tokens)).toEqual(['alt-]', 'a']);
  });
});

describe('mouse and focus', () => {
  it.each([
    ['\x1b[<0;1;1M', { action: 'press', button: 'left', x: 0, y: 0 }],
    ['\x1b[<2;10;5m', { action: 'release', button: 'right', x: 9, y: 4 }],
    ['\x1b[<32;3;4M', { action: 'drag', button: 'left' }],
    ['\x1b[<64;3;4M', { action: 'wheel', direction: 'up' }],
    ['\x1b[<81;3;4M', { action: 'wheel', direction: 'down', ctrl: true }],
    ['\x1b[<35;3;4M', { action: 'move', button: 'none' }],
    ['\x1b[M !!', { action: 'press', button: 'left', x: 0, y: 0 }],
  ])('reports are parsed from %j', (bytes, expected) => {
    expect(read(bytes).tokens).toMatchObject([{ type: 'mouse', ...expected }]);
  });

  it('reports tell whether the terminal has the focus', () => {
    expect(read('\x1b[I\x1b[O').tokens).toEqual([
      { type: 'focus', focused: true },
      { type: 'focus', focused: false },
    ]);
  });
});

describe('a paste', () => {
  it('is one token with clean text, between the keys around it', () => {
    const { tokens } = read('a\x1b[200~one\r\ntwo\rthr', 'ee\x07\x1b[31m\x1b[2', '01~b');
    expect(names(tokens)).toEqual(['a', 'paste', 'b']);
    expect(tokens[1]).toEqual({ type: 'paste', text: 'one\ntwo\nthree[31m', truncated: false });
  });

  it('ends after a timeout when its end mark never comes', () => {
    const { tokens, clock } = read('\x1b[200~rm -rf x\r');
    clock.advance(10_000);
    expect(tokens).toEqual([{ type: 'paste', text: 'rm -rf x\n', truncated: false }]);
  });

  it('is bounded in size', () => {
    const { tokens } = read('\x1b[200~', 'x'.repeat(5 << 20), '\x1b[201~q');
    expect(tokens).toMatchObject([{ truncated: true }, { text: 'q' }]);
    expect(tokens[0]).toHaveProperty('text.length', 4 << 20);
  });
});

describe('replies', () => {
  it.each([
    ['\x1b[?62;4c', { reply: 'da1', params: [62, 4] }],
    ['\x1b[?2026;2$y', { reply: 'mode', mode: 2026, status: 2 }],
    ['\x1b[24;80R', { reply: 'cursor', row: 24, column: 80 }],
    ['\x1b[?5u', { reply: 'kitty', flags: 5 }],
    ['\x1b]11;rgb:0000/0000/0000\x1b\\', { reply: 'osc', code: 11, data: 'rgb:0000/0000/0000' }],
    ['\x1b]11;rgb:ff/ff/ff\x07', { reply: 'osc', code: 11 }],
    ['\x1bP>|tmux 3.4\x1b\\', { reply: 'version', text: 'tmux 3.4' }],
    ['\x1bP1$r0m\x1b\\', { reply: 'unknown' }],
    ['\x1b[8;24;80t', { reply: 'unknown' }],
    ['\u009b?62c', { reply: 'da1' }],
  ])('are parsed from %j', (bytes, expected) => {
    expect(read(bytes).tokens).toMatchObject([{ type: 'reply', ...expected }]);
    expect(read(...Array.from(Buffer.from(bytes), (byte) => Uint8Array.of(byte))).tokens).toMatchObject([expected]);
  });

  it('are recognised even when their ESC was taken for the Esc key', () => {
    const { tokens, clock, tokenizer } = read('\x1b');
    clock.advance(ESCAPE_TIMEOUT_MS);
    tokenizer.push(Buffer.from('[?62;4c'));
    expect(names(tokens)).toEqual(['escape', 'reply']);
  });

  it('cut off in the middle are dropped, and keys continue', () => {
    const { tokens, clock, tokenizer } = read('\x1b]11;rgb:00');
    clock.advance(1000);
    tokenizer.push(Buffer.from('a'));
    expect(names(tokens)).toEqual(['a']);
    expect(names(read('\x1b]11;rgb\x03x').tokens)).toEqual(['ctrl-c', 'x']);
  });
});

describe('the tokenizer', () => {
  it('joins characters split between chunks, and drops bytes that are not UTF-8', () => {
    const euro = Buffer.from('€');
    expect(names(read(euro.subarray(0, 1), euro.subarray(1)).tokens)).toEqual(['€']);
    expect(names(read(Uint8Array.of(0xff, 0x61, 0xc3, 0x28)).tokens)).toEqual(['a', '(']);
  });
});
