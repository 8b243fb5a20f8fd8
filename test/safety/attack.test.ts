import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';

type Attack = { readonly why: string; readonly cmd: string };

const attacks = readFileSync(new URL('../corpus/attack.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Attack);

describe('the recorded attacks on the gate', () => {
  test('number at least 400 lines', () => expect(attacks.length).toBeGreaterThanOrEqual(400));

  test.each([...new Set(attacks.map(({ why }) => why))])('are never called safe: %s', (why) => {
    const lines = attacks.filter((attack) => attack.why === why).map(({ cmd }) => cmd);
    expect(lines.filter((line) => judgeCommand(line).verdict === 'safe')).toEqual([]);
  });
});

test('the reason for an unknown command names the unknown part', () => {
  expect(judgeCommand('ls --frobnicate').reason).toBe('option --frobnicate of ls is not known');
  expect(judgeCommand('git frobnicate').reason).toBe('git frobnicate is not known');
  expect(judgeCommand('frobnicate').reason).toBe('frobnicate is not known');
  expect(judgeCommand('LD_PRELOAD=./x ls').reason).toBe('sets LD_PRELOAD, which decides what runs');
});

test.each([
  ['git clean -nfd', 'safe'],
  ['git clean -fd -e -n', 'destructive'],
  ['git clean -n --no-dry-run -fd', 'destructive'],
  ['git push --dry-run --force', 'safe'],
  ['kubectl delete pod x --dry-run=client', 'safe'],
  ['kubectl delete pod x --dry-run=none', 'destructive'],
  ['apt-get -s remove x', 'safe'],
  ['npm run x --dry-run', 'unknown'],
] as const)('a dry-run option counts for its own subcommand, and the last one given wins: %s', (line, verdict) => {
  expect(judgeCommand(line).verdict).toBe(verdict);
});

test.each([
  ['sort -of a', 'destructive'],
  ['sort -rof a', 'destructive'],
  ['sort --outp=notes.md a', 'unknown'],
  ['sort -- -o f', 'safe'],
  ['sort -k 2 -t , f', 'safe'],
  ['grep -rn --include="*.ts" x .', 'safe'],
  ['tail -n5 f', 'safe'],
  ['head -20 f', 'safe'],
  ['timeout -k 5 10 ls -la', 'safe'],
  ['timeout -k 5 10 rm x', 'destructive'],
  ['git log --oneline -5 -- src', 'safe'],
  ['ps aux', 'safe'],
  ['tar tzf a.tgz', 'safe'],
] as const)('combined, abbreviated and separated options are parsed as the program does: %s', (line, verdict) => {
  expect(judgeCommand(line).verdict).toBe(verdict);
});

test.each([
  'ssh -o RemoteForward=9000:localhost:22 h',
  'ssh -oRemoteForward=9000:localhost:22 h ls',
  'ssh -w 0:0 h',
  'docker run -v /etc/shadow:/x alpine cat /x',
  'docker run -itv /etc/sudoers.d:/x alpine sh',
  'docker run --mount type=bind,source=/etc,target=/x alpine ls',
  'docker exec --privileged web sh',
])('a command that opens a way into the machine is destructive in any notation: %s', (line) => {
  expect(judgeCommand(line).verdict).toBe('destructive');
});

test.each([
  'ssh -o Tunnel=no h ls',
  'docker run -v /etc/localtime:/etc/localtime:ro alpine date',
  'docker run -v /home/me/app:/app alpine ls /app',
  'docker exec web ls --privileged',
])('a command that only looks as if it opened a way into the machine is not destructive: %s', (line) => {
  expect(judgeCommand(line).verdict).not.toBe('destructive');
});
