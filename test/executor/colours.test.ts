import { describe, expect, it } from 'vitest';
import { userShell } from './support.ts';

/** Reads single keys, asks, and prints every byte of what comes within 0.4 s. */
const ask = (query: string) =>
  `stty -icanon -echo min 0 time 4; printf '${query}'; dd bs=1 count=200 2>/dev/null | od -An -c | tr -d ' \\n'; stty sane`;

describe('a program that asks for the colour behind the text', () => {
  it('is told the outer terminal’s, in order with its other answers', async () => {
    const { run } = await userShell('', { background: () => 'rgb:1111/2222/3333' });
    const { head } = await run(ask(String.raw`\033]11;?\033\\\033[5n`));
    expect(head).toBe(String.raw`033]11;rgb:1111/2222/3333033\033[0n`);
  });

  it('is told nothing where that is not known', async () => {
    const { run } = await userShell();
    expect((await run(ask(String.raw`\033]11;?\033\\\033[5n`))).head).toBe('033[0n');
  });
});
