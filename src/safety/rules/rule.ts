import type { Call } from '../programs/call.ts';
import type { Operand } from '../programs/options.ts';

/** One row of the gate's tables. */
export type Rule = {
  /** Shown to the person and used to switch the row off. */
  readonly name: string;
  /** Base names of programs, separated by blanks; none for rows that readers of code and redirections report. */
  readonly programs: string;
  /** Shapes of calls, any of which matches; see `compileShape`. */
  readonly shapes?: readonly string[];
  /** What a shape can't say. Both must hold where both are given. */
  readonly when?: (call: Call) => boolean;
  readonly reason: string;
  /** Lines this row must report; tests check each. */
  readonly match: readonly string[];
  /** Look-alikes that nothing may report. */
  readonly pass: readonly string[];
};

export type Matcher = (call: Call) => boolean;

/**
 * A shape is a line of tokens, all of which must hold:
 * `word` or `a|b`: the next operand is this (operands that may be an unknown option's value are skipped);
 * `*`: the next operand is anything · `-f|--force`: one of these options · `!-n|--dry-run`: none of them ·
 * `--opt=value`: the option has this value (`--opt=/re/` by pattern) · `/re/`: some operand left over matches ·
 * `+`: an operand is left over · `0`: none is.
 */
function compileShape(shape: string): Matcher {
  const words: (ReadonlySet<string> | undefined)[] = [];
  const tests: ((call: Call, rest: readonly Operand[]) => boolean)[] = [];
  for (const token of shape.split(' ').filter((part) => part !== '')) {
    if (token === '+') tests.push((_, rest) => rest.length > 0);
    else if (token === '0') tests.push((_, rest) => rest.length === 0);
    else if (token === '*') words.push(undefined);
    else if (token.startsWith('!-')) {
      const names = token.slice(1).split('|');
      tests.push((call) => !call.hasExactly(names));
    } else if (token.startsWith('-') && token.includes('=')) tests.push(optionValue(token));
    else if (token.startsWith('-')) {
      const names = token.split('|');
      tests.push((call) => call.has(...names));
    } else if (token.startsWith('/')) {
      const pattern = new RegExp(token.slice(1, -1));
      tests.push((_, rest) => rest.some((operand) => pattern.test(operand.text)));
    } else words.push(new Set(token.split('|')));
  }
  return (call) => {
    const { operands } = call;
    let at = 0;
    for (const word of words) {
      while (at < operands.length && operands[at]?.maybeValue && word && !word.has(operands[at]?.text ?? '')) at++;
      const operand = operands[at++];
      if (!operand || (word && !word.has(operand.text))) return false;
    }
    const rest = operands.slice(at);
    return tests.every((test) => test(call, rest));
  };
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

/** All shapes and conditions of a row as one function. */
export function compileRule(rule: Rule): Matcher {
  const shapes = (rule.shapes ?? []).map(compileShape);
  const { when } = rule;
  if (shapes.length === 0) return when ?? (() => false);
  const anyShape: Matcher = (call) => shapes.some((matches) => matches(call));
  return when ? (call) => anyShape(call) && when(call) : anyShape;
}
