import { describe, expect, it } from 'vitest';
import { stripStyles } from '../../../src/text/style.ts';
import { lineWidth } from '../../../src/text/wrap.ts';
import { highlight, highlightDiff } from '../../../src/ui/render/highlight.ts';
import { createMarkdownStream, renderMarkdown } from '../../../src/ui/render/markdown.ts';
import { THEMES, type Theme } from '../../../src/ui/render/theme.ts';

const BARE = Object.fromEntries(Object.keys(THEMES.dark).map((role) => [role, ''])) as Theme;

function lines(text: string, width = 40): string[] {
  return renderMarkdown(text, width, BARE).map(stripStyles);
}

describe('Markdown', () => {
  it('has headings, paragraphs and rules, separated by an empty line', () => {
    const expected = ['Title', '', 'Text of', 'two lines', '', '──────────'];
    expect(lines('# Title\nText of\ntwo lines\n\n---', 10)).toEqual(expected);
  });

  it('shows a line too long for emphasis unchanged, whether alone or beside others', () => {
    const long = `Words *and*${' more'.repeat(1000)}`;
    const alone = lines(long);
    expect(alone[0]).toMatch(/^Words \*and\* more/);
    expect(lines(`${long}\n\nThe end.`)).toEqual([...alone, '', 'The end.']);
    expect(lines(`# ${long}`)).toEqual(alone);
  });

  it('wraps lists beside their markers', () => {
    expect(lines('9. nine and more\n10. ten\n    - sub\n- [x] done\n- [ ] open', 14)).toEqual([
      ' 9. nine and',
      '    more',
      '10. ten',
      '    • sub',
      '',
      '• ☑ done',
      '• ☐ open',
    ]);
  });

  it('has quotes and code, whose blanks are kept', () => {
    const text = '> said\n> twice\n\n```js\nif (x) {\n    y();\n}\n```';
    expect(lines(text)).toEqual([
      '│ said',
      '│ twice',
      '',
      `─ js ${'─'.repeat(30)} copy`,
      '  if (x) {',
      '      y();',
      '  }',
    ]);
  });

  it('ends prose, rules and short code at the same column of a wide screen, and code with a long line where that line ends', () => {
    const prose = 'word '.repeat(60);
    const wide = lines(`${prose}\n\n- ${prose}\n\n---\n\n\`\`\`\nshort\n\`\`\``, 200);
    expect(Math.max(...wide.map(lineWidth))).toBe(100);
    const long = 'x'.repeat(150);
    expect(lines(`\`\`\`\n${long}\n\`\`\``, 200)).toEqual([`${'─'.repeat(148)} copy`, `  ${long}`]);
  });

  it('draws tables with wrapped cells, and lists of records if too narrow', () => {
    const table = '| name | what it is |\n|---|--:|\n| a | first letter |\n| bb | x |';
    expect(lines(table)).toEqual([
      'name │   what it is',
      '─────┼─────────────',
      'a    │ first letter',
      'bb   │            x',
    ]);
    expect(lines(table, 14)).toEqual([
      'name │ what it',
      '     │      is',
      '─────┼────────',
      'a    │   first',
      '     │  letter',
      'bb   │       x',
    ]);
    expect(lines(table, 8)).toEqual([
      'name: a',
      'what it',
      '  is:',
      '  first',
      '  letter',
      '',
      'name: bb',
      'what it',
      '  is: x',
    ]);
  });

  it('prints HTML, definitions and control characters as text', () => {
    const hostile = lines('a <b>b</b> <!-- c --> &lt;d&gt; &#27;[2J \x1b[2J\u202e', 60);
    expect(hostile).toEqual(['a <b>b</b> <!-- c --> <d> ␛[2J ␛[2J<U+202E>']);
    expect(lines('<div onclick="x">\nhi\n</div>')).toEqual(['<div onclick="x">', 'hi', '</div>']);
    expect(lines('[x]: http://hidden.example')).toEqual(['[x]: http://hidden.example']);
  });

  it('shows a link’s address unless its text does, and links only to the web', () => {
    expect(lines('[docs](https://a.b) <https://c.d>')).toEqual(['docs (https://a.b) https://c.d']);
    expect(renderMarkdown('[docs](https://a.b)', 40, BARE)[0]).toContain('\x1b]8;;https://a.b\x1b\\docs\x1b]8;;\x1b\\');
    expect(renderMarkdown('[x](javascript:alert)', 40, BARE)).toEqual(['x (javascript:alert)']);
    expect(lines('![pic](https://a.b/c.png)')).toEqual(['[image: pic] (https://a.b/c.png)']);
  });

  it('survives nesting that would overflow a stack', () => {
    expect(lines('> '.repeat(5000), 20).length).toBeGreaterThan(0);
    expect(lines('['.repeat(2000), 20)).toHaveLength(100);
  });

  it('uses its theme, and without colour only bold and similar styles', () => {
    const { strong, code } = THEMES.dark;
    expect(renderMarkdown('**b** `c`', 40, THEMES.dark)).toEqual([`\x1b[${strong}mb\x1b[0m \x1b[${code}mc\x1b[0m`]);
    for (const style of Object.values(THEMES.none)) expect(style).toMatch(/^(?:[1-9](?:;[1-9])*)?$/);
  });
});

describe('a stream', () => {
  it('is rendered again when its text or the width changes', () => {
    const stream = createMarkdownStream();
    expect(stream.update('a\n\nb\n\nc\n\nd', 10, BARE)).toEqual(['a', '', 'b', '', 'c', '', 'd']);
    expect(stream.update('x y', 10, BARE)).toEqual(['x y']);
    expect(stream.update('x y', 1, BARE)).toEqual(['x', 'y']);
  });
});

describe('coloured code', () => {
  it.each([
    ['ts', 'const x = "a"; // n', '<keyword>const</> x = <string>"a"</>; <comment>// n</>'],
    ['python', 'def f(): # x', '<keyword>def</> <function>f</>(): <comment># x</>'],
    ['bash', "echo '#' 42", "<keyword>echo</> <string>'#'</> <number>42</>"],
    ['sql', 'SELECT 1', '<keyword>SELECT</> <number>1</>'],
    ['klingon', 'const x', 'const x'],
  ])('has the right parts: %s', (language, code, expected) => {
    const named = Object.fromEntries(Object.keys(THEMES.dark).map((role) => [role, role])) as Theme;
    const shown = highlight(code, language, named)
      .replaceAll('\x1b[0m', '</>')
      .replace(/\x1b\[(\w+)m/g, '<$1>');
    expect(shown).toBe(expected);
    expect(highlight(code, language, BARE)).toBe(code);
  });

  it('distinguishes the lines of a diff', () => {
    const shown = highlightDiff('@@ -1 +1 @@\n-a\n+b\n c', THEMES.dark);
    const { hunk, removed, added } = THEMES.dark;
    expect(shown).toBe(`\x1b[${hunk}m@@ -1 +1 @@\x1b[0m\n\x1b[${removed}m-a\x1b[0m\n\x1b[${added}m+b\x1b[0m\n c`);
  });
});
