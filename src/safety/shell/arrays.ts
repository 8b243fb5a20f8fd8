import type { Assignment, Word } from 'unbash';
import { evaluateSubscript } from './arithmetic.ts';
import { noNameIsOption } from './glob.ts';
import type { Machine } from './machine.ts';
import { UNKNOWN } from './taint.ts';
import { expandWords } from './word.ts';

/** The elements that `name=(…)` gives an array, or its keys and values. */
export function arrayOf(
  machine: Machine,
  assignment: Assignment,
  words: readonly Word[],
): readonly string[] | Map<string, string> {
  const keyed = words.map((word) => /^\[([^\]]*)\]=/.exec(word.text));
  if (words.length > 0 && keyed.every((found) => found !== null)) {
    const map = new Map<string, string>();
    for (const word of words) {
      const found = /^\[([^\]]*)\]=([\s\S]*)$/.exec(machine.text(word));
      evaluateSubscript(machine, assignment.name, found?.[1] ?? '');
      if (found) map.set(found[1] ?? '', found[2] ?? '');
    }
    return map;
  }
  const before = machine.scope.get(assignment.name);
  const old = assignment.append && before !== undefined ? machine.scope.list(assignment.name) : [];
  return [...old, ...expandWords(machine, words).map(({ text }) => text)];
}

/** A pattern in a `for` list becomes file names: what is known of them is how they begin and end. */
export function loopPath(machine: Machine, text: string): string {
  const place = /^[*?[]/.test(text) && noNameIsOption(machine) ? './' : '';
  return place + text.replace(/[*?[\]]+/g, UNKNOWN);
}
