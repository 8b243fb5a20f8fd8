import { expect, it } from 'vitest';
import { runProgram, scratch } from '../support/program.ts';

it.each([
  [['--nope'], 2, "unknown option '--nope'"],
  [['run'], 2, "missing required argument 'goal'"],
  [['run', '--on-halt', 'proceed', 'x'], 2, 'Allowed choices are abort, skip'],
  [['safety', 'check', '--nope'], 2, "unknown option '--nope'"],
  [['safety', 'check', 'git', 'push', '--force'], 2, 'put it in quotes'],
  [['route', 'why', 'did', 'that', 'fail'], 2, 'put it in quotes'],
  [['doctr'], 2, 'there is no command doctr'],
])('aish-tui %j prints one line that names the mistake, and exits with 2', async (args, code, message) => {
  using place = scratch();
  const ended = await runProgram(place, args);
  expect(ended.code).toBe(code);
  expect(ended.err).toContain(message);
  expect(ended.out).toBe('');
});

it('aish-tui undo list does the same as aish-tui undo --list', async () => {
  using place = scratch();
  const [word, option] = [await runProgram(place, ['undo', 'list']), await runProgram(place, ['undo', '--list'])];
  expect(word).toEqual(option);
});

it('--help names every subcommand, and exits with 0', async () => {
  using place = scratch();
  const { code, out } = await runProgram(place, ['--help']);
  expect(code).toBe(0);
  for (const name of ['run', 'ask', 'safety', 'route', 'sandbox', 'doctor', 'sessions', 'config'])
    expect(out).toContain(`\n  ${name}`);
});

it('aish-tui doctor --json reports the same as aish-tui doctor', async () => {
  using place = scratch();
  const told: unknown = JSON.parse((await runProgram(place, ['doctor', '--json'])).out);
  expect(told).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ name: 'program', state: 'ok' })]),
  });
});

it(':doctor reports the same as aish-tui doctor', async () => {
  using place = scratch();
  const outside = await runProgram(place, ['doctor']);
  const inside = await runProgram(place, [], { input: ':doctor\n' });
  const lines = outside.out.trim().split('\n');
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) expect(inside.out).toContain(line);
});
