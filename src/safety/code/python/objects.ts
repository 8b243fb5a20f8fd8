import { nameOf } from './references.ts';
import type { Binding } from './scopes.ts';
import type { Expr, NodeOf } from './tree.ts';
import type { Values } from './values.ts';

/** An open file, a buffer or a stream. */
export function isHandle(values: Values, node: Expr, depth = 0): boolean {
  if (depth > 3) return false;
  if (node.nodeType === 'Attribute') return /^(stdout|stderr|stdin|buffer|wfile)$/.test(node.attr);
  if (node.nodeType === 'Call')
    return /^(builtins\.open|io\.(StringIO|BytesIO))$/.test(values.references.exactly(node.func) ?? '');
  const bindings = node.nodeType === 'Name' ? (values.references.bindings(node) ?? []) : [];
  return (
    bindings.length > 0 &&
    bindings.every(
      (binding) =>
        (binding.kind === 'value' || binding.kind === 'entered') && isHandle(values, binding.value, depth + 1),
    )
  );
}

/** `self.save()`, `explorer.run()`: a method that this source defines, and so judges by itself. */
export function isOwnMethod(values: Values, node: NodeOf<'Attribute'>): boolean {
  const owner = classOf(values, node.value);
  return (
    owner?.body.some(
      (part) => /^(Async)?FunctionDef$/.test(part.nodeType) && 'name' in part && part.name === node.attr,
    ) === true
  );
}

function classOf(values: Values, node: Expr): NodeOf<'ClassDef'> | undefined {
  if (node.nodeType === 'Call' && node.func.nodeType === 'Name') {
    const only = onlyBinding(values, node.func);
    return only?.kind === 'class' && only.node.decorator_list.length + only.node.keywords.length === 0
      ? only.node
      : undefined;
  }
  const only = onlyBinding(values, node);
  if (only?.kind === 'value' && only.value.nodeType === 'Call') return classOf(values, only.value);
  return only?.kind === 'parameter' ? classOfSelf(values, only) : undefined;
}

function onlyBinding({ references }: Values, node: Expr): Binding | undefined {
  const bindings = node.nodeType === 'Name' ? references.bindings(node) : undefined;
  return bindings?.length === 1 ? bindings[0] : undefined;
}

/** The class of a method's first parameter. */
function classOfSelf(values: Values, only: Extract<Binding, { kind: 'parameter' }>): NodeOf<'ClassDef'> | undefined {
  if (only.of.args.args[0]?.arg !== only.name) return undefined;
  const owner = values.tree.parents.get(only.of);
  if (owner?.nodeType !== 'ClassDef' || only.of.nodeType === 'Lambda') return undefined;
  return only.of.decorator_list.some((part) => nameOf(part) === 'staticmethod') ? undefined : owner;
}
