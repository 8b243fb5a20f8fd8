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

describe('names that the line does not spell', () => {
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

describe('a secret variable', () => {
  test.each([
    '[ -n "$GITHUB_TOKEN" ] && echo set',
    'echo ${GITHUB_TOKEN:+set}',
    'echo ${#GITHUB_TOKEN}',
    ': "${GITHUB_TOKEN:?must be set}"',
    'if [ -z "$API_KEY" ]; then echo missing; fi',
  ])('may be asked for: %s', (line) => expect(judgeCommand(line).verdict).toBe('safe'));

  test.each([
    'k=$GITHUB_TOKEN; echo "${k:0:4}"',
    'f() { echo "$1"; }; f "$GITHUB_TOKEN"',
    'if true; then k=$GITHUB_TOKEN; else k=x; fi; echo $k',
    'set -x; k=$GITHUB_TOKEN',
  ])('is followed: %s', (line) => expect(judgeCommand(line).verdict).toBe('unknown'));

  test('comes out of a store that was sourced, plain settings apart', async () => {
    expect(await there('. ./.env; echo $DATABASE_URL')).toBe('unknown');
    expect(await there('. ./.env; echo $PORT')).toBe('safe');
    expect(await there('set -x; . ./.env')).toBe('unknown');
  });
});

describe('a secret whose output is quiet in the end', () => {
  test.each([
    'cat .env >/dev/null 2>&1',
    'cat .env | tee >(wc -l) >/dev/null',
    'cat README.md | tee /dev/stderr | wc -l',
    'gpg -k | wc -l',
    'openssl req -new -x509 -key server.key -out made/server.crt -subj /CN=x',
  ])('is shown nowhere: %s', (line) => expect(judgeCommand(line).verdict).toBe('safe'));

  test.each([
    'cat .env | tee /dev/stderr | wc -l',
    'cat .env | tee >(cat >&2) >/dev/null',
    'while read -r l; do echo "$l" >&2; done < .env | wc -l',
    'gpg -d x.gpg | tee /dev/fd/2 >/dev/null',
  ])('or by another way: %s', (line) => {
    expect(judgeCommand(line).verdict).toBe('unknown');
    expect(judgeCommand(line, { localModel: true }).verdict).toBe('safe');
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
  ])('is a command of its own: %s', async (line, verdict) => expect(await there(line)).toBe(verdict));

  test('and that of a file, too', async () => {
    writeFileSync(join(cwd, 'tool'), '#!/usr/bin/shred\n', { mode: 0o755 });
    expect(await there('./tool README.md')).toBe('destructive');
  });
});
