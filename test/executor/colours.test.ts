import { describe, expect, it } from 'vitest';
import { userShell } from './support.ts';

/** Reads single keys, asks, and prints every byte of what comes within 0.4 s. */
const ask = (query: string) =>
  `stty -icanon -echo min 0 time 4; printf '${query}'; dd bs=1 count=200 2>/dev/null | od -An -c | tr -d ' \\n'; stty sane`;

const colours = { 10: 'rgb:eeee/eeee/eeee', 11: 'rgb:1111/2222/3333', '4;1': 'rgb:cccc/0000/0000' };

describe('a program that asks for colours of the terminal', () => {
  it.each([
    ['behind the text', String.raw`\033]11;?\033\\`, '033]11;rgb:1111/2222/3333033\\'],
    ['of the text', String.raw`\033]10;?\007`, '033]10;rgb:eeee/eeee/eeee033\\'],
    ['both at once', String.raw`\033]10;?;?\007`, '033]10;rgb:eeee/eeee/eeee033\\033]11;rgb:1111/2222/3333033\\'],
    ['of the palette, those that are known', String.raw`\033]4;0;?;1;?\033\\`, '033]4;1;rgb:cccc/0000/0000033\\'],
    ['that it sets, nothing', String.raw`\033]4;1;red\007\033]11;red\007`, ''],
  ])('is told the outer terminal’s, in order with its other answers: %s', async (_, query, answer) => {
    const { run } = await userShell('', { colours: () => colours });
    const { head } = await run(ask(`${query}\\033[5n`));
    expect(head).toBe(`${answer}033[0n`);
  });

  it('is told nothing where that is not known', async () => {
    const { run } = await userShell();
    expect((await run(ask(String.raw`\033]10;?\033\\\033]4;1;?\033\\\033[5n`))).head).toBe('033[0n');
  });
});
