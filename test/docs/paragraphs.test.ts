/** A page is read on a screen: no paragraph and no item of a list is longer than 80 words. */
import { expect, it } from 'vitest';
import { PAGES, textOf } from './blocks.ts';

const MAX_WORDS = 80;

/** The paragraphs and items of a page, without headings, tables, pictures and blocks or lists of code. */
function paragraphs(page: string): readonly string[] {
  return textOf(page)
    .replace(/^```.*?^```$/gms, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((text) => text.trim())
    .filter((text) => !/^(?:[|#<]|!\[)/.test(text) && /\w/.test(text.replace(/`[^`]*`/g, '')));
}

it.each(PAGES)(`%s has no paragraph of more than ${MAX_WORDS} words`, (page) => {
  const long = paragraphs(page)
    .map((text) => ({ words: text.split(/\s+/).length, begins: text.slice(0, 60) }))
    .filter(({ words }) => words > MAX_WORDS);
  expect(long).toEqual([]);
});
