import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkLine, judgeCommand } from '../../src/safety/index.ts';

type Row = { readonly kind: string; readonly label: 'destructive' | 'safe'; readonly cmd: string };

const load = (name: string): readonly string[] =>
  readFileSync(new URL(`../corpus/${name}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
const gate = load('gate').map((line) => JSON.parse(line) as Row);
const everyday = load('everyday').map((line) => JSON.parse(line) as Row);

describe('the labelled corpus', () => {
  test('has at least 97 % of its destructive lines found in each kind, 90 % in the evasive kind', () => {
    const kinds = new Map<string, { found: number; all: number }>();
    for (const { kind, cmd } of gate.filter((row) => row.label === 'destructive')) {
      const count = kinds.get(kind) ?? { found: 0, all: 0 };
      count.all++;
      if (judgeCommand(cmd).verdict === 'destructive') count.found++;
      kinds.set(kind, count);
    }
    const low = [...kinds].filter(([, { found, all }]) => found / all < 0.9).map(([kind]) => kind);
    const total = [...kinds.values()].reduce((sum, { found, all }) => ({
      found: sum.found + found,
      all: sum.all + all,
    }));
    expect(low).toEqual([]);
    expect(total.found / total.all).toBeGreaterThan(0.97);
  });

  test('has no safe line judged destructive', () => {
    const rows = [...gate.filter((row) => row.label === 'safe'), ...everyday];
    expect(rows.map((row) => row.cmd).filter((cmd) => judgeCommand(cmd).verdict === 'destructive')).toEqual([]);
  });

  test('leaves less than 16.5 % of everyday lines to the second opinion without inspecting files, and less than 9 % of the others', () => {
    expect(everyday.length).toBeGreaterThanOrEqual(500);
    const unknown = (rows: readonly Row[]) =>
      rows.filter(({ cmd }) => judgeCommand(cmd).verdict === 'unknown').length / rows.length;
    // Most of the unknown lines act on other machines, publish, rewrite history, or run code that was not read.
    expect(unknown(everyday)).toBeLessThan(0.165);
    expect(unknown(gate.filter(({ label }) => label === 'safe'))).toBeLessThan(0.09);
  });

  test('has no line that makes the judge fail', () => {
    const tripped = [...gate, ...everyday].filter(({ cmd }) => judgeCommand(cmd).reason === 'could not be parsed');
    expect(tripped).toEqual([]);
  });

  test('has its destructive tool calls found, and no look-alikes of them', async () => {
    const wrong: string[] = [];
    for (const line of load('tools')) {
      const { verdict } = JSON.parse(await checkLine(line)) as { verdict: string };
      const { label } = JSON.parse(line) as { label: string };
      if ((label === 'destructive') !== (verdict === 'destructive')) wrong.push(line);
    }
    expect(wrong).toEqual([]);
  });
});
