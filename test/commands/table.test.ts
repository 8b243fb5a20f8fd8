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

it(':mode without an argument shows what runs and what halts in the current mode', async () => {
  const mode = commands.find(({ name }) => name === 'mode');
  const shown = (now: string) =>
    mode?.run({ engine: { conversation: { mode: now } } } as unknown as App, '', new AbortController().signal);
  expect(await shown('project')).toMatch(/\n {2}runs: changes nothing, undoable\n(?:.*\n)* {2}halts: loses something$/);
  expect(await shown('unrestricted')).not.toContain('runs:');
});

it('the cost in detail is a row for each model and kind of call, or with --table a table', async () => {
  const of = { preset: 'fast', local: false, cachedTokens: 0, unpriced: 0, estimated: 0 };
  const rows = [
    { ...of, model: 'gpt', category: 'chat', calls: 12, promptTokens: 3400, completionTokens: 56, dollars: 0.5 },
    {
      ...of,
      model: 'qwen3',
      category: 'norris',
      calls: 1,
      promptTokens: 7,
      completionTokens: 8,
      dollars: 0,
      local: true,
    },
  ];
  const app = { engine: { state: { costs: { rows } }, conversation: {} }, cost: {} } as unknown as App;
  const shown = async (rest: string) => {
    const text = await commands.find(({ name }) => name === 'cost')?.run(app, rest, new AbortController().signal);
    return (typeof text === 'string' ? text : '').split('\n').slice(1, -1);
  };
  expect(await shown('detail')).toEqual([
    '  gpt    chat    12 calls, 3400 / 56 tokens, $0.500000',
    '  qwen3  norris   1 calls,    7 /  8 tokens, $0.000000  (local)',
  ]);
  expect(await shown('detail --table')).toEqual([
    '  model  category  calls  prompt  completion    dollars',
    '  ─────  ────────  ─────  ──────  ──────────  ─────────',
    '  gpt    chat         12    3400          56  $0.500000',
    '  qwen3  norris        1       7           8  $0.000000  (local)',
  ]);
});
