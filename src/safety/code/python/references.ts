import { type Binding, lookUp, type Scopes, type Texts } from './scopes.ts';

import type { Expr, Node, NodeOf } from './tree.ts';

const MAX_DEPTH = 12;
/** Functions that give a module or a part of one by its name in a string. */
const FINDS = new Set(['builtins.__import__', 'importlib.import_module', 'builtins.getattr']);

/** What names and chains of attributes stand for: imports, builtins, or bindings of the code's own. */
export class References {
  private readonly scopes: Scopes;
  private readonly texts: (node: Node) => Texts;

  constructor(scopes: Scopes, texts: (node: Node) => Texts) {
    this.scopes = scopes;
    this.texts = texts;
  }

  /** Full names of what an expression may refer to: `os.path.join`, `builtins.open`; none where it is no import. */
  of(node: Node, depth = 0): readonly string[] {
    if (depth > MAX_DEPTH) return [];
    switch (node.nodeType) {
      case 'Name': {
        const bindings = this.bindings(node);
        if (!bindings) return [`builtins.${node.id}`];
        return bindings.flatMap((binding) => {
          if (binding.kind === 'import') return [binding.module];
          return binding.kind === 'value' && binding.value !== node ? this.of(binding.value, depth + 1) : [];
        });
      }
      case 'Attribute':
        return this.of(node.value, depth + 1).map((name) => `${name}.${node.attr}`);
      case 'NamedExpr':
        return this.of(node.value, depth + 1);
      case 'Call':
        return this.computed(node, depth);
      default:
        return [];
    }
  }

  /** The one thing an expression refers to; undefined where it may be something else as well. */
  exactly(node: Expr): string | undefined {
    let root = node;
    while (root.nodeType === 'Attribute') root = root.value;
    if (root.nodeType !== 'Name' || (this.bindings(root)?.length ?? 1) !== 1) return undefined;
    return this.of(node)[0];
  }

  /** `__import__('os')`, `importlib.import_module('os')`, `getattr(os, 'remove')`. */
  private computed(node: NodeOf<'Call'>, depth: number): readonly string[] {
    const [first, second] = node.args;
    const found = first ? this.of(node.func, depth + 1).find((name) => FINDS.has(name)) : undefined;
    if (!first || found === undefined) return [];
    if (found !== 'builtins.getattr') {
      const modules = [...this.texts(first)].filter((text) => /^[\w.]+$/.test(text));
      if (found === 'importlib.import_module') return modules;
      // Without a list of names `__import__('os.path')` is `os`.
      const roots = modules.map((text) => text.split('.')[0] ?? text);
      return node.args.length + node.keywords.length > 1 ? [...roots, ...modules] : roots;
    }
    const attribute = second ? [...this.texts(second)] : [];
    return this.of(first, depth + 1).flatMap((module) => attribute.map((text) => `${module}.${text}`));
  }

  /** All that a name may be bound to; undefined: it is bound nowhere, so a builtin. */
  bindings(name: NodeOf<'Name'>): readonly Binding[] | undefined {
    return lookUp(this.scopes.of.get(name) ?? this.scopes.module, name.id);
  }
}

/** The name a call goes by: of a function, or of a method. */
export function nameOf(func: Expr): string | undefined {
  return func.nodeType === 'Name' ? func.id : func.nodeType === 'Attribute' ? func.attr : undefined;
}
