import { expect, test } from 'vitest';
import type { Entry } from '../../../src/session/entry.ts';
import { exactDiff } from '../../../src/tools/patch/lines.ts';
import { paintOf, THEMES } from '../../../src/ui/render/theme.ts';
import { entryLines } from '../../../src/ui/screen/entries/lines.ts';
import { diffRowsOf } from '../../../src/ui/screen/halt/changes.ts';
import { MARK, UNMARK } from '../../../src/ui/screen/halt/danger.ts';

const BEFORE = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nlet a = old(1);\n';

test('a diff has numbered lines, with the words marked in which two lines differ', async () => {
  const after = BEFORE.replace('two\n', '').replace('old', 'fresh');
  const { name, added, removed, rows } = diffRowsOf(await exactDiff('src/a.js', BEFORE, after));
  expect([name, added, removed]).toEqual(['src/a.js', 1, 2]);
  expect(rows.map(({ text, role }) => [role, text])).toEqual([
    [undefined, ' 1   one'],
    ['removed', ' 2 − two'],
    [undefined, ' 2   three'],
    [undefined, ' 3   four'],
    [undefined, ' 4   five'],
    [undefined, '   …'],
    [undefined, ' 6   seven'],
    [undefined, ' 7   eight'],
    [undefined, ' 8   nine'],
    ['removed', `10 − let a = ${MARK}old${UNMARK}(1);`],
    ['added', ` 9 + let a = ${MARK}fresh${UNMARK}(1);`],
  ]);
});

test('nothing in a file can look like a row of the question, and nothing in it is invisible', async () => {
  const { rows } = diffRowsOf(await exactDiff('a', 'x\n', 'x\n@@ -1 +1 @@\n\u202etxt.exe\r\x1b[31mred\n'));
  expect(rows.map(({ text }) => text)).toEqual([
    '1   x',
    '2 + @@ -1 +1 @@',
    '3 + ⟨U+202E⟩txt.exe⟨U+000D⟩⟨U+001B⟩[31mred',
  ]);
});

test('a diff shows a new file, and parts that are far apart', async () => {
  expect(diffRowsOf(await exactDiff('new.txt', undefined, 'hi\n'))).toMatchObject({ name: 'new.txt', added: 1 });
  const far = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);
  const after = far.with(1, 'first\n').with(28, 'last\n').join('');
  expect(
    diffRowsOf(await exactDiff('a', far.join(''), after)).rows.filter(({ text }) => text.endsWith('…')),
  ).toHaveLength(1);
});

test('a diff marks no words in lines that have little in common', async () => {
  const { rows } = diffRowsOf(
    await exactDiff('a', 'await rename(path);\nreturn 1;\n', 'await copy(path);\n// and so on\n'),
  );
  expect(rows.map(({ text }) => text)).toEqual([
    `1 − await ${MARK}rename${UNMARK}(path);`,
    '2 − return 1;',
    `1 + await ${MARK}copy${UNMARK}(path);`,
    '2 + // and so on',
  ]);
});

test('a patch that was applied is shown with its size, line numbers and the tool’s remarks', () => {
  const text =
    'patched a.js\nmatched line 40 but for blanks; look at the diff\n--- a.js\n+++ a.js\n@@ -40,3 +40,3 @@\n one\n-two\n+TWO\n three\n';
  const entry = { kind: 'tool', name: 'patch', arguments: '{"path":"a.js"}', result: { text, failed: false } } as const;
  const context = { width: 60, paint: paintOf(THEMES.none), theme: THEMES.none };
  const lines = entryLines(entry as unknown as Entry, context).map((line) => line.trimEnd());
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^▸ patch a\.js +\+1 −1 · ✓$/),
    '│ matched line 40 but for blanks; look at the diff',
    '│ 40   one',
    '│ 41 − two',
    '│ 41 + TWO',
    '│ 42   three',
  ]);
});
