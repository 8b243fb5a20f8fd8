/** The authors of the code in the bundle, and its licences. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { notices, packagesOf } from '../../release/notices.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-notices-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function install(
  name: string,
  manifest: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
) {
  const folder = join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.2.3', ...manifest }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return `node_modules/${name}`;
}

it('packages in a bundle’s inputs are found once each, including nested and scoped ones', () => {
  expect(
    packagesOf([
      'src/cli.ts',
      'node_modules/ink/build/ink.js',
      'node_modules/ink/build/dom.js',
      'node_modules/@scope/thing/index.js',
      'node_modules/ink/node_modules/chalk/source/index.js',
      'empty:react-devtools-core',
    ]),
  ).toEqual(['node_modules/@scope/thing', 'node_modules/ink', 'node_modules/ink/node_modules/chalk']);
});

it('a notice has name, version, licence, its text and its NOTICE', async () => {
  const folder = install('@scope/thing', { license: 'Apache-2.0' }, { LICENSE: 'the text', 'NOTICE.txt': 'by us' });
  const text = await notices(root, [folder]);
  expect(text).toContain('@scope/thing 1.2.3: Apache-2.0\n\nthe text\n\nby us\n');
});

it('a notice names the author of a package without a licence file', async () => {
  const folder = install('bare', { license: 'ISC', author: { name: 'A. Uthor' } });
  expect(await notices(root, [folder])).toContain('bare 1.2.3: ISC\n\n(no licence file; by A. Uthor)');
});

describe('a package with a licence', () => {
  it.each([
    ['GPL-3.0-only', false],
    ['AGPL-3.0', false],
    ['SEE LICENSE IN LICENSE', false],
    ['UNLICENSED', false],
    [undefined, false],
    ['MIT AND GPL-2.0', false],
    ['MIT', true],
    ['(MIT OR GPL-3.0)', true],
    ['(BSD-3-Clause AND MIT)', true],
  ])('%s may be shipped: %s', async (license, may) => {
    const folder = install('thing', license === undefined ? {} : { license });
    const made = notices(root, [folder]);
    if (may) await expect(made).resolves.toContain('thing 1.2.3');
    else await expect(made).rejects.toThrow('thing 1.2.3');
  });
});
