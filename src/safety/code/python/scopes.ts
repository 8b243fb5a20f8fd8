/** Names of a Python program and the texts that each may have. */
import { type ASTNode, type ASTNodeUnion, type ExprNode, type Module, parse } from 'py-ast';
import { DIGITS, UNKNOWN } from '../../shell/taint.ts';

/** One way in which a name (or an attribute of that name) gets its value. */
export type Binding =
  | { readonly kind: 'value'; readonly value: Expr }
  /** Each item of an iterable; `index` picks one of the names of a tuple target. */
  | { readonly kind: 'item'; readonly of: Expr; readonly index?: number }
  /** The value bound by `with VALUE as name`. */
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
  /** Everything that is ever assigned to an attribute of this name, on any object. */
  readonly attributes: ReadonlyMap<string, readonly Binding[]>;
};

const OPAQUE: Binding = { kind: 'opaque' };

/** Finds the values that each name is bound to, scope by scope. */
export function readScopes(tree: Tree): Scopes {
  const reader = new ScopeReader(tree);
  for (const statement of tree.module.body) reader.visit(statement, reader.module);
  return { module: reader.module, of: reader.of, attributes: reader.attributes };
}

/** Returns all bindings that a name may have where it is used; undefined: it is bound nowhere, so it is a builtin. */
export function lookUp(scope: Scope | undefined, name: string): readonly Binding[] | undefined {
  let inner = true;
  let found: Binding[] | undefined;
  for (let at = scope; at; at = at.parent) {
    // `global name` skips the enclosing functions.
    if (at.globals.has(name)) return moduleOf(at).bindings.get(name);
    // Names of a class body are visible in the body itself (and in one iterable of a comprehension there), not in its
    // methods.
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

  /** Binds the names of an exception or a pattern, whose values are not followed. */
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

/** Returns the binding of one name in a tuple. */
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

/** The texts that an expression may have; empty where its value depends on itself. */
export type Texts = ReadonlySet<string>;

/** The texts of an expression that may have any text. */
export const ANYTHING: Texts = new Set([UNKNOWN]);
export const NUMBER: Texts = new Set([DIGITS]);

/** The most different texts that are tracked for an expression; more count as any text. */
export const MAX_VALUES = 24;
export function constant(value: unknown): Texts {
  if (typeof value === 'string') return new Set([value]);
  return typeof value === 'number' || typeof value === 'bigint' ? NUMBER : ANYTHING;
}

/** Returns the concatenations; unknown with an operand of a circular definition, which could grow endlessly. */
export function sum(left: Texts, right: Texts): Texts {
  if (left.size === 0 || right.size === 0) return ANYTHING;
  return bounded([...left].flatMap((a) => [...right].map((b) => a + b)));
}

export function product(parts: readonly Texts[]): Texts {
  return parts.reduce(sum, new Set(['']));
}

/** Joins parts of a path as Python does: an absolute part replaces the parts before it. */
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

/** Returns the texts of `'%s.txt' % x`, where the inserted value may be anything. */
export function percentFormatted(template: string): string {
  return template.replace(/%%|%(\(\w+\))?[-#0 +]*[\d.*]*[a-zA-Z]/g, (found) =>
    found === '%%' ? '%' : /^%0?\d*d$/.test(found) ? DIGITS : UNKNOWN,
  );
}

export type Node = ASTNodeUnion;
export type Expr = ExprNode;
/** A syntax tree node of one type, by its name. */
export type NodeOf<T extends Node['nodeType']> = Extract<Node, { nodeType: T }>;
export type FunctionNode = NodeOf<'FunctionDef' | 'AsyncFunctionDef' | 'Lambda'>;
/** The position of a node in the source: start and end, in characters. */
type Part = readonly [start: number, end: number];

/** The longest source that is parsed, in characters. */
const MAX_SOURCE_CHARS = 100_000;
/** The most tokens that are parsed: the parser takes about 8 µs for each. */
const MAX_TOKENS = 24_000;
/** The deepest syntax tree that is walked. */
const MAX_TREE_DEPTH = 300;
/** A declared encoding other than UTF-8, in which the same bytes mean other text. */
const ODD_ENCODING = /^[^\n]{0,200}?(?:\n[^\n]{0,200}?)?coding[:=][ \t]*(?!utf-?8\b|ascii\b|us-ascii\b)([-\w.]+)/i;
/** A form feed resets the indentation and a NUL ends the source; such source is rejected. */
const ODD_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

export type Tree = {
  readonly source: string;
  readonly module: Module;
  readonly parents: ReadonlyMap<ASTNode, Node>;
  /** All nodes, parents before their children. */
  readonly nodes: readonly Node[];
  /** Returns the children of a node in the order of the source, without contexts and operators. */
  children(node: ASTNode): readonly Node[];
  /** Returns the position of a node in `source`. */
  part(node: ASTNode): Part;
};

/** The last text that was parsed. */
let last: { readonly text: string; readonly tree: Tree | string } | undefined;

/**
 * Parses `text`; a string says why it can’t be parsed as Python 3. The last tree is cached, since a command is judged
 * several times in a row; nothing changes the tree.
 */
export function parseTree(text: string): Tree | string {
  if (last?.text !== text) last = { text, tree: parsed(text) };
  return last.tree;
}

function parsed(text: string): Tree | string {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (source.length > MAX_SOURCE_CHARS || hasMoreTokens(source, MAX_TOKENS)) return 'longer than is looked at';
  if (ODD_CHARACTER.test(source)) return 'control characters in the code';
  if (ODD_ENCODING.test(source)) return 'an encoding of its own';
  try {
    const module = parse(source);
    const { parents, nodes, children } = collected(module);
    const lines = lineStarts(source);
    return {
      source,
      module,
      parents,
      nodes,
      children: (node) => children.get(node) ?? NONE,
      part: (node) => partOf(node, lines, source),
    };
  } catch (error) {
    return error instanceof RangeError ? 'nested deeper than is looked at' : 'not valid Python 3';
  }
}

/** Every token is at least one character: most sources are too short to be counted. */
function hasMoreTokens(source: string, limit: number): boolean {
  return source.length > limit && (source.match(/\w+|[^\w\s]/g)?.length ?? 0) > limit;
}

type Collected = {
  readonly parents: Map<ASTNode, Node>;
  readonly nodes: Node[];
  /** The children of each node that has any. */
  readonly children: Map<ASTNode, readonly Node[]>;
};

function collected(module: Module): Collected {
  const out: Collected = { parents: new Map(), nodes: [], children: new Map() };
  collect(module, 0, out);
  return out;
}

function collect(node: Node, depth: number, into: Collected): void {
  if (depth > MAX_TREE_DEPTH) throw new RangeError('too deep');
  into.nodes.push(node);
  const children = childrenOf(node);
  if (children.length === 0) return;
  into.children.set(node, children);
  for (const child of children) {
    into.parents.set(child, node);
    collect(child, depth + 1, into);
  }
}

const NONE: readonly Node[] = [];

/** Fields of a node that are not children. */
const LEFT_OUT = new Set(['ctx', 'op', 'ops', 'inlineComment']);

function childrenOf(node: Node): Node[] {
  const out: Node[] = [];
  // A plain loop over keys: pairs of key and value for each field would create much garbage.
  for (const key of Object.keys(node)) {
    const value: unknown = node[key as keyof Node];
    if (typeof value !== 'object' || value === null || LEFT_OUT.has(key)) continue;
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) out.push(item);
    } else if (isNode(value)) out.push(value);
  }
  return out;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'nodeType' in value && value.nodeType !== 'Comment';
}

function lineStarts(source: string): readonly number[] {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Columns count bytes of UTF-8, so only lines beyond ASCII need a conversion. */
function partOf(node: ASTNode, lines: readonly number[], source: string): Part {
  const offset = (line: number | undefined, column: number | undefined): number => {
    const start = lines[(line ?? 1) - 1] ?? source.length;
    const next = lines[line ?? 1] ?? source.length + 1;
    let bytes = column ?? 0;
    let at = start;
    for (; bytes > 0 && at < next - 1; at++) {
      const code = source.charCodeAt(at);
      bytes -= code < 0x80 ? 1 : code < 0x800 ? 2 : code >= 0xd800 && code < 0xe000 ? 2 : 3;
    }
    return at;
  };
  return [offset(node.lineno, node.col_offset), offset(node.end_lineno ?? node.lineno, node.end_col_offset)];
}

/** An effect that code has or may have. Code without effects only computes, reads and prints. */
export type Effect = { readonly part?: Part } & (
  | { readonly kind: 'write' | 'append' | 'read'; readonly path: string }
  /** An effect equal to a call of this program: `os.remove(x)` like `rm x`. */
  | { readonly kind: 'like'; readonly words: readonly string[] }
  /** A program that is run, with its words; `stdin` if the code determines its input. */
  | { readonly kind: 'call'; readonly words: readonly string[]; readonly stdin?: string; readonly cwd?: string }
  /** Text for a shell. */
  | { readonly kind: 'shell'; readonly text: string; readonly stdin?: string; readonly cwd?: string }
  | { readonly kind: 'sql'; readonly text: string }
  | { readonly kind: 'unknown'; readonly reason: string; readonly unresolved?: boolean; readonly onlyEdits?: true }
  | { readonly kind: 'destructive'; readonly rule: string; readonly reason: string }
);

/** The result of looking for a local module. */
export type LocalModule =
  | { readonly kind: 'text'; readonly text: string }
  /** The file does not exist: the name means an installed module. */
  | { readonly kind: 'absent' }
  /** The file exists but was not read, or could not be looked for. */
  | { readonly kind: 'unread' };

/** The circumstances in which the code runs. */
export type PythonContext = {
  /** The arguments after the script’s name, where known. */
  readonly argv?: readonly string[];
  /** The script’s path as written in the command. */
  readonly file?: string;
  /** Looks for a module beside the script. */
  readonly module: (name: string) => LocalModule;
};
