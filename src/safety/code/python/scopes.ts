/** Names of a Python program with the texts that each may stand for. */
import type { ASTNode } from 'py-ast';
import { DIGITS, UNKNOWN } from '../../shell/taint.ts';
import type { Expr, FunctionNode, Node, NodeOf, Tree } from './tree.ts';

/** One way in which a name (or an attribute of that name) gets its value. */
export type Binding =
  | { readonly kind: 'value'; readonly value: Expr }
  /** Each item of an iterable; `index` picks one of the names of a tuple target. */
  | { readonly kind: 'item'; readonly of: Expr; readonly index?: number }
  /** What `with VALUE as name` gives. */
  | { readonly kind: 'entered'; readonly value: Expr }
  | { readonly kind: 'import'; readonly module: string; readonly node: Node }
  | { readonly kind: 'parameter'; readonly of: FunctionNode; readonly name: string }
  | { readonly kind: 'function'; readonly node: NodeOf<'FunctionDef' | 'AsyncFunctionDef'> }
  | { readonly kind: 'class'; readonly node: NodeOf<'ClassDef'> }
  | { readonly kind: 'opaque' };

export type Scope = {
  readonly kind: 'module' | 'function' | 'class' | 'comprehension';
  readonly parent: Scope | undefined;
  readonly bindings: Map<string, Binding[]>;
  readonly globals: Set<string>;
  readonly nonlocals: Set<string>;
};

export type Scopes = {
  readonly module: Scope;
  /** The scope a name is looked up in, by the node of the name. */
  readonly of: ReadonlyMap<ASTNode, Scope>;
  /** All that is ever assigned to an attribute of this name, whatever the object. */
  readonly attributes: ReadonlyMap<string, readonly Binding[]>;
};

const OPAQUE: Binding = { kind: 'opaque' };

/** Finds what is bound to which name, scope by scope. */
export function readScopes(tree: Tree): Scopes {
  const reader = new ScopeReader(tree);
  for (const statement of tree.module.body) reader.visit(statement, reader.module);
  return { module: reader.module, of: reader.of, attributes: reader.attributes };
}

/** All bindings a name may stand for where it is used; undefined: it is bound nowhere, so a builtin. */
export function lookUp(scope: Scope | undefined, name: string): readonly Binding[] | undefined {
  let inner = true;
  let found: Binding[] | undefined;
  for (let at = scope; at; at = at.parent) {
    // `global name` passes over the functions around.
    if (at.globals.has(name)) return moduleOf(at).bindings.get(name);
    // A class body is seen from inside it (and, for one iterable, from a comprehension in it), not from its functions.
    const bindings = at.kind !== 'class' || inner ? at.bindings.get(name) : undefined;
    if (bindings) found = [...(found ?? []), ...bindings];
    if (bindings && at.kind !== 'class') return found;
    if (at.kind === 'function') inner = false;
  }
  return found;
}

function moduleOf(scope: Scope): Scope {
  let at = scope;
  while (at.parent) at = at.parent;
  return at;
}

class ScopeReader {
  readonly module = newScope('module', undefined);
  readonly of = new Map<ASTNode, Scope>();
  readonly attributes = new Map<string, Binding[]>();
  private readonly tree: Tree;

  constructor(tree: Tree) {
    this.tree = tree;
  }

  visit(node: Node, scope: Scope, except?: Node): void {
    if (node === except) return;
    switch (node.nodeType) {
      case 'Name':
        this.of.set(node, scope);
        return;
      case 'FunctionDef':
      case 'AsyncFunctionDef':
        this.bind(scope, node.name, { kind: 'function', node });
        this.function(node, scope);
        return;
      case 'Lambda':
        this.function(node, scope);
        return;
      case 'ClassDef':
        this.class(node, scope);
        return;
      case 'ListComp':
      case 'SetComp':
      case 'GeneratorExp':
      case 'DictComp':
        this.comprehension(node, scope);
        return;
      case 'Global':
        for (const name of node.names) scope.globals.add(name);
        return;
      case 'Nonlocal':
        for (const name of node.names) scope.nonlocals.add(name);
        return;
      default:
        this.statement(node, scope);
        for (const child of this.tree.children(node)) this.visit(child, scope, except);
    }
  }

  private class(node: NodeOf<'ClassDef'>, scope: Scope): void {
    this.bind(scope, node.name, { kind: 'class', node });
    for (const part of [...node.decorator_list, ...node.bases, ...node.keywords]) this.visit(part, scope);
    const inner = newScope('class', scope);
    for (const statement of node.body) this.visit(statement, inner);
    for (const [name, bindings] of inner.bindings) for (const binding of bindings) this.attribute(name, binding);
  }

  private comprehension(node: NodeOf<'ListComp' | 'SetComp' | 'GeneratorExp' | 'DictComp'>, scope: Scope): void {
    const inner = newScope('comprehension', scope);
    for (const { target, iter } of node.generators) this.target(target, { kind: 'item', of: iter }, inner);
    // The first iterable is evaluated outside: `[f(x) for f in [f]]`.
    const first = node.generators[0]?.iter;
    if (first) this.visit(first, scope);
    for (const child of this.tree.children(node)) this.visit(child, inner, first);
  }

  private function(node: FunctionNode, scope: Scope): void {
    const { args } = node;
    for (const part of [...args.defaults, ...args.kw_defaults]) if (part) this.visit(part, scope);
    const inner = newScope('function', scope);
    for (const { arg, annotation } of [...args.posonlyargs, ...args.args, ...args.kwonlyargs]) {
      this.bind(inner, arg, { kind: 'parameter', of: node, name: arg });
      if (annotation) this.visit(annotation, scope);
    }
    for (const rest of [args.vararg, args.kwarg]) if (rest) this.bind(inner, rest.arg, OPAQUE);
    if (node.nodeType === 'Lambda') {
      this.visit(node.body, inner);
      return;
    }
    for (const part of [...node.decorator_list, ...(node.returns ? [node.returns] : [])]) this.visit(part, scope);
    for (const statement of node.body) this.visit(statement, inner);
  }

  private statement(node: Node, scope: Scope): void {
    switch (node.nodeType) {
      case 'Assign':
        for (const target of node.targets) this.target(target, { kind: 'value', value: node.value }, scope);
        return;
      case 'AnnAssign':
        if (node.value) this.target(node.target, { kind: 'value', value: node.value }, scope);
        return;
      case 'AugAssign':
        this.target(node.target, OPAQUE, scope);
        return;
      case 'NamedExpr':
        this.target(node.target, { kind: 'value', value: node.value }, outsideComprehension(scope));
        return;
      case 'For':
      case 'AsyncFor':
        this.target(node.target, { kind: 'item', of: node.iter }, scope);
        return;
      case 'WithItem':
        if (node.optional_vars) this.target(node.optional_vars, { kind: 'entered', value: node.context_expr }, scope);
        return;
      case 'Import':
      case 'ImportFrom':
        this.imports(node, scope);
        return;
      case 'TypeAlias':
        this.target(node.name, OPAQUE, scope);
        return;
      default:
        this.caught(node, scope);
    }
  }

  private imports(node: NodeOf<'Import' | 'ImportFrom'>, scope: Scope): void {
    const from = node.nodeType === 'ImportFrom' ? `${'.'.repeat(node.level ?? 0)}${node.module ?? ''}.` : undefined;
    for (const { name, asname } of node.names) {
      const whole = asname || from !== undefined ? name : (name.split('.')[0] ?? name);
      this.bind(scope, asname ?? whole, { kind: 'import', module: `${from ?? ''}${whole}`, node });
    }
  }

  /** Names that an exception or a pattern binds: nobody follows what they hold. */
  private caught(node: Node, scope: Scope): void {
    if (node.nodeType === 'ExceptHandler' || node.nodeType === 'MatchAs' || node.nodeType === 'MatchStar') {
      if (node.name) this.bind(scope, node.name, OPAQUE);
    } else if (node.nodeType === 'MatchMapping' && node.rest) this.bind(scope, node.rest, OPAQUE);
  }

  /** Binds every name in an assignment's target. */
  private target(target: Expr, binding: Binding, scope: Scope): void {
    if (target.nodeType === 'Name') this.bind(scope, target.id, binding);
    else if (target.nodeType === 'Attribute') this.attribute(target.attr, binding);
    else if (target.nodeType === 'Starred') this.target(target.value, OPAQUE, scope);
    else if (target.nodeType === 'Tuple' || target.nodeType === 'List') {
      const plain = target.elts.every((item) => item.nodeType !== 'Starred');
      for (const [index, item] of target.elts.entries())
        this.target(item, plain ? partOfBinding(binding, index, target.elts.length) : OPAQUE, scope);
    }
  }

  private attribute(name: string, binding: Binding): void {
    const list = this.attributes.get(name);
    if (list) list.push(binding);
    else this.attributes.set(name, [binding]);
  }

  private bind(scope: Scope, name: string, binding: Binding): void {
    if (scope.globals.has(name) && scope !== this.module) return add(this.module, name, binding);
    if (!scope.nonlocals.has(name)) return add(scope, name, binding);
    for (let at = scope.parent; at; at = at.parent) if (at.kind === 'function') add(at, name, binding);
  }
}

/** What one name of a tuple gets. */
function partOfBinding(binding: Binding, index: number, length: number): Binding {
  if (binding.kind === 'item' && binding.index === undefined) return { ...binding, index };
  if (binding.kind !== 'value') return OPAQUE;
  const { value } = binding;
  if (value.nodeType !== 'Tuple' && value.nodeType !== 'List') return OPAQUE;
  if (value.elts.length !== length || value.elts.some((item) => item.nodeType === 'Starred')) return OPAQUE;
  const part = value.elts[index];
  return part ? { kind: 'value', value: part } : OPAQUE;
}

function newScope(kind: Scope['kind'], parent: Scope | undefined): Scope {
  return { kind, parent, bindings: new Map(), globals: new Set(), nonlocals: new Set() };
}

function add(scope: Scope, name: string, binding: Binding): void {
  const list = scope.bindings.get(name);
  if (list) list.push(binding);
  else scope.bindings.set(name, [binding]);
}

function outsideComprehension(scope: Scope): Scope {
  let at = scope;
  while (at.kind === 'comprehension' && at.parent) at = at.parent;
  return at;
}

/** The texts that an expression may have; empty where following it led round in a circle. */
export type Texts = ReadonlySet<string>;

/** Any text. */
export const ANYTHING: Texts = new Set([UNKNOWN]);
export const NUMBER: Texts = new Set([DIGITS]);

/** Most different texts an expression is followed to; beyond it, any text. */
export const MAX_VALUES = 24;
export function constant(value: unknown): Texts {
  if (typeof value === 'string') return new Set([value]);
  return typeof value === 'number' || typeof value === 'bigint' ? NUMBER : ANYTHING;
}

/** An operand without a value (the start of a circle) makes the whole unknown: it may grow without end. */
export function sum(left: Texts, right: Texts): Texts {
  if (left.size === 0 || right.size === 0) return ANYTHING;
  return bounded([...left].flatMap((a) => [...right].map((b) => a + b)));
}

export function product(parts: readonly Texts[]): Texts {
  return parts.reduce(sum, new Set(['']));
}

/** Joined as paths are: what begins at the root stands alone. */
export function paths(parts: readonly Texts[]): Texts {
  let [joined = ANYTHING] = parts;
  for (const part of parts.slice(1)) {
    if (joined.size === 0 || part.size === 0) return ANYTHING;
    const left = [...joined];
    if (left.some((text) => /^\uE008*$/.test(text))) return NUMBER;
    joined = bounded(left.flatMap((a) => [...part].map((b) => joinPath(a, b))));
  }
  return joined;
}

function joinPath(left: string, right: string): string {
  return right.startsWith('/') || left === '' ? right : `${left.replace(/\/$/, '')}/${right}`;
}

export function union(sets: readonly Texts[]): Texts {
  return bounded(sets.flatMap((set) => [...set]));
}

export function bounded(texts: readonly string[]): Texts {
  const set = new Set(texts);
  return set.size > MAX_VALUES || texts.some((text) => text.length > 100_000) ? ANYTHING : set;
}

export function mapAll(set: Texts, change: (text: string) => string): Texts {
  return new Set([...set].map(change));
}

export function directoryOf(path: string): string {
  if (path.includes(UNKNOWN)) return UNKNOWN;
  const at = path.lastIndexOf('/');
  return at < 0 ? '.' : at === 0 ? '/' : path.slice(0, at);
}

export function baseOf(path: string): string {
  return path.includes(UNKNOWN) ? UNKNOWN : path.slice(path.lastIndexOf('/') + 1);
}

/** `'%s.txt' % x`: what is put in may be anything. */
export function percentFormatted(template: string): string {
  return template.replace(/%%|%(\(\w+\))?[-#0 +]*[\d.*]*[a-zA-Z]/g, (found) =>
    found === '%%' ? '%' : /^%0?\d*d$/.test(found) ? DIGITS : UNKNOWN,
  );
}
