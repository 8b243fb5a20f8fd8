import { OWN_TEMP, UNKNOWN } from '../../shell/taint.ts';
import {
  ANYTHING,
  type Binding,
  baseOf,
  bounded,
  constant,
  directoryOf,
  type Expr,
  type FunctionNode,
  lookUp,
  MAX_VALUES,
  mapAll,
  type Node,
  type NodeOf,
  NUMBER,
  paths,
  percentFormatted,
  product,
  type Scope,
  type Scopes,
  sum,
  type Texts,
  type Tree,
  union,
} from './scopes.ts';

/** The longest chain of names and operations that is followed. */
const MAX_DEPTH = 12;
/** The most steps for a whole source. */
const MAX_STEPS = 40_000;

/** The circumstances in which the code runs. */
export type Surroundings = {
  /** The arguments after the script’s name, where known. */
  readonly argv?: readonly string[];
  /** The script’s path as written in the command. */
  readonly file?: string;
};

/** The names being followed, and the number of operations between them. */
/** A function, the name by which it is called, and its class. */
type Callee = {
  readonly called: string;
  readonly owner: NodeOf<'ClassDef'> | undefined;
  /** Whether the call creates an object of the class. */
  readonly constructs: boolean;
};

type Trail = ReadonlyMap<string, number>;

/**
 * Follows expressions to the texts they may have, whatever the order of the statements. The result is never empty: an
 * expression that can't be followed is any text (`UNKNOWN`), a number `DIGITS`, a temporary file of the code's own
 * `OWN_TEMP`.
 */
export class Values {
  readonly tree: Tree;
  readonly scopes: Scopes;
  private readonly surroundings: Surroundings;
  /** Whether this module is imported by another, so that its functions are called from elsewhere. */
  private readonly library: boolean;
  /** Attributes that other modules assign to this module. */
  private readonly foreign: ReadonlySet<string>;
  private steps = 0;
  private readonly ids = new Map<object, number>();
  private readonly uses: Uses;
  readonly references: References;

  constructor(tree: Tree, scopes: Scopes, surroundings: Surroundings, library: boolean, foreign: ReadonlySet<string>) {
    this.tree = tree;
    this.scopes = scopes;
    this.surroundings = surroundings;
    this.library = library;
    this.foreign = foreign;
    this.references = new References(scopes, (node) => this.texts(node));
    // No texts are computed yet while the uses are collected.
    this.uses = new Uses(tree, new References(scopes, () => ANYTHING));
  }

  /** Returns the texts an expression may have. Never empty. */
  texts(node: Node | undefined): Texts {
    const found = node ? this.follow(node, new Map(), 0, 0) : ANYTHING;
    return found.size === 0 ? ANYTHING : found;
  }

  /** Returns the one text of an expression; undefined where there are several or it is unknown. */
  text(node: Node | undefined): string | undefined {
    const [first, ...rest] = this.texts(node);
    return rest.length > 0 || first === undefined || /[\uE000-\uE008]/.test(first) ? undefined : first;
  }

  private follow(node: Node, trail: Trail, operations: number, depth: number): Texts {
    if (depth > MAX_DEPTH || ++this.steps > MAX_STEPS) return ANYTHING;
    const inner = (part: Node) => this.follow(part, trail, operations + 1, depth + 1);
    switch (node.nodeType) {
      case 'Constant':
        return constant(node.value);
      case 'JoinedStr':
        return product(node.values.map((value) => this.formatted(value, inner)));
      case 'FormattedValue':
        return this.formatted(node, inner);
      case 'BinOp':
        if (node.op.nodeType === 'Add') return sum(inner(node.left), inner(node.right));
        if (node.op.nodeType === 'Div') return paths([inner(node.left), inner(node.right)]);
        if (node.op.nodeType === 'Mod') return bounded([...inner(node.left)].map(percentFormatted));
        return ANYTHING;
      case 'IfExp':
        return union([node.body, node.orelse].map((part) => this.follow(part, trail, operations, depth + 1)));
      case 'BoolOp':
        return union(node.values.map((part) => this.follow(part, trail, operations, depth + 1)));
      case 'NamedExpr':
      case 'Await':
        return this.follow(node.value, trail, operations, depth + 1);
      case 'Name':
        return this.followName(node, trail, operations, depth);
      case 'Attribute':
        return this.followAttribute(node, trail, operations, depth);
      case 'Subscript':
        return this.subscript(node);
      case 'Call':
        return this.called(node, trail, operations, depth);
      default:
        return ANYTHING;
    }
  }

  private formatted(value: Expr, inner: (part: Node) => Texts): Texts {
    if (value.nodeType !== 'FormattedValue') return inner(value);
    const spec = value.format_spec;
    if (!spec) return value.conversion === -1 || value.conversion === 115 ? inner(value.value) : ANYTHING;
    const text = spec.nodeType === 'JoinedStr' && spec.values.length === 1 ? this.text(spec.values[0]) : undefined;
    return text !== undefined && /^0?\d*d$/.test(text) && !this.tree.source.includes('__format__') ? NUMBER : ANYTHING;
  }

  private followName(node: NodeOf<'Name'>, trail: Trail, operations: number, depth: number): Texts {
    const bindings = this.references.bindings(node);
    if (!bindings) return node.id === '__file__' ? this.file() : ANYTHING;
    const scope = this.scopes.of.get(node);
    const key = `${this.id(scope ?? this.scopes)} ${node.id}`;
    return this.followBindings(bindings, key, trail, operations, depth);
  }

  private followAttribute(node: NodeOf<'Attribute'>, trail: Trail, operations: number, depth: number): Texts {
    if (node.attr === 'name' && this.isOwnTemporary(node.value)) return new Set([OWN_TEMP]);
    if (node.attr === 'parent') return mapAll(this.follow(node.value, trail, operations + 1, depth + 1), directoryOf);
    const bindings = this.isPlainSelf(node.value) ? this.scopes.attributes.get(node.attr) : undefined;
    if (!bindings || this.library || this.foreign.has(node.attr)) return ANYTHING;
    return this.followBindings(bindings, `. ${node.attr}`, trail, operations, depth);
  }

  /** Returns whether this is `self` of a class without bases, all of whose attributes are assigned in this source. */
  private isPlainSelf(node: Expr): boolean {
    const bindings = node.nodeType === 'Name' ? this.references.bindings(node) : undefined;
    const only = bindings?.length === 1 ? bindings[0] : undefined;
    if (only?.kind !== 'parameter' || only.of.args.args[0]?.arg !== only.name) return false;
    const owner = this.tree.parents.get(only.of);
    return (
      owner?.nodeType === 'ClassDef' && owner.bases.length + owner.keywords.length + owner.decorator_list.length === 0
    );
  }

  private followBindings(
    bindings: readonly Binding[],
    key: string,
    trail: Trail,
    operations: number,
    depth: number,
  ): Texts {
    const before = trail.get(key);
    // A name whose value depends only on itself adds nothing; one that is extended on the way may become anything.
    if (before !== undefined) return before === operations ? new Set() : ANYTHING;
    const next = new Map(trail).set(key, operations);
    return union(bindings.map((binding) => this.followBinding(binding, next, operations, depth + 1)));
  }

  private followBinding(binding: Binding, trail: Trail, operations: number, depth: number): Texts {
    switch (binding.kind) {
      case 'value':
        return this.follow(binding.value, trail, operations, depth);
      case 'item':
        return this.items(binding.of, binding.index, trail, operations, depth);
      case 'entered':
        return this.isOwnTemporary(binding.value) ? new Set([OWN_TEMP]) : ANYTHING;
      case 'parameter':
        return this.parameter(binding.of, binding.name, (part) => this.follow(part, trail, operations, depth));
      default:
        return ANYTHING;
    }
  }

  /** Returns the items of an iterable. */
  private items(of: Expr, index: number | undefined, trail: Trail, operations: number, depth: number): Texts {
    const [first] = of.nodeType === 'Call' ? of.args : [];
    const builtin = of.nodeType === 'Call' ? this.references.exactly(of.func) : undefined;
    if (builtin === 'builtins.range' && index === undefined) return NUMBER;
    if (builtin === 'builtins.enumerate' && first && index === 0) return NUMBER;
    if (builtin === 'builtins.enumerate' && first && index === 1)
      return this.items(first, undefined, trail, operations, depth + 1);
    if (builtin === 'builtins.sorted' && first) return this.items(first, index, trail, operations, depth + 1);
    const lists = this.lists(of);
    if (!lists) return ANYTHING;
    return union(
      lists.flat().map((item) => {
        if (index === undefined) return this.follow(item, trail, operations, depth + 1);
        const part = item.nodeType === 'Tuple' || item.nodeType === 'List' ? item.elts[index] : undefined;
        return part && part.nodeType !== 'Starred' ? this.follow(part, trail, operations, depth + 1) : ANYTHING;
      }),
    );
  }

  /** Returns the lists an expression may be, item by item; undefined where unknown. */
  lists(node: Node, depth = 0): readonly (readonly Expr[])[] | undefined {
    if (depth > 6) return undefined;
    if (node.nodeType === 'List' || node.nodeType === 'Tuple' || node.nodeType === 'Set') {
      return node.elts.some((item) => item.nodeType === 'Starred') ? undefined : [node.elts];
    }
    if (node.nodeType === 'BinOp' && node.op.nodeType === 'Add') {
      const [left, right] = [this.lists(node.left, depth + 1), this.lists(node.right, depth + 1)];
      if (!left || !right || left.length * right.length > MAX_VALUES) return undefined;
      return left.flatMap((head) => right.map((tail) => [...head, ...tail]));
    }
    return node.nodeType === 'Name' && !this.uses.changed.has(node.id) ? this.boundLists(node, depth) : undefined;
  }

  /** Returns the lists that a name stands for, over all places that bind it. */
  private boundLists(node: NodeOf<'Name'>, depth: number): readonly (readonly Expr[])[] | undefined {
    const out: (readonly Expr[])[] = [];
    for (const binding of this.references.bindings(node) ?? [undefined]) {
      if (binding?.kind !== 'value' && binding?.kind !== 'parameter') return undefined;
      const sources = binding.kind === 'value' ? [binding.value] : this.argumentsFor(binding.of, binding.name);
      for (const source of sources ?? [undefined]) {
        const found = source && source !== node ? this.lists(source, depth + 1) : undefined;
        if (!found || out.length + found.length > MAX_VALUES) return undefined;
        out.push(...found);
      }
    }
    return out;
  }

  private parameter(of: FunctionNode, name: string, follow: (part: Node) => Texts): Texts {
    const found = this.argumentsFor(of, name);
    return found ? union(found.map(follow)) : ANYTHING;
  }

  /** Returns the arguments for a parameter at every call; undefined where not all calls are known. */
  private argumentsFor(of: FunctionNode, name: string): readonly Expr[] | undefined {
    const callee = this.calleeOf(of);
    if (!callee || of.nodeType === 'Lambda') return undefined;
    const { called, owner } = callee;
    const { posonlyargs, args, kwonlyargs, defaults, kw_defaults } = of.args;
    const positional = [...posonlyargs, ...args].map(({ arg }) => arg);
    const at = positional.indexOf(name);
    if (owner && at === 0) return undefined;
    const only = kwonlyargs.findIndex(({ arg }) => arg === name);
    const standard = at >= 0 ? defaults[at - (positional.length - defaults.length)] : kw_defaults[only];
    const place = at >= 0 ? at - (owner ? 1 : 0) : -1;
    const out: Expr[] = [];
    for (const call of this.uses.calls.get(called) ?? []) {
      const value = this.isSpread(call, callee)
        ? undefined
        : (call.keywords.find(({ arg }) => arg === name)?.value ?? call.args[place] ?? standard);
      if (!value) return undefined;
      out.push(value);
    }
    return out.length > 0 ? out : undefined;
  }

  /** Returns the name by which a function is called; undefined where it may be called from unknown places. */
  private calleeOf(of: FunctionNode): Callee | undefined {
    if (of.nodeType === 'Lambda' || this.library || of.decorator_list.length > 0) return undefined;
    const parent = this.tree.parents.get(of);
    const owner = parent?.nodeType === 'ClassDef' ? parent : undefined;
    // A framework may call the methods of a class that inherits from it; Python itself those named like `__enter__`.
    if (owner && (owner.bases.length > 0 || owner.keywords.length > 0 || owner.decorator_list.length > 0))
      return undefined;
    const constructs = owner !== undefined && of.name === '__init__';
    if (/^__/.test(of.name) && !constructs) return undefined;
    const called = constructs ? owner.name : of.name;
    if (this.uses.mentioned.has(called) || (constructs && this.uses.calls.has('__init__'))) return undefined;
    return { called, owner, constructs };
  }

  /** `f(*words)`, `f(**words)`, and `Class.method(object, x)`, which has one argument more. */
  private isSpread(call: NodeOf<'Call'>, { owner, constructs }: Callee): boolean {
    if (call.args.some((arg) => arg.nodeType === 'Starred') || call.keywords.some(({ arg }) => !arg)) return true;
    return owner !== undefined && !constructs && call.func.nodeType === 'Attribute' && this.isClass(call.func.value);
  }

  private isClass(node: Expr): boolean {
    return node.nodeType === 'Name' && (this.references.bindings(node) ?? []).some(({ kind }) => kind === 'class');
  }

  private subscript(node: NodeOf<'Subscript'>): Texts {
    const { argv } = this.surroundings;
    const { slice } = node;
    if (!argv || this.uses.argvChanged || !this.references.of(node.value).includes('sys.argv')) return ANYTHING;
    const index = slice.nodeType === 'Constant' && typeof slice.value === 'number' ? slice.value : undefined;
    const word = index !== undefined && index > 0 ? argv[index - 1] : undefined;
    return word === undefined ? ANYTHING : new Set([word]);
  }

  private called(node: NodeOf<'Call'>, trail: Trail, operations: number, depth: number): Texts {
    const inner = (part: Node) => this.follow(part, trail, operations + 1, depth + 1);
    const same = (part: Node) => this.follow(part, trail, operations, depth + 1);
    const { args, func } = node;
    const [first] = args;
    const plain = node.keywords.length === 0 && args.every((arg) => arg.nodeType !== 'Starred');
    const name = this.references.exactly(func);
    if (!plain || !name) return this.method(node, inner);
    if (name === 'os.path.join' || name === 'pathlib.Path' || name === 'pathlib.PurePath')
      return args.length === 1 && first ? same(first) : paths(args.map(inner));
    if (/^(builtins\.str|os\.fspath|os\.path\.(abspath|realpath|normpath))$/.test(name) && args.length === 1 && first)
      return same(first);
    if (/^os\.path\.(dirname|basename)$/.test(name) && args.length === 1 && first)
      return mapAll(inner(first), name.endsWith('dirname') ? directoryOf : baseOf);
    if (/^tempfile\.(mkdtemp|mktemp|gettempprefix)$/.test(name)) return new Set([OWN_TEMP]);
    if (/^builtins\.(len|int|abs|ord|round|hash|id)$/.test(name)) return NUMBER;
    return ANYTHING;
  }

  /** `'…'.format(…)`, `'…'.join([…])`, `path.resolve()`, `path.joinpath(…)`, and functions of the code's own. */
  private method(node: NodeOf<'Call'>, inner: (part: Node) => Texts): Texts {
    const { func, args } = node;
    if (func.nodeType === 'Name') return this.returned(func, inner);
    if (func.nodeType !== 'Attribute' || args.some((arg) => arg.nodeType === 'Starred')) return ANYTHING;
    if (/^(resolve|absolute|as_posix)$/.test(func.attr) && args.length === 0) return inner(func.value);
    if (func.attr === 'joinpath') return paths([inner(func.value), ...args.map(inner)]);
    const template = this.text(func.value);
    if (template === undefined) return ANYTHING;
    if (func.attr === 'format')
      return new Set([
        template.replace(/\{\{|\}\}|\{[^{}]*\}/g, (found) =>
          found.length === 2 && found !== '{}' ? found.charAt(0) : UNKNOWN,
        ),
      ]);
    const lists = func.attr === 'join' && args[0] ? this.lists(args[0]) : undefined;
    if (lists?.length !== 1 || !lists[0]) return ANYTHING;
    return product(
      lists[0].flatMap((item, index) => (index === 0 ? [inner(item)] : [new Set([template]), inner(item)])),
    );
  }

  private returned(func: NodeOf<'Name'>, inner: (part: Node) => Texts): Texts {
    const bindings = this.references.bindings(func) ?? [];
    const only = bindings.length === 1 ? bindings[0] : undefined;
    if (only?.kind !== 'function' || only.node.nodeType !== 'FunctionDef' || only.node.decorator_list.length > 0)
      return ANYTHING;
    const returns: Texts[] = [];
    for (const node of this.tree.nodes) {
      if (/^Yield/.test(node.nodeType) && this.functionAround(node) === only.node) return ANYTHING;
      if (node.nodeType === 'Return' && node.value && this.functionAround(node) === only.node)
        returns.push(inner(node.value));
    }
    return union(returns);
  }

  /** Returns the function or class around a node. */
  functionAround(node: Node): Node | undefined {
    let at = this.tree.parents.get(node);
    while (at && !/^(FunctionDef|AsyncFunctionDef|Lambda)$/.test(at.nodeType)) at = this.tree.parents.get(at);
    return at;
  }

  /** Returns whether this is a temporary file or directory that the code makes. */
  isOwnTemporary(node: Expr, depth = 0): boolean {
    if (depth > 4) return false;
    if (node.nodeType === 'Call') {
      return /^tempfile\.(Named)?Temporary(File|Directory)$/.test(this.references.exactly(node.func) ?? '');
    }
    if (node.nodeType !== 'Name') return false;
    const bindings = this.references.bindings(node) ?? [];
    return (
      bindings.length > 0 &&
      bindings.every(
        (binding) =>
          (binding.kind === 'value' || binding.kind === 'entered') && this.isOwnTemporary(binding.value, depth + 1),
      )
    );
  }

  private file(): Texts {
    const { file } = this.surroundings;
    return file === undefined || this.library ? ANYTHING : new Set([file]);
  }

  private id(scope: Scope | Scopes): number {
    const known = this.ids.get(scope);
    if (known !== undefined) return known;
    this.ids.set(scope, this.ids.size);
    return this.ids.size - 1;
  }
}

/** Calls that leave a list unchanged. */
const KEEPS_LIST =
  /^(run|call|Popen|check_call|check_output|print|len|sorted|enumerate|list|tuple|set|str|repr|sum|min|max|any|all|zip)$/;

/** How the names of a source are used: called where, passed as values, and which lists are changed in place. */
class Uses {
  readonly calls = new Map<string, NodeOf<'Call'>[]>();
  /** Names used other than by a call: their functions may be called with any arguments. */
  readonly mentioned = new Set<string>();
  /** Variables whose lists are changed in place, or known by another name. */
  readonly changed = new Set<string>();
  /** Whether the code changes `sys.argv`. */
  argvChanged = false;
  private readonly tree: Tree;
  private readonly references: References;
  /** Variables passed to functions of this source, with the names of the parameters. */
  private readonly handedOn: (readonly [variable: string, parameters: readonly string[]])[] = [];

  constructor(tree: Tree, references: References) {
    this.tree = tree;
    this.references = references;
    for (const node of tree.nodes) this.index(node);
    for (let before = -1; before !== this.changed.size; ) {
      before = this.changed.size;
      for (const [variable, parameters] of this.handedOn)
        if (parameters.some((name) => this.changed.has(name))) this.changed.add(variable);
    }
  }

  private index(node: Node): void {
    const parent = this.tree.parents.get(node);
    const called = parent?.nodeType === 'Call' && parent.func === node;
    if (node.nodeType === 'Call') this.call(node);
    else if (node.nodeType === 'Name') this.variable(node, parent, called);
    else if (node.nodeType === 'Attribute') {
      if (!called && node.ctx.nodeType === 'Load') this.mentioned.add(node.attr);
      if (this.isArgv(node) && parent && !readsArgv(parent)) this.argvChanged = true;
    }
  }

  private call(node: NodeOf<'Call'>): void {
    const name = nameOf(node.func);
    if (name !== undefined) this.calls.set(name, [...(this.calls.get(name) ?? []), node]);
    const attribute = name === 'getattr' ? node.args[1] : undefined;
    if (attribute?.nodeType === 'Constant') this.mentioned.add(String(attribute.value));
  }

  private variable(node: NodeOf<'Name'>, parent: Node | undefined, called: boolean): void {
    if (node.ctx.nodeType === 'Load') {
      if (!called) this.mentioned.add(node.id);
      if (parent && this.changesList(parent, node)) this.changed.add(node.id);
    } else if (parent?.nodeType === 'AugAssign' || parent?.nodeType === 'Delete') this.changed.add(node.id);
  }

  /** Returns whether this use of a name may change its list, or make it known by another name. */
  private changesList(parent: Node, node: Node): boolean {
    switch (parent.nodeType) {
      case 'Call': {
        const { func } = parent;
        if (func === node || KEEPS_LIST.test(nameOf(func) ?? '')) return false;
        // A function of this source: changes of the list are found through its parameters.
        const parameters = func.nodeType === 'Name' ? this.parametersOf(func) : undefined;
        if (parameters && node.nodeType === 'Name') this.handedOn.push([node.id, parameters]);
        return parameters === undefined;
      }
      case 'Attribute':
        return !/^(index|count|copy)$/.test(parent.attr);
      case 'Subscript':
        return parent.value === node && parent.ctx.nodeType !== 'Load';
      case 'For':
      case 'Comprehension':
      case 'FormattedValue':
      case 'BinOp':
      case 'Compare':
      case 'If':
      case 'While':
        return false;
      default:
        return true;
    }
  }

  private isArgv(node: Expr): boolean {
    return this.references.of(node).includes('sys.argv');
  }

  /** Returns the names of all parameters of the functions behind a name; undefined where it may be something else. */
  private parametersOf(func: NodeOf<'Name'>): readonly string[] | undefined {
    const out: string[] = [];
    for (const binding of this.references.bindings(func) ?? [undefined]) {
      if (binding?.kind !== 'function') return undefined;
      const { args } = binding.node;
      if (args.vararg || args.kwarg) return undefined;
      out.push(...[...args.posonlyargs, ...args.args, ...args.kwonlyargs].map(({ arg }) => arg));
    }
    return out;
  }
}

function readsArgv(parent: Node): boolean {
  if (parent.nodeType === 'Subscript') return parent.ctx.nodeType === 'Load';
  if (parent.nodeType === 'Call') return /^(len|print|str|repr|join|list|tuple)$/.test(nameOf(parent.func) ?? '');
  return /^(For|Compare|FormattedValue|Comprehension)$/.test(parent.nodeType);
}

/** Functions that return a module, or a part of one, by its name in a string. */
const FINDS = new Set(['builtins.__import__', 'importlib.import_module', 'builtins.getattr']);

/** Resolves names and chains of attributes to imports, builtins, or bindings of the code's own. */
class References {
  private readonly scopes: Scopes;
  private readonly texts: (node: Node) => Texts;

  constructor(scopes: Scopes, texts: (node: Node) => Texts) {
    this.scopes = scopes;
    this.texts = texts;
  }

  /**
   * Returns the full names an expression may refer to: `os.path.join`, `builtins.open`; none where it is not an import.
   */
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

  /** Returns the one name an expression refers to; undefined where it may be something else as well. */
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
      // `__import__('os.path')` without a list of names returns `os`.
      const roots = modules.map((text) => text.split('.')[0] ?? text);
      return node.args.length + node.keywords.length > 1 ? [...roots, ...modules] : roots;
    }
    const attribute = second ? [...this.texts(second)] : [];
    return this.of(first, depth + 1).flatMap((module) => attribute.map((text) => `${module}.${text}`));
  }

  /** Returns everything a name may be bound to; undefined: it is bound nowhere, so a builtin. */
  bindings(name: NodeOf<'Name'>): readonly Binding[] | undefined {
    return lookUp(this.scopes.of.get(name) ?? this.scopes.module, name.id);
  }
}

/** Returns the name of the called function or method. */
export function nameOf(func: Expr): string | undefined {
  return func.nodeType === 'Name' ? func.id : func.nodeType === 'Attribute' ? func.attr : undefined;
}
