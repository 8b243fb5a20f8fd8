import type { KeyToken, Token } from '../../src/ui/terminal/token.ts';
import { createTokenizer } from '../../src/ui/terminal/tokenizer.ts';

import { fakeClock } from './clock.ts';

/** Returns the keys that a terminal sends as these bytes. */
export function keysOf(bytes: string): KeyToken[] {
  const tokens: Token[] = [];
  const tokenizer = createTokenizer((token) => tokens.push(token), fakeClock().schedule);
  tokenizer.push(Buffer.from(bytes));
  tokenizer.flush();
  return tokens.filter((token) => token.type === 'key');
}
