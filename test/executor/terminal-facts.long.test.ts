import { describe, expect, it, vi } from 'vitest';
import { userShell } from './support.ts';

/** Reads single keys, asks, and prints every byte that arrives within 0.4 s. */
const ask = (query: string) =>
  `stty -icanon -echo min 0 time 4; printf '${query}'; dd bs=1 count=200 2>/dev/null | od -An -c | tr -d ' \\n'; stty sane`;

const colours = { 10: 'rgb:eeee/eeee/eeee', 11: 'rgb:1111/2222/3333', '4;1': 'rgb:cccc/0000/0000' };

describe('a program that asks for colours of the terminal', () => {
  it.each([
    ['the background', String.raw`\033]11;?\033\\`, '033]11;rgb:1111/2222/3333033\\'],
    ['the text colour', String.raw`\033]10;?\007`, '033]10;rgb:eeee/eeee/eeee033\\'],
    ['both in one query', String.raw`\033]10;?;?\007`, '033]10;rgb:eeee/eeee/eeee033\\033]11;rgb:1111/2222/3333033\\'],
    ['known palette colours', String.raw`\033]4;0;?;1;?\033\\`, '033]4;1;rgb:cccc/0000/0000033\\'],
    ['nothing for a colour that it sets', String.raw`\033]4;1;red\007\033]11;red\007`, ''],
  ])('gets the colours of the outer terminal, in order with its other answers: %s', async (_, query, answer) => {
    const { run } = await userShell('', { facts: () => ({ colours, kitty: false }) });
    const { head } = await run(ask(`${query}\\033[5n`));
    expect(head).toBe(`${answer}033[0n`);
  });

  it('gets no answer when the colours are unknown', async () => {
    const { run } = await userShell();
    expect((await run(ask(String.raw`\033]10;?\033\\\033]4;1;?\033\\\033[5n`))).head).toBe('033[0n');
  });
});

describe('kitty’s keyboard protocol', () => {
  const facts = () => ({ colours: {}, kitty: true });

  it.each([
    ['no flags at first', '', '0'],
    ['only the supported flags of those pushed', String.raw`\033[>31u`, '1'],
    ['the earlier flags after a pop', String.raw`\033[>1u\033[<u`, '0'],
    ['flags that are set, added and removed', String.raw`\033[=0u\033[=1;2u`, '1'],
    ['taken away', String.raw`\033[=1u\033[=1;3u`, '0'],
    ['more pops than pushes', String.raw`\033[>1u\033[<9u`, '0'],
    ['separate flags for each screen', String.raw`\033[>1u\033[?1049h\033[?u\033[?1049l`, '0u033[?1'],
  ])('answers with the flags in force: %s', async (_, set, flags) => {
    const { run } = await userShell('', { facts });
    expect((await run(ask(String.raw`${set}\033[?u\033[5n`))).head).toBe(`033[?${flags}u033[0n`);
  });

  it('is absent where the user’s terminal lacks it', async () => {
    const { run } = await userShell();
    expect((await run(ask(String.raw`\033[>1u\033[?u\033[5n`))).head).toBe('033[0n');
  });

  it('is enabled for the program that asked, and not for the next one', async () => {
    const { shell } = await userShell('', { facts });
    const asking = shell.run(String.raw`printf '\033[>1u\033[?2004h'; sleep 60`);
    await vi.waitFor(() => expect(asking.keyboard).toMatchObject({ disambiguates: true, bracketsPastes: true }));
    asking.interrupt();
    await asking.result;
    const next = shell.run('cat');
    expect(next.keyboard).toEqual({ disambiguates: false, applicationCursor: false, bracketsPastes: false });
    next.interrupt();
    await next.result;
  });
});
