import { describe, expect, test } from 'vitest';
import { judgeCommand, listRules } from '../../src/safety/index.ts';
import { FAMILIES } from '../../src/safety/rules/table.ts';
import { SEVERE } from '../../src/safety/verdict.ts';
import { examplesOf, RULE_EXAMPLES } from '../support/rule-examples.ts';

describe.each(Object.entries(FAMILIES))('rules of the family %s', (_, rules) => {
  test.each(rules.map((rule) => [rule.name, rule] as const))('%s', (name, rule) => {
    const match = examplesOf(rule, 'destructive');
    const missed = match.filter((line) => judgeCommand(line).verdict !== 'destructive');
    const falsely = examplesOf(rule, 'safe').filter((line) => judgeCommand(line).verdict === 'destructive');
    expect({ missed, falsely }).toEqual({ missed: [], falsely: [] });
    if (match.length > 0) expect(match.map((line) => judgeCommand(line).rule)).toContain(name);
  });
});

test('every example belongs to an existing rule', () => {
  const names = new Set(Object.values(FAMILIES).flatMap((rules) => rules.map(({ name }) => name)));
  expect(RULE_EXAMPLES.map(({ rule }) => rule).filter((rule) => !names.has(rule))).toEqual([]);
});

test('every rule with a severity is in the tables, except the rules for tool calls', () => {
  const names = new Set(Object.values(FAMILIES).flatMap((rules) => rules.map(({ name }) => name)));
  expect([...SEVERE.keys()].filter((rule) => !names.has(rule))).toEqual(['tool verb', 'tool argument']);
});

test('each of the 22 original rule names still exists with its reason', () => {
  const original =
    'rm -rf|rm -fr|find -delete|find -exec rm|write to raw disk|dd to device|mkfs (format)|shred|wipefs|truncate to zero|git push --force|git push -f|git reset --hard|git clean -fd|git branch -D|DROP TABLE|DROP DATABASE|TRUNCATE TABLE|kill -9|pkill -9|chmod 777|chown on root path'.split(
      '|',
    );
  expect(original).toHaveLength(22);
  const rules = new Map(listRules().map((rule) => [rule.name, rule.reason]));
  expect(original.map((name) => [name, rules.get(name)])).toEqual(original.map((name) => [name, name]));
});
