/** The link under a cell, and the addresses that are ever opened. */
import { describe, expect, it } from 'vitest';
import { browsable, linkAt } from '../../../src/ui/screen/mouse.ts';

const link = (address: string, words: string) => `\x1b]8;;${address}\x1b\\${words}\x1b]8;;\x1b\\`;

describe('the link at a cell', () => {
  const row = `│ 世 see \x1b[1m${link('https://a.example/x?y=1', 'the page')}\x1b[0m or https://b.example/z, ok`;
  it.each([
    [2, undefined],
    [8, undefined],
    [9, { address: 'https://a.example/x?y=1', plain: false }],
    [16, { address: 'https://a.example/x?y=1', plain: false }],
    [17, undefined],
    [21, { address: 'https://b.example/z', plain: true }],
    [39, { address: 'https://b.example/z', plain: true }],
    [40, undefined],
    [200, undefined],
  ])('is found in column %i', (x, found) => {
    expect(linkAt(row, x)).toEqual(found);
  });

  it('is plain when its text is the address', () => {
    expect(linkAt(link('https://a.example/', 'https://a.example/'), 3)).toMatchObject({ plain: true });
    expect(linkAt(link('https://evil.example/', 'https://a.example/'), 3)).toMatchObject({
      address: 'https://evil.example/',
      plain: false,
    });
  });
});

it.each([
  ['https://a.example/x y', 'https://a.example/x%20y'],
  ['HTTP://a.example', 'http://a.example/'],
  ['file:///etc/passwd', undefined],
  ['javascript:alert(1)', undefined],
  ['ssh://a.example', undefined],
  ['x-man-page://ls', undefined],
  ['https://bank.example@evil.example/', undefined],
  ['--help', undefined],
])('the address %s is opened as %s', (address, opened) => {
  expect(browsable(address)).toBe(opened);
});
