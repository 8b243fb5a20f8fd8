import { expect, it } from 'vitest';
import type { App } from '../../src/commands/app.ts';
import { commands } from '../../src/commands/table.ts';

const help = (rest: string) =>
  commands.find(({ name }) => name === 'help')?.run({} as App, rest, new AbortController().signal);

it('the help lists every command once, in one line of 80 columns, under a title', async () => {
  const lines = String(await help('')).split('\n');
  for (const { name } of commands)
    expect(
      lines.filter((line) => line.startsWith(`  :${name} `)),
      name,
    ).toHaveLength(1);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(76);
  expect(lines[0]).toBe('The conversation');
});

it('the help shows one command in all its forms, with or without its colon', async () => {
  expect(await help('undo')).toMatch(/^:undo \[.*\n {2}undo what .*\n {2}:undo {6,}show /);
  expect(await help(':undo')).toBe(await help('undo'));
  expect(() => help('udno')).toThrow('no command udno: :help lists them');
});

it('the help shows what asks in the mode of the conversation', async () => {
  const mode = commands.find(({ name }) => name === 'mode');
  const shown = (now: string) =>
    mode?.run({ engine: { conversation: { mode: now } } } as unknown as App, '', new AbortController().signal);
  expect(await shown('project')).toMatch(/\n {2}runs: changes nothing, undoable\n(?:.*\n)* {2}halts: loses something$/);
  expect(await shown('unrestricted')).not.toContain('runs:');
});
