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

describe('with access to the file system', () => {
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
  ])('the command %s is %s', (command, verdict) => {
    expect(here(command)).toBe(verdict);
  });

  test('a redirection with > counts as overwriting when no directory is known', () => {
    expect(judgeCommand('echo x > new.txt').verdict).toBe('destructive');
    expect(judgeCommand('echo x > /dev/null').verdict).toBe('safe');
  });
});

describe('the user’s own settings', () => {
  test('can disable a rule, whose lines then go to the second opinion', () => {
    const verdict = judgeCommand('git stash drop', { disabledRules: ['git stash drop'] });
    expect(verdict.verdict).toBe('unknown');
    expect(judgeCommand('git stash drop; rm -rf x', { disabledRules: ['git stash drop'] }).rule).toBe('rm -rf');
  });

  test('can add a pattern, which wins; an invalid regular expression matches as plain text', () => {
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

describe('a line that can’t be parsed or resolved is never harmless', () => {
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

  test('and is marked as running unknown code or unread files', () => {
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
  ])('and gets a verdict within a second when it is %s', (_, command) => {
    let verdict = '';
    const spent = cpuMilliseconds(() => {
      verdict = judgeCommand(command).verdict;
    });
    expect(spent).toBeLessThan(1000);
    if (command.length > 100_000) expect(verdict).not.toBe('safe');
  });

  test('and a danger behind the length limit is still found', () => {
    expect(judgeCommand(`echo ${'x'.repeat(200_000)}; rm -rf /`).verdict).toBe('destructive');
  });
});
