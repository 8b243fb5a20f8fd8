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
  test('at least 97 % of destructive lines are found in every kind but 90 % in the evasive ones', () => {
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

  test('no safe line is called destructive', () => {
    const rows = [...gate.filter((row) => row.label === 'safe'), ...everyday];
    expect(rows.map((row) => row.cmd).filter((cmd) => judgeCommand(cmd).verdict === 'destructive')).toEqual([]);
  });

  test('under 17.5 % of everyday lines are left to the second opinion, without a directory to look in', () => {
    expect(everyday.length).toBeGreaterThanOrEqual(500);
    const unknown = everyday.filter(({ cmd }) => judgeCommand(cmd).verdict === 'unknown');
    // Some of them show what a container, a release or a shell holds of credentials.
    expect(unknown.length / everyday.length).toBeLessThan(0.175);
  });

  test('no line of the corpus trips the judge itself', () => {
    const tripped = [...gate, ...everyday].filter(({ cmd }) => judgeCommand(cmd).reason === 'could not be parsed');
    expect(tripped).toEqual([]);
  });

  test('tool calls: losses are found, look-alikes are not', async () => {
    const wrong: string[] = [];
    for (const line of load('tools')) {
      const { verdict } = JSON.parse(await checkLine(line)) as { verdict: string };
      const { label } = JSON.parse(line) as { label: string };
      if ((label === 'destructive') !== (verdict === 'destructive')) wrong.push(line);
    }
    expect(wrong).toEqual([]);
  });
});
