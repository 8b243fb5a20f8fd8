import { expect, it } from 'vitest';
import { visible, visibleWithTabs } from '../../src/text/sanitize.ts';

it.each([
  ['a pasted script', 'if x; then\n\ty\nfi', 'if x; then\n    y\nfi'],
  ['a here-document', "cat <<'E'\n\ta\tb\nE", "cat <<'E'\n    a    b\nE"],
  ['beside what hides', '\ta\x1b', '    a⟨U+001B⟩'],
])('shows a tab in a heading as room: %s', (_, text, shown) => {
  expect(visibleWithTabs(text)).toBe(shown);
});

it('spells a tab out where a question decides', () => {
  expect(visible('a\tb')).toBe('a⟨U+0009⟩b');
});
