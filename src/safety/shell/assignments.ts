import type { Assignment } from 'unbash';
import { evaluateSubscript } from './arithmetic.ts';
import { arrayOf } from './arrays.ts';
import type { Machine } from './machine.ts';
import { runVariable } from './run-variables.ts';
import { holdsSecret } from './taint.ts';

/** Carries out one assignment; `named`: an array in it goes by names (`declare -A`). */
export function carryOut(machine: Machine, assignment: Assignment, exported: boolean, named: boolean): void {
  const { name, value } = assignment;
  const { scope } = machine;
  if (value.type === 'ArrayValue') {
    if (named) scope.goByNames(name);
    machine.give(name, arrayOf(machine, assignment, value.elements), exported);
    return;
  }
  const text = machine.text(value);
  machine.shows ||= scope.tracing && holdsSecret(text);
  const old = scope.get(name);
  if (assignment.index) {
    const key = machine.text(assignment.index);
    evaluateSubscript(machine, name, key);
    const map = new Map(old instanceof Map ? old : []);
    if (Array.isArray(old))
      for (const [index, item] of (old as readonly string[]).entries()) map.set(String(index), item);
    machine.give(name, map.set(key, text), exported);
  } else if (assignment.append && old !== undefined) machine.give(name, scope.text(name) + text, exported);
  else machine.give(name, text, exported);
  runVariable(machine, name, text);
  if (name === 'PS4' || name === 'PROMPT_COMMAND')
    machine.runText(name === 'PS4' ? `: "${text}"` : text, { stdin: '' });
}
