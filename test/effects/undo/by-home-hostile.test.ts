/** What a start file reads in the tree is anybody's: however it is written, nothing waits for it, and it is told as too much. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { byHome } from '../../../src/effects/undo/by-home.ts';
import { obeyedBy } from '../../../src/effects/undo/obeyed-by.ts';
import { waysThrough } from '../../../src/effects/undo/ways.ts';

const { HOME } = process.env;
let root: string;
let tree: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-home-hostile-'));
  tree = join(root, 'dots');
  mkdirSync(tree);
  process.env.HOME = root;
});
afterEach(() => {
  if (HOME !== undefined) process.env.HOME = HOME;
  rmSync(root, { recursive: true, force: true });
});

/** The longest that nothing else could be done meanwhile, in ms of processor time, and how it ended. */
async function longestTurn(work: Promise<unknown>): Promise<{ readonly ms: number; readonly end: unknown }> {
  let done = false;
  let ms = 0;
  const ended = work.then(() => 'told', String).finally(() => (done = true));
  let last = process.cpuUsage();
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    ms = Math.max(ms, (user + system) / 1000);
  }
  return { ms, end: await ended };
}

const many = (count: number, of: (at: number) => string) => Array.from({ length: count }, (_, at) => of(at)).join('');
const NAMES = 'A B C D E F G H'.split(' ');

it.each([
  ['values that double each other', `A0=/aaaaaaaa\n${many(60, (n) => `A${n + 1}=$A${n}$A${n}\n`)}. $A60\n`],
  [
    'many values of many variables',
    `${NAMES.map((name) => many(64, (n) => `${name}=/${name}${n}\n`)).join('')}. ${NAMES.map((name) => `$${name}`).join('')}\n`.repeat(
      3,
    ),
  ],
  ['braces in a row', `. ${'{a,b}'.repeat(18_000)}\n`],
  ['braces in braces', `. ${'{a,'.repeat(9000)}${'}'.repeat(9000)}\n`],
  ['short rows of braces', `. /${'{a,b}'.repeat(500)}\n`.repeat(300)],
  ['defaults in defaults', `. ${'@{A:-'.repeat(9000)}${'}'.repeat(9000)}\n`.replaceAll('@', '$')],
  ['substitutions in substitutions', `. ${'$('.repeat(40_000)}${')'.repeat(10_000)}\n`],
  ['blanks', `. for x${' '.repeat(90_000)}in${' '.repeat(9000)}\n`.repeat(3)],
  ['blanks behind set', `set x${' '.repeat(90_000)}\n`.repeat(3)],
  ['quotation marks', `. ${'\'"'.repeat(40_000)}\n`],
  ['one that is not closed', `. "${'a '.repeat(40_000)}\n`],
  ['brackets', `. /${'[a'.repeat(40_000)}\n`],
  ['parentheses', `. x=${'(a=('.repeat(20_000)}\n`],
  ['wildcards', `. /${'*a'.repeat(40_000)}\n`],
  ['patterns of the tree', many(200, (n) => `. ~/dots/$x/${n}\n`)],
  ['slashes', `. ~/dots/${'./'.repeat(40_000)}$x${'/..'.repeat(10_000)}\n`],
  ['places', many(4000, (n) => `cd ~/dots/${n}; . ./a/b${n}\n`)],
  ['words', `. ${'/a '.repeat(30_000)}\n`],
  ['a line that is too long', `. ${'/a '.repeat(80_000)}\n`],
  ['lines', '. x\n'.repeat(200_000)],
  ['equals signs', `${'a='.repeat(45_000)}\n`],
  ['quoted in quoted', `. ${'\'"a '.repeat(20_000)}${'b"\''.repeat(5000)}\n`],
])('%s', async (_, text) => {
  writeFileSync(join(root, '.bashrc'), '. ~/dots/rc\n');
  writeFileSync(join(tree, 'rc'), text);
  const { ms, end } = await longestTurn(
    byHome(tree, waysThrough()).then((found) => {
      if (!obeyedBy(found)({ path: join(tree, 'rc'), kind: 'file' })) throw new Error('not found');
    }),
  );
  expect(['told', 'Error: your start files name too much']).toContain(end);
  // On a machine that rests it is a tenth.
  expect(ms).toBeLessThan(300);
});
