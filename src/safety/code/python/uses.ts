import { nameOf, type References } from './references.ts';
import type { Expr, Node, NodeOf, Tree } from './tree.ts';

/** Calls that leave a list as it is. */
const KEEPS_LIST =
  /^(run|call|Popen|check_call|check_output|print|len|sorted|enumerate|list|tuple|set|str|repr|sum|min|max|any|all|zip)$/;

/** How the names of a source are used: what is called where, what is handed round, which lists are changed in place. */
export class Uses {
  readonly calls = new Map<string, NodeOf<'Call'>[]>();
  /** Names that are mentioned otherwise than by a call: their functions may be called with anything. */
  readonly mentioned = new Set<string>();
  /** Names of variables whose lists are changed in place, or are known by another name. */
  readonly changed = new Set<string>();
  /** Are the words of the command line changed? */
  argvChanged = false;
  private readonly tree: Tree;
  private readonly references: References;
  /** Variables that are handed to functions of the code's own, with the names they have there. */
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

  /** May the list behind this name be changed, or become known by another name, where it is used so? */
  private changesList(parent: Node, node: Node): boolean {
    switch (parent.nodeType) {
      case 'Call': {
        const { func } = parent;
        if (func === node || KEEPS_LIST.test(nameOf(func) ?? '')) return false;
        // A function of the code's own: what it does with the list is seen at its parameters.
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

  /** The names of all parameters of the functions behind a name; undefined where it may be something else. */
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
