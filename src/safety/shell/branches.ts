import type { CompoundList, SyntaxNode } from 'unbash';
import type { Machine } from './machine.ts';
import { expandPatterns, expandText } from './word.ts';

type NodeOf<Type extends SyntaxNode['type']> = Extract<SyntaxNode, { type: Type }>;

/** What `if` may run behind its first condition: later conditions as well. */
export function bodiesOfIf(node: NodeOf<'If'>): readonly CompoundList[] {
  const others = node.elif.flatMap((elif) => [elif.clause, elif.then]);
  return [node.then, ...others, node.else].filter((body) => body !== undefined);
}

/** What `case` may run, its word and patterns expanded. */
export function bodiesOfCase(machine: Machine, node: NodeOf<'Case'>): readonly CompoundList[] {
  expandText(machine, node.word);
  expandPatterns(
    machine,
    node.items.flatMap(({ pattern }) => pattern),
  );
  return node.items.map(({ body }) => body);
}
