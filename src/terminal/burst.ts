/** Guards against pastes that come without brackets: their line ends must not submit line after line (IN-4). */
import type { Token } from './token.ts';

/** An Enter that follows a key within this time was not pressed by a finger. */
const BURST_MS = 30;

/**
 * Marks the Enters of one chunk that stand in the middle of text. An Enter at the end of a chunk stays one: `ls⏎` that
 * arrives at once is a command, typed ahead or sent by a program.
 * `sinceLastKey` is the time in milliseconds between the last key of the chunk before and this chunk.
 */
export function markBursts(tokens: readonly Token[], sinceLastKey: number): readonly Token[] {
  const lastText = tokens.findLastIndex(types);
  const firstText = sinceLastKey < BURST_MS ? -1 : tokens.findIndex(types);
  return tokens.map((token, index) => {
    const enter = token.type === 'key' && token.name === 'enter' && !token.ctrl && !token.alt && !token.shift;
    return enter && (index > firstText || firstText < 0) && index < lastText ? { ...token, burst: true } : token;
  });
}

function types(token: Token): boolean {
  return token.type === 'key' && token.text !== undefined;
}
