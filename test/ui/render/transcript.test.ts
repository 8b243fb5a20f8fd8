import { describe, expect, it, vi } from 'vitest';
import { wrapText } from '../../../src/text/wrap.ts';
import { findLine, markMatches, type Searchable } from '../../../src/ui/render/search.ts';
import { createLineCache, createViewport } from '../../../src/ui/render/viewport.ts';

describe('wrapping', () => {
  it.each<[string, number, string[]]>([
    ['the quick brown fox', 10, ['the quick', 'brown fox']],
    ['    indented text', 12, ['    indented', 'text']],
    ['averyveryverylongword', 8, ['averyver', 'yverylon', 'gword']],
    ['漢字漢字', 5, ['漢字', '漢字']],
    ['a\tb', 20, ['a       b']],
    ['', 5, ['']],
    ['x\n\ny\n', 5, ['x', '', 'y']],
    ['漢', 1, ['…']],
    ['❤️👍🏽👨‍👩‍👧', 20, ['❤👍👨']],
  ])('breaks %j at %i columns as expected', (text, width, expected) => {
    expect(wrapText(text, width)).toEqual(expected);
  });

  it('continues styles and links on the next line', () => {
    const red = wrapText('\x1b[1;31mred words\x1b[0m end', 5);
    expect(red).toEqual(['\x1b[1;31mred\x1b[0m', '\x1b[1;31mwords\x1b[0m', 'end']);
    const [first, second] = wrapText('\x1b]8;;https://a.b\x1b\\two words\x1b]8;;\x1b\\', 5);
    expect(first).toBe('\x1b]8;;https://a.b\x1b\\two\x1b]8;;\x1b\\');
    expect(second).toBe('\x1b]8;;https://a.b\x1b\\words\x1b]8;;\x1b\\');
  });

  it('shows whatever is neither text nor style, and hides nothing', () => {
    expect(wrapText('a\x1b[2Jb\x07\u202ec\x1b[8mhidden', 40)).toEqual(['a␛[2Jb␇<U+202E>chidden']);
  });
});

describe('cached lines', () => {
  it('are made once for each version and width', () => {
    const cache = createLineCache();
    const produce = vi.fn(() => ['line']);
    cache.get('a', 1, 80, produce);
    cache.get('a', 1, 80, produce);
    expect(produce).toHaveBeenCalledTimes(1);
    cache.get('a', 2, 80, produce);
    cache.get('a', 2, 40, produce);
    expect(produce).toHaveBeenCalledTimes(3);
  });

  it('of the least recently used entries are dropped first', () => {
    const cache = createLineCache(3);
    const produce = vi.fn(() => ['line']);
    for (const key of ['a', 'b', 'c', 'a', 'd']) cache.get(key, 1, 80, produce);
    expect(produce).toHaveBeenCalledTimes(4);
    cache.get('a', 1, 80, produce);
    expect(produce).toHaveBeenCalledTimes(4);
    cache.get('b', 1, 80, produce);
    expect(produce).toHaveBeenCalledTimes(5);
  });
});

describe('the viewport', () => {
  function transcript(count: number) {
    const sizes = new Map<string, number>();
    const linesOf = (key: string) => Array.from({ length: sizes.get(key) ?? 0 }, (_, line) => `${key}.${line}`);
    const viewport = createViewport(linesOf);
    const set = (key: string, size: number) => {
      sizes.set(key, size);
      viewport.set(key);
    };
    viewport.resize(80, 5);
    for (let index = 0; index < count; index++) set(`e${index}`, 2);
    const texts = () => viewport.view().rows.map((row) => row.text);
    return { viewport, set, texts };
  }

  it('follows the end until it is scrolled away, and reports how much is below', () => {
    const { viewport, set, texts } = transcript(5);
    expect(texts()).toEqual(['e2.1', 'e3.0', 'e3.1', 'e4.0', 'e4.1']);
    viewport.scroll(-3);
    set('e5', 4);
    expect(texts()).toEqual(['e1.0', 'e1.1', 'e2.0', 'e2.1', 'e3.0']);
    expect(viewport.view()).toMatchObject({ above: 2, below: 7, followsTail: false });
    for (let page = 0; page < 3; page++) viewport.page(1);
    expect(viewport.view()).toMatchObject({ below: 0, followsTail: true });
  });

  it('does not move while entries above and below it grow', () => {
    const { viewport, set, texts } = transcript(10);
    viewport.scroll(-6);
    const before = texts();
    set('e0', 50);
    set('e9', 50);
    expect(texts()).toEqual(before);
  });

  it('goes to a requested line', () => {
    const { viewport, texts } = transcript(10);
    viewport.home();
    viewport.reveal({ key: 'e6', line: 1 });
    expect(texts()[1]).toBe('e6.1');
  });
});

describe('search', () => {
  const entries: Record<string, string[]> = {
    a: ['first error', 'x'],
    b: ['nothing'],
    c: ['a long', '\x1b[1mer\x1b[0mror here', 'Error'],
  };
  const source: Searchable = {
    keys: Object.keys(entries),
    textOf: (key) => entries[key]?.join(' ').replace(/\x1b\[\d*m/g, '') ?? '',
    linesOf: (key) => entries[key] ?? [],
  };

  it('goes from match to match, wrapping at both ends', () => {
    const first = findLine(source, 'error', undefined, 1);
    expect(first).toEqual({ key: 'a', line: 0 });
    expect(findLine(source, 'error', first, 1)).toEqual({ key: 'c', line: 1 });
    expect(findLine(source, 'error', { key: 'c', line: 2 }, 1)).toEqual(first);
    expect(findLine(source, 'error', first, -1)).toEqual({ key: 'c', line: 2 });
    expect(findLine(source, 'error', undefined, -1)).toEqual({ key: 'c', line: 2 });
  });

  it('finds wrapped text, is case-sensitive only for capitals, and reports no match', () => {
    expect(findLine(source, 'long error', undefined, 1)).toEqual({ key: 'c', line: 0 });
    expect(findLine(source, 'Error', undefined, 1)).toEqual({ key: 'c', line: 2 });
    expect(findLine(source, 'absent', undefined, 1)).toBeUndefined();
    expect(findLine(source, ' ', undefined, 1)).toBeUndefined();
  });

  it('marks matches within styled text', () => {
    const marked = markMatches('an \x1b[1mer\x1b[0mror, Error', 'error');
    expect(marked).toBe('an \x1b[1m\x1b[7mer\x1b[0m\x1b[7mror\x1b[0m, \x1b[7mError\x1b[0m');
    expect(markMatches('plain', 'x')).toBe('plain');
  });
});
