/** The pages for users, and the blocks of code in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
export const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

type Block = { readonly page: string; readonly language: string; readonly text: string };
export const BLOCKS: readonly Block[] = PAGES.flatMap((page) =>
  [...textOf(page).matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    page,
    language,
    text,
  })),
);
