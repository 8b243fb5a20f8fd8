import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeCommand, realFiles } from '../../src/safety/index.ts';
import { cpuMilliseconds } from '../support/cpu-time.ts';

let cwd = '';

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gate-'));
  writeFileSync(join(cwd, 'full.txt'), 'something');
  writeFileSync(join(cwd, 'empty.txt'), '');
  mkdirSync(join(cwd, 'sub'));
  writeFileSync(join(cwd, 'sub', 'full.txt'), 'inner');
});
afterAll(() => rmSync(cwd, { recursive: true }));

const here = (command: string) => judgeCommand(command, { cwd, files: realFiles() }).verdict;

describe('with the file system looked at', () => {
  test.each([
    ['echo x > full.txt', 'destructive'],
    ['echo x > new.txt', 'safe'],
    ['echo x > empty.txt', 'safe'],
    ['echo x >> full.txt', 'safe'],
    ['cd sub && echo x > full.txt', 'destructive'],
    ['cd sub && echo x > other.txt', 'safe'],
    ['echo x > new.txt; echo y > new.txt', 'safe'],
    ['ls | tee full.txt', 'destructive'],
    ['ls | tee new.txt', 'safe'],
    ['cp empty.txt full.txt', 'destructive'],
    ['cp full.txt new.txt', 'safe'],
    ['cp full.txt sub', 'destructive'],
    ['cp empty.txt sub', 'safe'],
    ['mv new.txt full.txt', 'destructive'],
    ['mv full.txt renamed.txt', 'safe'],
    ['dd if=/dev/zero of=full.txt count=1', 'destructive'],
    ['dd if=/dev/zero of=new.img count=1', 'safe'],
    ['sort -o full.txt full.txt', 'destructive'],
    ['curl -o full.txt https://example.com/', 'destructive'],
    ['git diff --output=full.txt', 'destructive'],
    ['git archive -o new.tar HEAD', 'safe'],
    ['openssl genrsa -out full.txt 2048', 'destructive'],
    ['convert empty.txt full.txt', 'destructive'],
    ["curl -K- <<< 'output=full.txt'", 'destructive'],
    ['ln -sf new full.txt', 'destructive'],
    ['curl -o new.txt https://example.com/', 'safe'],
    ["python3 -c \"open('full.txt','w')\"", 'destructive'],
  ])('%s is %s', (command, verdict) => {
    expect(here(command)).toBe(verdict);
  });

  test('without a directory a truncation counts as over an existing file', () => {
    expect(judgeCommand('echo x > new.txt').verdict).toBe('destructive');
    expect(judgeCommand('echo x > /dev/null').verdict).toBe('safe');
  });
});

describe('what a person switches', () => {
  test('a disabled rule leaves its line to the second opinion, never to harmless', () => {
    const verdict = judgeCommand('git stash drop', { disabledRules: ['git stash drop'] });
    expect(verdict.verdict).toBe('unknown');
    expect(judgeCommand('git stash drop; rm -rf x', { disabledRules: ['git stash drop'] }).rule).toBe('rm -rf');
  });

  test('a pattern of their own wins; an invalid expression is taken as plain text', () => {
    const userPatterns = [
      { pattern: 'deploy\\s+prod', reason: 'production' },
      { pattern: 'a(b', reason: 'odd' },
    ];
    expect(judgeCommand('deploy  prod', { userPatterns })).toMatchObject({
      verdict: 'destructive',
      reason: 'production',
    });
    expect(judgeCommand('echo "a(b"', { userPatterns }).verdict).toBe('destructive');
  });
});

describe('what can not be read is never harmless', () => {
  test.each([
    'echo "unterminated',
    'ls \0 x',
    'ls\rrm',
    'echo \u202e x',
    'echo \ufffd',
    '$CMD x',
    'if true; then',
    './script.sh',
    'python3 script.py',
    'make',
  ])('%j', (command) => {
    expect(judgeCommand(command).verdict).not.toBe('safe');
  });

  test('code that could not be resolved is marked, files that may change too', () => {
    expect(judgeCommand('$CMD x')).toMatchObject({ verdict: 'unknown', unresolved: true });
    expect(judgeCommand('./script.sh')).toMatchObject({ verdict: 'unknown', runsFiles: true });
  });

  test.each([
    ['a megabyte of words', 'echo '.padEnd(1_000_000, 'ab ')],
    ['ten megabytes', 'x'.repeat(10_000_000)],
    ['ten thousand substitutions in each other', `${'$('.repeat(10_000)}ls${')'.repeat(10_000)}`],
    ['ten thousand subshells', `${'('.repeat(10_000)}ls${')'.repeat(10_000)}`],
    ['ten thousand braces', `${'{ '.repeat(10_000)}ls${'; }'.repeat(10_000)}`],
    ['half a million commands', 'a;'.repeat(500_000)],
    ['many backticks', '`'.repeat(20_000)],
    ['many quotes', `echo ${'\'"'.repeat(40_000)}`],
    ['nested arithmetic', `echo ${'$(('.repeat(3_000)}1`],
    ['brace bomb', `echo ${'{a,b}'.repeat(60)}`],
    ['star bomb', `x=${'a'.repeat(3000)}; echo \${x%${'*a'.repeat(40)}b}`],
    ['here-document of a megabyte', `cat <<E\n${'line\n'.repeat(200_000)}E`],
    ['ifs bomb', `IFS=a; x=${'a'.repeat(50_000)}; echo $x $x $x $x $x $x`],
    ['recursion', 'f() { f; f; }; f'],
    ['a name like that of a key', `cat ${'serviceaccount'.repeat(7000)}`],
    ['paths like those of keys', `cat ${Array(23).fill('.cloudflared/'.repeat(310)).join(' ')}`],
    ['random bytes', Array.from({ length: 50_000 }, (_, i) => String.fromCharCode((i * 7919) % 256)).join('')],
  ])('%s: an answer within a second, not harmless where it was cut', (_, command) => {
    let verdict = '';
    const spent = cpuMilliseconds(() => {
      verdict = judgeCommand(command).verdict;
    });
    expect(spent).toBeLessThan(1000);
    if (command.length > 100_000) expect(verdict).not.toBe('safe');
  });

  test('what stands behind the cut is still found', () => {
    expect(judgeCommand(`echo ${'x'.repeat(200_000)}; rm -rf /`).verdict).toBe('destructive');
  });
});
