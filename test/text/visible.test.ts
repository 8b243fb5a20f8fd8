import { expect, it } from 'vitest';
import { visible, visibleWithTabs } from '../../src/text/sanitize.ts';

it.each([
  ['a pasted script', 'if x; then\n\ty\nfi', 'if x; then\n    y\nfi'],
  ['a here-document', "cat <<'E'\n\ta\tb\nE", "cat <<'E'\n    a    b\nE"],
  ['beside hidden characters', '\ta\x1b', '    a⟨U+001B⟩'],
])('a tab in a heading is shown as blanks: %s', (_, text, shown) => {
  expect(visibleWithTabs(text)).toBe(shown);
});

it('a tab is shown escaped where the user must judge a text exactly', () => {
  expect(visible('a\tb')).toBe('a⟨U+0009⟩b');
});
