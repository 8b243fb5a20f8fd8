import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openMemory, relevantMemories } from '../../src/store/index.ts';

/** Stands for the secrets filter, and changes nothing. */
const asIs = <T>(value: T): T => value;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-memory-'));
  path = join(folder, 'deep', 'memory.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const about = (session: string, text: string, cwd = '/home/me') => ({ session, at: 1_700_000_000_000, cwd, text });

it('the memory keeps the last entry of each session, newest first, in a private file', () => {
  const memory = openMemory(path, asIs);
  expect(memory.list()).toEqual([]);
  memory.add(about('one', 'the parser was written'));
  memory.add(about('two', 'the logs were cleaned'));
  memory.add(about('one', 'the parser was written and tested'));
  expect(memory.list().map(({ text }) => text)).toEqual(['the parser was written and tested', 'the logs were cleaned']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(openMemory(path, asIs).list()).toEqual(memory.list());
});

it('the memory forgets an entry on request, also on disk', () => {
  const memory = openMemory(path, asIs);
  memory.add(about('one', 'the parser'));
  memory.add(about('two', 'the logs'));
  memory.forget('one');
  expect(memory.list().map(({ session }) => session)).toEqual(['two']);
  expect(readFileSync(path, 'utf8')).not.toContain('parser');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('the memory skips invalid lines', () => {
  const memory = openMemory(path, asIs);
  memory.add(about('one', 'the parser'));
  appendFileSync(path, '{"session":"x"}\nnull\n[1]\n{"torn":');
  expect(memory.list()).toHaveLength(1);
});

it('a memory is plain text of bounded length, whatever a model wrote', () => {
  const memory = openMemory(path, asIs);
  memory.add(about('one', `\u001b[31mred\u001b]52;c;x\u0007\nsecond ${'very '.repeat(400)}long`));
  const text = memory.list()[0]?.text ?? '';
  expect(text).toMatch(/^red second very/);
  expect(text).not.toMatch(/[\u0000-\u001f]/);
  expect(text.length).toBeLessThanOrEqual(500);
});

it('memories of the same directory, its parents and its subdirectories are shown', () => {
  const rows = [
    about('a', 'here', '/home/me/app'),
    about('b', 'below', '/home/me/app/src'),
    about('c', 'above', '/home/me'),
    about('d', 'elsewhere', '/home/me/app-two'),
  ];
  expect(relevantMemories(rows, '/home/me/app', 9).map(({ text }) => text)).toEqual(['here', 'below', 'above']);
  expect(relevantMemories(rows, '/home/me/app', 2)).toHaveLength(2);
});
