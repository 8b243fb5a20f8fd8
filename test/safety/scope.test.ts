/** A subshell inherits the variables of its shell; later changes in one shell are not visible in the other. */
import { expect, test } from 'vitest';
import { judgeCommand } from '../../src/safety/index.ts';
import { Scope } from '../../src/safety/shell/scope.ts';

test('a variable or alias set in a subshell is unknown to its parent', () => {
  const outer = new Scope('/p');
  outer.set('a', '1');
  const inner = outer.copy();
  const innermost = inner.copy();
  inner.set('a', '2');
  inner.setAlias('l', 'ls');
  outer.set('b', '3');
  outer.refer('r', 'a');
  outer.countByNumbers('n');
  outer.goByNames('m');
  expect([outer, inner, innermost].map((scope) => scope.get('a'))).toEqual(['1', '2', '1']);
  expect([outer, inner, innermost].map((scope) => scope.get('b'))).toEqual(['3', undefined, undefined]);
  expect([outer, inner, innermost].map(({ aliases }) => aliases.size)).toEqual([0, 1, 0]);
  expect([outer, inner, innermost].map(({ references }) => references.size)).toEqual([1, 0, 0]);
  expect([outer, inner, innermost].map(({ integers, named }) => integers.size + named.size)).toEqual([2, 0, 0]);
});

test('a variable that differs between two branches has both values afterwards', () => {
  const scope = new Scope('/p');
  scope.set('a', 'x');
  const before = scope.copy();
  scope.set('a', 'y');
  scope.forgetDifferences(before);
  expect(scope.alternatives.get('a')).toEqual(['x', 'y']);
  expect(before.get('a')).toBe('x');
  expect(before.alternatives.size).toBe(0);
});

test.each([
  ['x=rm; (x=ls); $x notes.txt', 'destructive'],
  ['x=ls; (x=rm); $x notes.txt', 'safe'],
  ['x=ls; x=rm | cat; $x notes.txt', 'safe'],
  ['x=ls; if true; then x=rm; fi; $x notes.txt', 'destructive'],
  ["'r'm notes.txt", 'destructive'],
  ['"rm" notes.txt', 'destructive'],
  ['r\'\'m "notes".txt', 'destructive'],
  ["cat 'no''tes'.*", 'safe'],
  ["cat '.en'v", 'unknown'],
] as const)('the line %s is judged with the variables that it sets', (line, verdict) =>
  expect(judgeCommand(line).verdict).toBe(verdict),
);
