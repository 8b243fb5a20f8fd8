import type { Effect, Node, Tree } from './tree.ts';

import type { Values } from './values.ts';

/** What the judges of single calls ask of the one who walks the tree. */
export type Judging = {
  readonly tree: Tree;
  readonly values: Values;
  /** Paths that the code itself empties or makes: deleting them again is no loss. */
  readonly made: ReadonlySet<string>;
  /** First names of all modules that are imported. */
  readonly importedNames: ReadonlySet<string>;
  /** Notes an effect at `node`. */
  note(node: Node, effect: Effect): void;
  unknown(node: Node, reason: string, unresolved?: boolean): void;
  /** The paths an expression may name, as the gate's other judges read them: a part nobody knows is a hole. */
  paths(node: Node | undefined): readonly string[];
  /** One word of a command; numbers that nobody knows are holes there. */
  word(node: Node): string;
  write(node: Node, target: Node | undefined, how?: 'write' | 'append'): void;
  /** What does as a call of a program does. */
  program(node: Node, words: readonly string[]): void;
  /** Code in a string. */
  nested(node: Node, text: string): void;
  /** A module that is imported at `node`. */
  imported(node: Node, name: string): void;
};
