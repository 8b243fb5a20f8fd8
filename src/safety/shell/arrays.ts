import type { Assignment, Word } from 'unbash';
import { mayNameCredential } from '../credential-files.ts';
import { evaluateSubscript } from './arithmetic.ts';
import { globToRegExp, noNameIsOption } from './glob.ts';
import type { Machine } from './machine.ts';

import { STORE, UNKNOWN } from './taint.ts';
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
  return [
    ...old,
    ...expandWords(machine, words).map((field) => field.text + (field.glob ? storeMark(machine, field.text) : '')),
  ];
}

/** A pattern in a `for` list becomes file names: what is known of them is how they begin and end. */
export function loopPath(machine: Machine, text: string): string {
  const place = /^[*?[]/.test(text) && noNameIsOption(machine) ? './' : '';
  return place + text.replace(/[*?[\]]+/g, UNKNOWN) + storeMark(machine, text);
}

/** Do patterns of the shell stand for names that begin with a dot, too? */
export function namesHidden({ scope }: Machine): boolean {
  return scope.hidden || scope.has('GLOBIGNORE');
}

/** The mark of a pattern that may name a store of credentials, from the directory that the command is in by then. */
export function storeMark(machine: Machine, pattern: string): string {
  const { near, cwd } = machine.scope;
  const from = cwd ?? near ?? '';
  const places = pattern.startsWith('/') || from === '' ? [pattern] : [pattern, `${from}/${pattern}`];
  const hidden = namesHidden(machine);
  return places.some((place) => mayNameCredential(place, globToRegExp, hidden)) ? STORE : '';
}
