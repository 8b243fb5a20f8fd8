import type { ParameterDefaultOperation, ParameterExpansionPart, ParameterSliceOperation, Word } from 'unbash';
import { unknown } from '../verdict.ts';
import { evaluateSubscript, evaluateText } from './arithmetic.ts';
import { globToRegExp } from './glob.ts';
import type { Machine } from './machine.ts';
import { isMap, type Value } from './scope.ts';
import { carrying, hasUnknown, holdsSecret, marksOf, NUMBER, OWN_PROCESS, UNKNOWN } from './taint.ts';

/** `$@`, `$1`, `$#` … as a list of words; undefined for an ordinary variable. */
export function specialParameter(machine: Machine, name: string): readonly string[] | undefined {
  const { positional } = machine.scope;
  if (name === '@' || name === '*') return positional;
  if (/^\d+$/.test(name)) return name === '0' ? [machine.scope.zero] : [positional[Number(name) - 1] ?? ''];
  if (name === '#') return [String(positional.length)];
  if (name === '!') return [OWN_PROCESS];
  if (name === '?' || name === '$' || name === '-') return [name === '?' ? '0' : name === '$' ? NUMBER : UNKNOWN];
  if (name === '_') return [machine.scope.lastArgument];
  return undefined;
}

/** The words a `${…}` stands for, before splitting. */
export function expandParameter(machine: Machine, part: ParameterExpansionPart): readonly string[] {
  const { scope } = machine;
  if (part.prefix === '#') return [lengthOf(machine, part)];
  if (part.operation?.type === 'Names') return scope.names(part.parameter);
  let name = part.parameter;
  if (part.prefix === '!') {
    const target = part.index ? valueAt(machine, name, part.index).join(' ') : scope.text(name);
    if (part.index && /^[@*]$/.test(part.index.text)) return keysOf(scope.get(name));
    const found = /^(\w+)\[([\s\S]*)\]$/.exec(target);
    if (found) evaluateSubscript(machine, found[1] ?? '', found[2] ?? '');
    else if (!/^(\w+|[@*#])?$/.test(target) && scope.get(name) !== undefined)
      machine.note(unknown('looks up a name that is not known', { unresolved: true }));
    if (hasUnknown(target) || !/^\w+(\[.*\])?$/.test(target)) return [UNKNOWN];
    if (found) return operated(machine, part, elementOf(scope.get(found[1] ?? ''), found[2] ?? ''));
    name = target;
  }
  const values = part.index && part.prefix !== '!' ? valueAt(machine, name, part.index) : valuesOf(machine, name);
  return operated(machine, part, values, name);
}

/** What an operation makes of values; what they are about stays, however they are cut. */
function operated(
  machine: Machine,
  part: ParameterExpansionPart,
  values: readonly string[],
  name?: string,
): readonly string[] {
  const made = applyOperation(machine, part, values, name);
  const marks = marksOf(values.join(''));
  if (marks === '' || part.operation === undefined || part.operation.type === 'Default') return made;
  return made.map((text) => carrying(marks, text));
}

function valuesOf(machine: Machine, name: string): readonly string[] {
  return specialParameter(machine, name) ?? [machine.scope.text(name)];
}

function valueAt(machine: Machine, name: string, index: Word): readonly string[] {
  if (index.text === '@' || index.text === '*') return machine.scope.list(name);
  const key = machine.text(index);
  evaluateSubscript(machine, name, key);
  return elementOf(machine.scope.get(name), key);
}

function elementOf(value: Value | undefined, key: string): readonly string[] {
  if (key === '@' || key === '*') return value === undefined ? [UNKNOWN] : [...listOf(value)];
  if (value === undefined) return [UNKNOWN];
  if (isMap(value)) return [value.get(key) ?? UNKNOWN];
  const list = listOf(value);
  if (!/^-?\d+$/.test(key)) return [list.length === 1 ? (list[0] ?? '') : UNKNOWN];
  return [list.at(Number(key)) ?? ''];
}

function listOf(value: Value): readonly string[] {
  if (typeof value === 'string') return [value];
  return isMap(value) ? [...value.values()] : value;
}

function keysOf(value: Value | undefined): readonly string[] {
  if (value === undefined) return [UNKNOWN];
  return isMap(value) ? [...value.keys()] : listOf(value).map((_, index) => String(index));
}

function lengthOf(machine: Machine, part: ParameterExpansionPart): string {
  if (part.index && /^[@*]$/.test(part.index.text)) return String(machine.scope.list(part.parameter).length);
  if (part.parameter === '@' || part.parameter === '*') return String(machine.scope.positional.length);
  const text = (part.index ? valueAt(machine, part.parameter, part.index) : valuesOf(machine, part.parameter)).join('');
  return hasUnknown(text) ? NUMBER : String(text.length);
}

function applyOperation(
  machine: Machine,
  part: ParameterExpansionPart,
  values: readonly string[],
  name = part.parameter,
): readonly string[] {
  const operation = part.operation;
  if (!operation) return values;
  switch (operation.type) {
    case 'Default':
      return withDefault(machine, operation, values, name);
    case 'Slice':
      return slice(machine, values, operation, /^[@*]$/.test(part.index?.text ?? name), part.index === undefined);
    case 'Remove': {
      const pattern = machine.pattern(operation.operand);
      return values.map((value) => (hasUnknown(value) ? value : removeAffix(value, pattern, operation.operator)));
    }
    case 'Replace': {
      const pattern = machine.pattern(operation.pattern);
      const replacement = machine.text(operation.replacement);
      return values.map((value) =>
        value === UNKNOWN ? UNKNOWN : replace(value, pattern, replacement, operation.operator),
      );
    }
    case 'CaseModification':
      return values.map((value) => changeCase(value, operation.operator));
    case 'Transform':
      if (operation.operand.text === 'P' && (values.some(hasUnknown) || !machine.scope.has(name)))
        machine.note(unknown('expands a text that is not known', { unresolved: true }));
      return values.map((value) => transform(machine, value, operation.operand.text));
    default:
      return [UNKNOWN];
  }
}

/** `${x:-a}` and its like. */
function withDefault(
  machine: Machine,
  operation: ParameterDefaultOperation,
  values: readonly string[],
  name: string,
): readonly string[] {
  const unset = machine.scope.get(name) === undefined;
  const missing = values.every((value) => value === '' || (value === UNKNOWN && unset));
  const alternative = operation.operator.endsWith('+');
  if (alternative) return missing && !values.includes(UNKNOWN) ? [] : [machine.text(operation.operand)];
  const asks = operation.operator.endsWith('?');
  if (!missing && !(asks && unset)) return values;
  const other = machine.text(operation.operand);
  if (operation.operator.endsWith('=')) machine.give(name, other);
  // `${x:?text}` complains with it.
  if (asks && holdsSecret(other)) machine.shows = true;
  return asks ? [carrying(values.join(''), UNKNOWN)] : [other];
}

function slice(
  machine: Machine,
  values: readonly string[],
  { offset: offsetWord, length: lengthWord }: ParameterSliceOperation,
  list: boolean,
  numbered: boolean,
): readonly string[] {
  const words = [offsetWord, ...(lengthWord ? [lengthWord] : [])].map((word) => machine.text(word));
  for (const word of words) evaluateText(machine, word);
  const [offset, length] = words.map(numberOf);
  if (offset === undefined || (lengthWord && length === undefined)) return [UNKNOWN];
  const cut = <T extends string | readonly string[]>(value: T, start: number) =>
    value.slice(start, length === undefined ? undefined : length < 0 ? length : start + length) as T;
  if (list) return cut(values, numbered ? Math.max(0, offset - 1) : offset);
  return values.map((value) =>
    hasUnknown(value) ? UNKNOWN : cut(value, offset < 0 ? Math.max(0, value.length + offset) : offset),
  );
}

function numberOf(text: string): number | undefined {
  const simple = text.trim();
  if (/^\(?-?\s*\d{1,9}\)?$/.test(simple)) return Number(simple.replace(/[()\s]/g, ''));
  const sum = /^(\d{1,9})\s*([-+*])\s*(\d{1,9})$/.exec(simple);
  if (!sum) return undefined;
  const [a, b] = [Number(sum[1]), Number(sum[3])];
  return sum[2] === '+' ? a + b : sum[2] === '-' ? a - b : a * b;
}

function removeAffix(value: string, pattern: string, operator: string): string {
  if (value.length > 4000) return UNKNOWN;
  const matches = globToRegExp(pattern);
  const prefix = operator.startsWith('#');
  const longest = operator.length === 2;
  for (let n = 0; n <= value.length; n++) {
    const size = longest ? value.length - n : n;
    const part = prefix ? value.slice(0, size) : value.slice(value.length - size);
    if (matches.test(part)) return prefix ? value.slice(size) : value.slice(0, value.length - size);
  }
  return value;
}

function replace(value: string, pattern: string, replacement: string, operator: string): string {
  if (pattern === '' || value.length > 4000) return pattern === '' ? value : UNKNOWN;
  const body = globToRegExp(pattern).source.slice(1, -1).replaceAll('[\\s\\S]*', '[\\s\\S]*?');
  const source = operator === '/#' ? `^${body}` : operator === '/%' ? `${body}$` : body;
  return value.replace(new RegExp(source, operator === '//' ? 'g' : ''), () => replacement);
}

function changeCase(value: string, operator: string): string {
  const change = (text: string) => (operator.startsWith('^') ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}

function transform(machine: Machine, value: string, operator: string): string {
  switch (operator) {
    case 'P':
      return machine.expandString(value);
    case 'E':
      return value.replace(/\\x([0-9a-fA-F]{1,2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    case 'U':
      return value.toUpperCase();
    case 'L':
      return value.toLowerCase();
    case 'u':
      return changeCase(value, '^');
    default:
      return value;
  }
}
