import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { judgeCommand, listRules } from '../../src/safety/index.ts';
import { FAMILIES } from '../../src/safety/rules/table.ts';

type Example = { readonly rule: string; readonly label: 'destructive' | 'safe'; readonly cmd: string };

/** Beside the two examples of each rule that the documentation shows. */
const EXAMPLES = readFileSync(new URL('../corpus/rules.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Example);

const examplesOf = (name: string, label: Example['label']): readonly string[] =>
  EXAMPLES.filter((example) => example.rule === name && example.label === label).map(({ cmd }) => cmd);

describe.each(Object.entries(FAMILIES))('rules of the family %s', (_, rules) => {
  test.each(rules.map((rule) => [rule.name, rule] as const))('%s', (name, rule) => {
    const match = [...rule.match, ...examplesOf(name, 'destructive')];
    const missed = match.filter((line) => judgeCommand(line).verdict !== 'destructive');
    const falsely = [...rule.pass, ...examplesOf(name, 'safe')].filter(
      (line) => judgeCommand(line).verdict === 'destructive',
    );
    expect({ missed, falsely }).toEqual({ missed: [], falsely: [] });
    if (match.length > 0) expect(match.map((line) => judgeCommand(line).rule)).toContain(name);
  });
});

test('every further example names a rule', () => {
  const names = new Set(Object.values(FAMILIES).flatMap((rules) => rules.map(({ name }) => name)));
  expect(EXAMPLES.map(({ rule }) => rule).filter((rule) => !names.has(rule))).toEqual([]);
});

test('every one of the 22 original reasons is the name of a rule and its reason', () => {
  const original =
    'rm -rf|rm -fr|find -delete|find -exec rm|write to raw disk|dd to device|mkfs (format)|shred|wipefs|truncate to zero|git push --force|git push -f|git reset --hard|git clean -fd|git branch -D|DROP TABLE|DROP DATABASE|TRUNCATE TABLE|kill -9|pkill -9|chmod 777|chown on root path'.split(
      '|',
    );
  expect(original).toHaveLength(22);
  const rules = new Map(listRules().map((rule) => [rule.name, rule.reason]));
  expect(original.map((name) => [name, rules.get(name)])).toEqual(original.map((name) => [name, name]));
});
