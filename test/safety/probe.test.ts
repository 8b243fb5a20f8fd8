import { describe, expect, test } from 'vitest';
import { checkLine } from '../../src/safety/index.ts';

const ask = async (input: unknown, strict = false) =>
  JSON.parse(await checkLine(JSON.stringify(input), { strict })) as unknown;

test('the probe answers each command with a verdict and the id of the command', async () => {
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

test('the probe accepts tool arguments as an object or as text', async () => {
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
])('the probe answers the invalid line %j with a verdict', async (line) => {
  expect(JSON.parse(await checkLine(line))).toHaveProperty('verdict');
});

describe('the code of a project, when run by a command,', () => {
  const judge = (cmd: string, tree: unknown) => ask({ cmd, tree });

  test.each([
    'pytest -q',
    'go test ./...',
    'npx eslint .',
    'cargo build',
    'dotnet test',
    'swift build',
    'node --test',
    'rake -T',
    'yarn',
    './gradlew test',
    'docker compose up -d',
  ])('%s is unknown in a new project, and gets its usual verdict in a known one', async (cmd) => {
    expect(await judge(cmd, 'new')).toMatchObject({
      verdict: 'unknown',
      reason: 'runs code of a project you have not run before',
    });
    const known = await ask({ cmd });
    expect(await judge(cmd, 'known')).toEqual(known);
    if ((known as { verdict: string }).verdict === 'safe')
      expect(known).toMatchObject({ reason: 'obeys unread files of this project' });
  });

  test.each(['ls', 'git log', 'cat package.json', 'npm ls', 'grep -r x src', 'cargo --version'])(
    '%s only reads, in a new project as well',
    async (cmd) => {
      expect(await judge(cmd, 'new')).toMatchObject({ verdict: 'safe' });
    },
  );
});

test('the probe obeys the user’s patterns, and a disabled rule does not make its lines harmless', async () => {
  const rules = { userPatterns: [{ pattern: 'deploy', reason: 'goes live' }], disabledRules: ['chmod 777'] };
  const judge = async (cmd: string) => JSON.parse(await checkLine(JSON.stringify({ cmd }), { rules })) as unknown;
  expect(await judge('echo deploy')).toMatchObject({ verdict: 'destructive', reason: 'goes live' });
  expect(await judge('chmod 777 x')).toMatchObject({ verdict: 'unknown' });
});

test('a signal in Project needs no question where the kernel limits it to the command’s own processes', async () => {
  const line = JSON.stringify({ cmd: 'pkill -f server', cwd: '/', mode: 'project' });
  const asked = async (namespaces: boolean) => JSON.parse(await checkLine(line, { namespaces })).recoverable;
  expect([await asked(true), await asked(false)]).toEqual([true, false]);
});
