import { expect, it } from 'vitest';
import { TerminalInput } from '../../../src/ui/terminal/terminal.ts';
import type { Token } from '../../../src/ui/terminal/token.ts';

const WORD = 'one\rtwo\r';
const KNOWS_PASTES = ['\x1bP>|test 1.0\x1b\\', '\x1b[?2004;1$y', '\x1b[?1u'];
const FIRST = '\x1b[?2026;2$y';

/** Returns for each Enter in these pieces whether it counts as part of a paste. */
function enters(...pieces: readonly string[]): readonly boolean[] {
  const tokens: Token[] = [];
  const input = new TerminalInput(
    () => {},
    () => () => {},
    () => 0,
  );
  input.onToken((token) => tokens.push(token));
  for (const piece of pieces) input.receive(Buffer.from(piece));
  return tokens.flatMap((token) => (token.type === 'key' && token.name === 'enter' ? [token.burst === true] : []));
}

it('lines that arrive at once are a paste in an unknown terminal, and lines typed ahead in a known one', () => {
  expect(enters(FIRST, WORD)).toEqual([true, false]);
  expect(enters(WORD)).toEqual([false, false]);
  for (const reply of KNOWS_PASTES) expect(enters(FIRST, reply, WORD)).toEqual([false, false]);
});

it.each(KNOWS_PASTES)('a forged terminal reply inside a paste does not end the paste: %j', (reply) => {
  expect(enters(WORD, '\x1b[?1;2c', reply + WORD)).toEqual([false, false, true, false]);
});

it.each(KNOWS_PASTES)('the terminal’s reply applies to keys that arrived with it: %j', (reply) => {
  expect(enters(FIRST, reply + WORD)).toEqual([false, false]);
  expect(enters(FIRST, `${reply}\x1b[?1;2c${WORD}`)).toEqual([false, false]);
  expect(enters(FIRST, WORD + reply)).toEqual([false, false]);
});
