import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';
import { checkLine } from '../../src/safety/probe.ts';

test.each([
  'yes | head -5',
  'yes | apt-get install -y vim',
  'head -c 32 /dev/urandom | base64',
  'tr -dc a-z0-9 < /dev/urandom | head -c 16',
  'dd if=/dev/zero of=/dev/null bs=1M count=100',
  'od -An -N4 -tu4 /dev/urandom',
  'seq 1 1000',
  'echo {1..1000}',
  'for ((i=0;i<10;i++)); do echo $i; done',
  'until curl -sf https://example.com; do sleep 1; done',
  'while true; do curl -sf https://example.com && break; sleep 1; done',
  'seq 10 | xargs -n1 echo',
])('a line that ends keeps its verdict: %s', (line) => expect(judgeCommand(line).verdict).toBe('safe'));

test.each([
  ['yes > /dev/shm/x', /./],
  ['echo {1..999999999}', /more words than fit/],
  ['x=$(yes)', /endless/],
  ['sort /dev/zero', /endless/],
  ['while :; do sleep 9 & done', /loop without end/],
  ['for i in {1..9999}; do sleep 9 & done', /many processes/],
  ['seq 100000 | xargs -P0 -n1 sleep', /many processes at once/],
  ['{ yes; } >> log.txt', /endlessly/],
  ["python3 -c 'while 1: print(1)'", /an endless loop/],
] as const)('an endless line is not safe, and the reason says that it is endless: %s', (line, reason) => {
  const verdict = judgeCommand(line);
  expect(verdict.verdict).not.toBe('safe');
  expect(verdict.reason).toMatch(reason);
});

test('a second backup of the same name is not safe, since it overwrites the first', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'aish-backups-'));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(cwd, name), name);
  const verdict = async (cmd: string) =>
    (JSON.parse(await checkLine(JSON.stringify({ cmd, cwd }))) as { verdict: string }).verdict;
  expect(await verdict('cp -b a c')).toBe('safe');
  expect(await verdict('cp -b a c; cp -b b c')).not.toBe('safe');
  rmSync(cwd, { recursive: true, force: true });
});
