import type { SyntaxNode } from 'unbash';
import type { Field, Machine } from './machine.ts';
import { UNKNOWN } from './taint.ts';
import { expandWord } from './word.ts';

/** A command word whose variable had one of several values: each is tried. */
export function alternatives(
  machine: Machine,
  node: Extract<SyntaxNode, { type: 'Command' }>,
  fields: readonly Field[],
): readonly (readonly Field[])[] {
  if (fields[0]?.text !== UNKNOWN) return [fields];
  const name = /^"?\$\{?(\w+)\}?"?$/.exec(node.name?.text ?? '')?.[1];
  const values = machine.scope.alternatives.get(name ?? '');
  if (!name || !values || !node.name) return [fields];
  return values.map((value) => {
    machine.scope.set(name, value);
    const words: Field[] = [];
    if (node.name) expandWord(machine, node.name, words);
    return [...words, ...fields.slice(1)];
  });
}
