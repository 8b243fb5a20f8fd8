import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';
import { checkLine } from '../../src/safety/probe.ts';

const cwd = mkdtempSync(join(tmpdir(), 'aish-selections-'));
writeFileSync(join(cwd, 'README.md'), 'hello\n');
writeFileSync(join(cwd, '.env'), 'API_KEY=abc\nDATABASE_URL=postgres://u:p@h/d\n');
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const there = async (cmd: string) =>
  (JSON.parse(await checkLine(JSON.stringify({ cmd, cwd }))) as { verdict: string }).verdict;

describe('files that a line names only by a pattern', () => {
  test.each([
    "find . -name '*.ts' -exec cat {} +",
    "find . -type f \\( -name '*.ts' -o -name '*.js' \\) | xargs cat",
    "find . -name node_modules -prune -o -type f -name '*.ts' -print | xargs cat",
    "find . -type f -not -path '*/.*' -name '*.md' -exec grep -l foo {} +",
    'find src -type f -exec head -3 {} \\;',
    "ls -A | grep '\\.ts$' | xargs cat",
    "git ls-files '*.ts' | xargs cat",
    'for f in *.ts; do cat "$f"; done',
    'grep -rl foo src | xargs cat',
    'grep -r x --include="*.json" .',
    'find . -type f -exec md5sum {} +',
  ])('are read without a question: %s', (line) => {
    expect(judgeCommand(line).verdict).toBe('safe');
  });
});

describe('the first line of a script that the line writes', () => {
  test.each([
    ["printf '#!/bin/sh\\nls\\n' > x; chmod +x x; ./x", 'safe'],
    ["printf '#!/usr/bin/env python3\\nprint(1)\\n' > x; chmod +x x; ./x", 'safe'],
    ["printf '#!/bin/cat\\nhello\\n' > x; chmod +x x; ./x", 'safe'],
    ["printf '#!/bin/cat\\nhello\\n' > x; chmod +x x; ./x .env", 'unknown'],
    ["echo '#!/usr/bin/tee' > x; chmod +x x; ./x README.md < /dev/null", 'destructive'],
    ["echo '#!/usr/bin/env -S rm -f' > x; chmod +x x; ./x README.md", 'destructive'],
    ["echo '#!/opt/strange' > x; chmod +x x; ./x README.md", 'unknown'],
  ])('is judged as a command: %s', async (line, verdict) => expect(await there(line)).toBe(verdict));

  test('is judged as well if the script already exists', async () => {
    writeFileSync(join(cwd, 'tool'), '#!/usr/bin/shred\n', { mode: 0o755 });
    expect(await there('./tool README.md')).toBe('destructive');
  });
});
