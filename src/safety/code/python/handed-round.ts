import type { Judging } from './judging.ts';
import { nameOf } from './references.ts';
import type { Node, NodeOf } from './tree.ts';

/** Names of functions that delete, end or run something, and of modules that hold them. */
export const DANGEROUS_NAME =
  /^(remove|unlink|rmtree|rmdir|removedirs|system|popen|kill|truncate|os|shutil|subprocess|check_output|call|Popen)$/;

/** Reflection: names in strings are looked at, since one of them may be what is called. */
export function reflects(judge: Judging, call: NodeOf<'Call'>): void {
  const dangerous = judge.tree.nodes.some(
    (node) => node.nodeType === 'Constant' && typeof node.value === 'string' && DANGEROUS_NAME.test(node.value),
  );
  const reason = 'python: calls something that deletes or runs commands by a name in a string';
  if (dangerous) judge.note(call, { kind: 'destructive', rule: 'python code', reason });
  else judge.unknown(call, `calls ${nameOf(call.func) ?? 'something'}`, true);
}

/**
 * Notes a function or module (`what`, in words) that becomes a value nobody follows. What a call found by a name in a
 * string is destructive where `called`, its own name, or that of a method the code calls destroys.
 */
export function handsRound(judge: Judging, node: Node, what: string, called = ''): void {
  const destroys =
    node.nodeType === 'Call' &&
    (DANGEROUS_NAME.test(called) ||
      judge.tree.nodes.some(
        (other) =>
          other.nodeType === 'Call' && other.func.nodeType === 'Attribute' && DANGEROUS_NAME.test(other.func.attr),
      ));
  const reason = 'python: calls something that deletes or runs commands through a value';
  if (destroys) judge.note(node, { kind: 'destructive', rule: 'python code', reason });
  else judge.unknown(node, `hands round ${what}`, true);
}

/** A module as a value can't be followed any more. `whole`: no other module reaches the names of this source. */
export function handsRoundModule(judge: Judging, node: Node, module: string, whole: boolean): void {
  const parent = judge.tree.parents.get(node);
  const harmless =
    node.nodeType === 'ImportFrom' ||
    parent?.nodeType === 'Expr' ||
    parent?.nodeType === 'Compare' ||
    (parent?.nodeType === 'Call' &&
      parent.args[0] === node &&
      ONLY_LOOKS.test(judge.values.references.exactly(parent.func) ?? '')) ||
    (whole && node.nodeType === 'Call' && isNamed(judge, parent));
  if (!harmless) handsRound(judge, node, `the module ${module}`);
}

const ONLY_LOOKS = /^builtins\.(getattr|hasattr|dir|print|help|repr|str|id)$/;

/** `m = __import__('os')`: every use of the name is followed, unless it is reached through its class. */
function isNamed(judge: Judging, parent: Node | undefined): boolean {
  const [target, ...others] = parent?.nodeType === 'Assign' ? parent.targets : [];
  const scope = target?.nodeType === 'Name' ? judge.values.scopes.of.get(target) : undefined;
  return scope !== undefined && scope.kind !== 'class' && others.length === 0;
}
