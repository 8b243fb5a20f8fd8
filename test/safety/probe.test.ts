import { expect, test } from 'vitest';
import { checkLine } from '../../src/safety/index.ts';

const ask = async (input: unknown, strict = false) =>
  JSON.parse(await checkLine(JSON.stringify(input), { strict })) as unknown;

test('a command in, a verdict out, with the id it came with', async () => {
  expect(await ask({ id: 7, cmd: 'rm -rf x' })).toEqual({
    id: 7,
    verdict: 'destructive',
    rule: 'rm -rf',
    reason: 'rm -rf',
    findings: [{ rule: 'rm -rf', verb: 'deletes files and directories', part: [0, 8] }],
  });
  expect(await ask({ cmd: 'ls' })).toMatchObject({ verdict: 'safe', rule: null });
  expect(await ask({ id: 'a', cmd: 'frobnicate' })).toMatchObject({ id: 'a', verdict: 'unknown' });
  expect(await ask({ cmd: 'frobnicate' }, true)).toMatchObject({ verdict: 'destructive' });
});

test('tool calls take their arguments as an object or as text', async () => {
  expect(await ask({ tool: 'db__query', args: { sql: 'drop table x' } })).toMatchObject({ verdict: 'destructive' });
  expect(await ask({ tool: 'db__query', args: '{"sql":"select 1"}' })).not.toMatchObject({ verdict: 'destructive' });
});

test.each([
  '',
  'x',
  'null',
  '[]',
  '{}',
  '{"cmd":3}',
  '{"tool":null}',
  '\0',
  '{"cmd":"\\u0000"}',
  '{"cmd":"ls","cwd":5}',
])('the line %j gets an answer', async (line) => {
  expect(JSON.parse(await checkLine(line))).toHaveProperty('verdict');
});

test('in Project a signal needs no question where the kernel holds it to the command’s own processes', async () => {
  const line = JSON.stringify({ cmd: 'pkill -f server', cwd: '/', mode: 'project' });
  const asked = async (namespaces: boolean) => JSON.parse(await checkLine(line, { namespaces })).recoverable;
  expect([await asked(true), await asked(false)]).toEqual([true, false]);
});
