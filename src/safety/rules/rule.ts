import type { Call } from '../programs/call.ts';
import type { Condition, Finding } from '../programs/record.ts';
import { verbOf } from '../verbs.ts';

/** One row of the gate's tables. */
export type Rule = Finding & {
  /**
   * Base names of programs, separated by blanks; absent for rules that code readers and redirections report by name.
   */
  readonly programs?: string;
  /** Programs of which only some calls count: the condition besides one of the shapes, if there are any. */
  readonly of?: Readonly<Record<string, Condition>>;
  /** A further condition, as code. */
  readonly when?: (call: Call) => boolean;
};

/** For programs that a row names only because of their `--help`. */
export const NEVER: Condition = { any: [] };

export type Matcher = (call: Call) => boolean;

/**
 * A shape is a line of tokens, all of which must match: `word` or `a|b`: the next operand is one of these (operands
 * that may be an unknown option’s value are skipped); `*`: there is a next operand · `-f|--force`: one of these options
 * is given · `!-n|--dry-run`: none of them is · `--opt=value`: the option has this value (`--opt=/re/`: matching this
 * pattern) · `/re/`: a remaining operand matches · `+`: an operand remains · `0`: none remains.
 */
function compileShape(shape: string): Matcher {
  const words: (Matches | undefined)[] = [];
  const tests: ((call: Call, rest: number) => boolean)[] = [];
  for (const token of shape.split(' ').filter((part) => part !== '')) {
    if (token === '+') tests.push(({ operands }, rest) => rest < operands.length);
    else if (token === '0') tests.push(({ operands }, rest) => rest >= operands.length);
    else if (token === '*') words.push(undefined);
    else if (token.startsWith('!-')) {
      const names = token.slice(1).split('|');
      tests.push((call) => !call.hasExactly(names));
    } else if (token.startsWith('-') && token.includes('=')) tests.push(optionValue(token));
    else if (token.startsWith('-')) {
      const names = token.split('|');
      tests.push((call) => call.hasAny(names));
    } else if (token.startsWith('/')) {
      const pattern = new RegExp(token.slice(1, -1));
      tests.push(({ operands }, rest) => {
        for (let index = rest; index < operands.length; index++)
          if (pattern.test(operands[index]?.text ?? '')) return true;
        return false;
      });
    } else words.push(oneOf(token.split('|')));
  }
  return (call) => {
    const { operands } = call;
    let at = 0;
    for (const word of words) {
      while (at < operands.length && operands[at]?.maybeValue && word && !word(operands[at]?.text ?? '')) at++;
      const operand = operands[at++];
      if (!operand || (word && !word(operand.text))) return false;
    }
    // Plain loops, since this code runs most often: a closure for each row and call would be garbage.
    for (const test of tests) if (!test(call, at)) return false;
    return true;
  };
}

type Matches = (text: string) => boolean;

function oneOf(words: readonly string[]): Matches {
  const [only] = words;
  if (words.length === 1) return (text) => text === only;
  const all = new Set(words);
  return (text) => all.has(text);
}

function optionValue(token: string): (call: Call) => boolean {
  const at = token.indexOf('=');
  const names = token.slice(0, at).split('|');
  const wanted = token.slice(at + 1);
  const pattern = wanted.startsWith('/') ? new RegExp(wanted.slice(1, -1)) : undefined;
  return (call) =>
    names.some((name) =>
      call.options.values.get(name)?.some((value) => (pattern ? pattern.test(value) : value === wanted)),
    );
}

const wordsOf = (call: Call, from?: number, to?: number) =>
  call.operands
    .slice(from, to)
    .map(({ text }) => text)
    .join(' ');

/** Returns the texts that a condition is matched against, by its key. */
const TEXTS: Readonly<Record<TextKey, (call: Call, holds: (text: string) => boolean) => boolean>> = {
  first: ({ operands }, holds) => holds(operands[0]?.text ?? ''),
  second: ({ operands }, holds) => holds(operands[1]?.text ?? ''),
  last: ({ operands }, holds) => holds(operands.at(-1)?.text ?? ''),
  operand: ({ operands }, holds) => operands.some(({ text }) => holds(text)),
  later: ({ operands }, holds) => operands.slice(1).some(({ text }) => holds(text)),
  words: (call, holds) => holds(wordsOf(call)),
  argument: ({ args }, holds) => args.some(({ text }) => holds(text)),
  argument0: ({ args }, holds) => holds(args[0]?.text ?? ''),
  line: (call, holds) => holds(call.argumentLine),
  padded: (call, holds) => holds(` ${call.argumentLine}`),
  call: (call, holds) => holds(call.line),
  input: ({ io }, holds) => holds(io.stdin ?? ''),
  says: (call, holds) => holds(`${call.argumentLine} ${call.io.stdin ?? ''}`),
};

type TextKey = {
  [Key in keyof Condition]-?: Required<Condition>[Key] extends RegExp ? Key : never;
}[keyof Condition];

const TEXT_KEYS = Object.keys(TEXTS) as readonly TextKey[];

const GIVEN: Readonly<Record<Required<Condition>['given'], Matcher>> = {
  arguments: ({ args }) => args.length > 0,
  operands: ({ operands }) => operands.length > 0,
  input: ({ io }) => io.stdin !== undefined,
};

function compileCondition(condition: Condition): Matcher {
  const tests: Matcher[] = [];
  const { shape, range, value, given, destroys, not, all, any } = condition;
  if (shape !== undefined) tests.push(compileShape(shape));
  for (const key of TEXT_KEYS) {
    const pattern = condition[key];
    const find = TEXTS[key];
    if (!pattern) continue;
    const holds = (text: string) => pattern.test(text);
    tests.push((call) => find(call, holds));
  }
  if (range) tests.push((call) => range[2].test(wordsOf(call, range[0], range[1])));
  if (value) {
    const names = value[0].split('|');
    tests.push((call) => value[1].test(call.value(...names) ?? ''));
  }
  if (given) tests.push(GIVEN[given]);
  if (destroys !== undefined) tests.push((call) => destroyingWord(call, destroys));
  for (const none of [not ?? []].flat()) {
    const matches = compileCondition(none);
    tests.push((call) => !matches(call));
  }
  tests.push(...(all ?? []).map(compileCondition));
  if (any) {
    const matchers = any.map(compileCondition);
    tests.push(anyOf(matchers));
  }
  const [only, ...more] = tests;
  return only && more.length === 0 ? only : allOf(tests);
}

const GLOBAL_VALUE = /^[\w./:@-]+$/;

function destroyingWord(call: Call, most: number): boolean {
  let seen = 0;
  for (const { text, maybeValue } of call.operands) {
    if (seen++ >= most || !GLOBAL_VALUE.test(text)) return false;
    const verb = verbOf(text);
    if (
      verb === 'destroys' ||
      verb === 'destroys weakly' ||
      /^(deallocate|scale-in|(instances|servers):(delete|stop))$/.test(text)
    )
      return true;
    if (verb === 'reads' && !maybeValue) return false;
  }
  return false;
}

/** A rule for one of its programs, with the condition that applies to that program only, if any. */
export type RowOf = { readonly rule: Rule; readonly condition?: Condition };

/** Splits a rule into one row for each of its programs. */
export function rowsOf(rule: Rule): readonly (readonly [program: string, RowOf])[] {
  const special = Object.entries(rule.of ?? {}).flatMap(([programs, condition]) =>
    names(programs).map((program) => [program, { rule, condition }] as const),
  );
  return [...names(rule.programs ?? '').map((program) => [program, { rule }] as const), ...special];
}

/**
 * Returns words one of which is an operand of every call that the row matches; undefined if there are no such words.
 */
export function wordsOfRow({ rule }: RowOf): readonly string[] | undefined {
  const firsts = (rule.shapes ?? []).map((shape) => shape.split(' ').find((token) => /^[^-+0*!/]/.test(token)));
  return firsts.length > 0 && firsts.every((first) => first !== undefined)
    ? firsts.flatMap((first) => first.split('|'))
    : undefined;
}

/** Compiles the shapes and conditions of a row to one function. */
export function compileRow({ rule, condition }: RowOf): Matcher {
  const matchers: Matcher[] = [];
  const shapes = (rule.shapes ?? []).map(compileShape);
  if (shapes.length > 0) matchers.push(anyOf(shapes));
  if (rule.when) matchers.push(rule.when);
  if (condition) matchers.push(compileCondition(condition));
  const [first] = matchers;
  if (!first) return () => false;
  return matchers.length === 1 ? first : allOf(matchers);
}

function allOf(matchers: readonly Matcher[]): Matcher {
  return (call) => {
    for (const matches of matchers) if (!matches(call)) return false;
    return true;
  };
}

function anyOf(matchers: readonly Matcher[]): Matcher {
  return (call) => {
    for (const matches of matchers) if (matches(call)) return true;
    return false;
  };
}

function names(text: string): readonly string[] {
  return text.split(' ').filter((name) => name !== '');
}
