import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { manPage } from '../../docs/generate/man.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';

const page = readFileSync(new URL('../../docs/aish-tui.1', import.meta.url), 'utf8');

it('the man page matches the command line (node docs/generate/man.ts)', () => {
  expect(page).toBe(manPage());
});

it('the man page has every exit code, and no line that the formatter would misread', () => {
  for (const code of Object.values(EXIT)) expect(page).toMatch(new RegExp(`^\\.B .*\\b${code}\\b`, 'm'));
  for (const line of page.split('\n')) expect(line).toMatch(/^$|^\.(?:TH|SH|SS|TP|B)\b|^\.\\" |^[^.']/);
});
