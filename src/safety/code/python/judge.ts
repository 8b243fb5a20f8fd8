import { dirname, join } from 'node:path';
import { runCode } from '../../programs/code.ts';
import { namesCredential } from '../../programs/credentials.ts';
import { judgeRedirect } from '../../programs/outputs.ts';
import { absolute, fileKey, overwrite } from '../../programs/paths.ts';
import { type Machine, plain } from '../../shell/machine.ts';
import { DIGITS, escapeMarks, hasUnknown, OWN_TEMP, UNKNOWN } from '../../shell/taint.ts';
import { deletesNamed, destructive, harmless, type StaticVerdict, unknown } from '../../verdict.ts';
import { judgeSql } from '../sql.ts';
import { CALLS, METHODS } from './calls.ts';
import {
  BUILTINS,
  EXCEPTION,
  handsRound,
  handsRoundModule,
  INNER_MODULE,
  isHandle,
  isOwnMethod,
  type Judging,
  judgeEnvironment,
  judgeModulePath,
  judgeStore,
  MODULE_ATTRIBUTE,
  type ModuleRow,
  moduleRow,
  REFLECTION,
  STANDARD_MODULES,
  splitName,
} from './modules.ts';
import {
  type Effect,
  type Expr,
  type LocalModule,
  type Node,
  type NodeOf,
  type PythonContext,
  parseTree,
  readScopes,
  type Tree,
} from './scopes.ts';
import { nameOf, Values } from './values.ts';

/** How many levels of imports among the project’s own modules are followed. */
const MAX_IMPORT_DEPTH = 3;
/** The most effects that are recorded; more would not change the verdict. */
const MAX_EFFECTS = 200;
const OTHER_LETTERS = /[^\0-\x7f]/;

/** The results of a judged own module that its importers need. */
type Judged = {
  readonly effects: readonly Effect[];
  readonly imports: ReadonlyMap<string, string>;
  readonly stores: ReadonlySet<string>;
};

/**
 * Returns all effects of Python code beyond computing, reading and printing, in the order of the source. Everything
 * that is not known to be harmless is an effect. A string says why the source can’t be parsed as Python.
 */
export function judgePython(source: string, context: PythonContext): readonly Effect[] | string {
  const tree = parseTree(source);
  if (typeof tree === 'string') return tree;
  try {
    return new Judge(tree, context, 0, new Map()).judge().effects;
  } catch (error) {
    if (error instanceof RangeError) return 'nested deeper than is looked at';
    throw error;
  }
}

class Judge implements Judging {
  readonly tree: Tree;
  readonly values: Values;
  private readonly context: PythonContext;
  private readonly depth: number;
  /** The own modules judged so far, shared with the modules that they import. */
  private readonly known: Map<string, Judged>;
  /** Attributes that this source assigns to. */
  private readonly stores: ReadonlySet<string>;
  readonly effects: Effect[] = [];
  /** Paths that the code itself empties or makes: deleting them again is no loss. */
  readonly made = new Set<string>();
  private readonly own = new Map<string, Judged>();
  private readonly rows: ModuleRow[] = [];
  /** Whether the code changes its working directory, so that relative paths are unknown. */
  private readonly moves: boolean;
  private readonly imports = new Map<string, string>();
  readonly importedNames = new Set<string>();

  constructor(tree: Tree, context: PythonContext, depth: number, known: Map<string, Judged>) {
    this.tree = tree;
    this.context = context;
    this.depth = depth;
    this.known = known;
    const scopes = readScopes(tree);
    const foreign = new Set<string>();
    for (const node of tree.nodes) this.readImport(node, foreign);
    for (const [name, bindings] of scopes.module.bindings)
      for (const binding of bindings) if (binding.kind === 'import') this.imports.set(name, binding.module);
    this.moves =
      tree.nodes.some((node) => node.nodeType === 'Attribute' && /^f?chdir$/.test(node.attr)) ||
      /\bf?chdir\b/.test(tree.source);
    this.values = new Values(tree, scopes, context, depth > 0, foreign);
    this.stores = new Set(scopes.attributes.keys());
  }

  judge(): Judged {
    // Without a script the working directory is where modules are found.
    const [first] = this.tree.nodes;
    if (this.moves && first && this.context.file === undefined) this.unknown(first, 'changes where modules are found');
    for (const node of this.tree.nodes) {
      this.visit(node);
      if (this.effects.length > MAX_EFFECTS) break;
    }
    return { effects: this.effects, imports: this.imports, stores: this.stores };
  }

  /** Records an effect of the code at `node`. */
  note(node: Node, effect: Effect): void {
    this.effects.push(this.depth === 0 ? { ...effect, part: this.tree.part(node) } : effect);
  }

  unknown(node: Node, reason: string, unresolved = false): void {
    this.note(node, { kind: 'unknown', reason, ...(unresolved ? { unresolved } : {}) });
  }

  /** Returns the paths that an expression may name; an unknown part is a placeholder. */
  paths(node: Node | undefined): readonly string[] {
    return [...this.values.texts(node)].map((path) => {
      const moved = this.moves && !path.startsWith('/') && !path.startsWith(OWN_TEMP);
      const escaping = path.includes(OWN_TEMP) && !/^\uE003(\/(?!\.\.)[\w.+-\uE008]+)*$/.test(path);
      return moved || escaping || path.includes(UNKNOWN) ? UNKNOWN : path;
    });
  }

  /** Returns one word of a command; an unknown number in it is a placeholder. */
  word(node: Node): string {
    const [first, ...others] = this.values.texts(node);
    return first === undefined || others.length > 0 ? UNKNOWN : first.replaceAll(DIGITS, UNKNOWN);
  }

  write(node: Node, target: Node | undefined, how: 'write' | 'append' = 'write'): void {
    for (const path of this.paths(target)) {
      if (how === 'write') this.made.add(path);
      this.note(node, { kind: how, path });
    }
  }

  /** Notes an effect equal to a call of this program. */
  program(node: Node, words: readonly string[]): void {
    this.note(node, { kind: 'like', words: words.map((text) => text.replaceAll(DIGITS, UNKNOWN)) });
  }

  /** Judges code in a string. */
  nested(node: Node, text: string): void {
    if (this.depth >= MAX_IMPORT_DEPTH) return this.unknown(node, 'runs text as code', true);
    const tree = parseTree(text);
    if (typeof tree === 'string') return this.unknown(node, `runs text as code: ${tree}`, true);
    for (const effect of new Judge(tree, this.context, this.depth + 1, this.known).judge().effects)
      this.note(node, effect);
  }

  private readImport(node: Node, foreign: Set<string>): void {
    if (node.nodeType === 'Import') for (const { name } of node.names) this.imported(node, name, foreign);
    else if (node.nodeType === 'ImportFrom') {
      const base = `${'.'.repeat(node.level ?? 0)}${node.module ?? ''}`;
      this.imported(node, base, foreign);
      for (const { name } of node.names) {
        if (name === '*' && !/^(math|typing|collections|itertools|string|cmath|datetime)$/.test(base))
          this.unknown(node, `imports every name of ${base}`);
        const full = `${base}.${name}`;
        if (moduleRow(full)) this.imported(node, full, foreign);
      }
    }
  }

  imported(node: Node, name: string, foreign = new Set<string>()): void {
    const root = name.split('.')[0] ?? name;
    this.importedNames.add(root);
    const found = name.startsWith('.') ? { kind: 'unread' as const } : this.context.module(root);
    if (found.kind === 'text') {
      const judged = this.ownModule(root, found.text);
      this.own.set(root, judged);
      for (const attribute of judged.stores) foreign.add(attribute);
      for (const effect of judged.effects) this.note(node, effect);
      return;
    }
    const row = found.kind === 'absent' ? splitName(name) : undefined;
    if (!row || row.rest.length > 0) {
      if (found.kind === 'absent')
        this.note(node, { kind: 'unknown', reason: `module ${name} is not known`, onlyEdits: true });
      else this.unknown(node, `module ${name} was not read`);
      return;
    }
    const listed = moduleRow(row.module);
    if (listed) this.rows.push(listed);
  }

  private ownModule(name: string, text: string): Judged {
    const known = this.known.get(name);
    if (known) return known;
    const none: Judged = { effects: [], imports: new Map(), stores: new Set() };
    this.known.set(name, none);
    const tree = this.depth >= MAX_IMPORT_DEPTH ? 'modules nested deeper than is looked at' : parseTree(text);
    const judged: Judged =
      typeof tree === 'string'
        ? { ...none, effects: [{ kind: 'unknown', reason: `module ${name}: ${tree}` }] }
        : new Judge(tree, this.context, this.depth + 1, this.known).judge();
    this.known.set(name, judged);
    return judged;
  }

  private visit(node: Node): void {
    for (const name of namesIn(node)) {
      // Python normalises names: look-alike letters count as the plain ones.
      if (OTHER_LETTERS.test(name) && name.normalize('NFKC') !== name)
        this.unknown(node, 'a name in look-alike letters', true);
    }
    switch (node.nodeType) {
      case 'Name':
        if (node.ctx.nodeType === 'Load') this.mention(node);
        return;
      case 'Attribute':
        judgeKind(this, node);
        this.mention(node);
        return;
      case 'Call':
        judgeKind(this, node);
        // `__import__('os')`, `getattr(os, 'remove')`: a module or function, called or not.
        this.mention(node);
        return;
      case 'Subscript':
        if (node.ctx.nodeType !== 'Load' && this.values.references.of(node.value).length > 0) judgeStore(this, node);
        return;
      case 'Constant':
        this.annotation(node);
        return;
      case 'ImportFrom':
        // Uses of this attribute by another module are not visible here.
        if (this.depth > 0)
          for (const { name } of node.names) this.reference(`${node.module ?? ''}.${name}`, node, undefined);
        return;
      default:
        return;
    }
  }

  /** Judges a name or a chain of attributes by its full name; the parts of the chain are judged separately. */
  private mention(node: Expr): void {
    const parent = this.tree.parents.get(node);
    const references = this.values.references.of(node);
    if (references.length > 0 && parent?.nodeType === 'Attribute' && parent.value === node) return;
    const call = parent?.nodeType === 'Call' && parent.func === node ? parent : undefined;
    if (node.nodeType === 'Attribute' && node.ctx.nodeType !== 'Load') {
      if (references.some((name) => !/^sys\.(stdout|stderr|stdin)$/.test(name)))
        this.unknown(node, 'changes another module');
      else if (REFLECTION.test(node.attr) || (/^_|^name$/.test(node.attr) && this.importedNames.has('tempfile')))
        this.unknown(node, `changes ${node.attr}`);
      return;
    }
    for (const name of references) this.reference(name, node, call);
    if (references.length === 0 && node.nodeType === 'Attribute') this.attribute(node, call);
  }

  /** Judges an imported or builtin name by its full name. */
  private reference(name: string, node: Node, call: NodeOf<'Call'> | undefined): void {
    const [root = '', ...inner] = name.split('.');
    if (this.own.has(root)) return this.ownReference(name, node, call);
    const special = CALLS.get(name);
    if (special) {
      if (call) special(this, call, name);
      else if (!(node.nodeType === 'ImportFrom' && this.depth === 0)) this.uncalled(node, name);
      return;
    }
    if (root === 'builtins') return this.builtin(inner, node);
    const found = splitName(name);
    if (!found) {
      // Loading an installed module is harmless in itself; its use is judged separately.
      if (this.importedNames.has(root) && !/^Import/.test(node.nodeType)) this.unknown(node, `${name} is not known`);
      return;
    }
    const [first, ...rest] = found.rest;
    if (first === undefined) return handsRoundModule(this, node, found.module, this.depth === 0);
    if (!isHarmlessMember(found.module, first)) {
      this.unknown(node, `${found.module}.${first} is not known to be harmless`);
      return;
    }
    const writes = rest.length === 0 && moduleRow(found.module)?.saves?.test(first);
    if (writes && node.nodeType === 'Attribute') this.saves(node, call);
    this.member(name, rest, node, call);
  }

  /** Follows a name of one of the code's own modules, which may be a name that it imports itself. */
  private ownReference(name: string, node: Node, call: NodeOf<'Call'> | undefined): void {
    const [root = '', ...inner] = name.split('.');
    const through = this.own.get(root)?.imports.get(inner[0] ?? '');
    if (through !== undefined) return this.reference([through, ...inner.slice(1)].join('.'), node, call);
    if (inner.some((part) => MODULE_ATTRIBUTE.test(part) || REFLECTION.test(part)))
      this.unknown(node, `uses Python internals: ${name}`, true);
  }

  /** Judges the attributes that follow a harmless name of a module. */
  private member(name: string, rest: readonly string[], node: Node, call: NodeOf<'Call'> | undefined): void {
    if (name.startsWith('os.environ')) judgeEnvironment(this, node, rest[0]);
    if (name.startsWith('sys.path')) judgeModulePath(this, node, rest[0]);
    for (const part of rest) {
      if (MODULE_ATTRIBUTE.test(part) || REFLECTION.test(part))
        this.unknown(node, `uses Python internals: ${name}`, true);
    }
    const last = rest.at(-1);
    if (last !== undefined && node.nodeType === 'Attribute') this.method(last, node, call);
  }

  private uncalled(node: Node, name: string): void {
    const parent = this.tree.parents.get(node);
    if (name === 'builtins.open' && parent?.nodeType === 'Compare') return;
    handsRound(this, node, name.replace(/^builtins\./, ''), name.split('.').at(-1));
  }

  private builtin([name = '', ...rest]: readonly string[], node: Node): void {
    if (!BUILTINS.has(name) && !EXCEPTION.test(name)) this.unknown(node, `${name} is not known`);
    const { parents } = this.tree;
    const parent = parents.get(node);
    for (const part of rest)
      if (REFLECTION.test(part) && !(part === '__class__' && parent?.nodeType === 'Attribute'))
        this.unknown(node, `uses Python internals: ${part}`, true);
  }

  /** Some tools evaluate annotations that are strings. */
  private annotation(node: NodeOf<'Constant'>): void {
    const parent = this.tree.parents.get(node);
    const annotates =
      (parent?.nodeType === 'Arg' && parent.annotation === node) ||
      (parent?.nodeType === 'AnnAssign' && parent.annotation === node) ||
      (/^(Async)?FunctionDef$/.test(parent?.nodeType ?? '') &&
        parent &&
        'returns' in parent &&
        parent.returns === node);
    // `frame.agg('to_csv', …)` calls the method of that name.
    if (typeof node.value === 'string' && /^to_[a-z]+$/.test(node.value) && this.importedNames.has('pandas'))
      this.unknown(node, `names the method ${node.value}`);
    if (annotates && /[(=:;]/.test(String(node.value))) this.unknown(node, 'code in an annotation', true);
  }

  /** Judges an attribute of an object that is not a module. */
  private attribute(node: NodeOf<'Attribute'>, call: NodeOf<'Call'> | undefined): void {
    const { attr } = node;
    const parent = this.tree.parents.get(node);
    const named = attr === '__class__' && parent?.nodeType === 'Attribute' && /^__(qual)?name__$/.test(parent.attr);
    if (REFLECTION.test(attr) && !named) return this.unknown(node, `uses Python internals: ${attr}`, true);
    if (isOwnMethod(this.values, node)) return;
    if (MODULE_ATTRIBUTE.test(attr)) return this.unknown(node, `uses Python internals: ${attr}`, true);
    if (call && /^_[a-z]/.test(attr) && !/^_(asdict|replace|make|fields|repr_\w+)$/.test(attr) && !isOfSelf(node))
      return this.unknown(node, `calls the private ${attr}`);
    this.method(attr, node, call);
  }

  /** A method of an object of unknown kind: some names do harm on some listed module's objects. */
  private method(name: string, node: NodeOf<'Attribute'>, call: NodeOf<'Call'> | undefined): void {
    const risky = this.rows.some(({ risks }) => risks?.test(name));
    if (risky) this.unknown(node, `calls .${name}`);
    const special = METHODS.get(name);
    if (special) {
      if (call) special(this, call, node);
      else this.unknown(node, `hands round .${name}`, true);
      return;
    }
    if (risky) return;
    if (this.rows.some(({ saves }) => saves?.test(name))) this.saves(node, call);
    else if (call && LOSES.test(name)) {
      this.note(node, { kind: 'destructive', rule: 'python code', reason: 'python: deletes data' });
    }
  }

  /** `frame.to_csv(path)`, `figure.savefig(path)`, `tree.write(path)`. */
  private saves(node: NodeOf<'Attribute'>, call: NodeOf<'Call'> | undefined): void {
    if (!call) return this.unknown(node, `hands round .${node.attr}`, true);
    if (node.attr === 'write' && isHandle(this.values, node.value)) return;
    const target =
      call.args[0] ??
      call.keywords.find(({ arg }) => /^(fname|path|path_or_buf|fp|filename|excel_writer|buf)$/.test(arg ?? ''))?.value;
    const mode = call.keywords.find(({ arg }) => arg === 'mode');
    if (!target && /^to_/.test(node.attr)) return;
    if (target && isHandle(this.values, target)) return;
    this.write(node, target, this.values.text(mode?.value) === 'a' ? 'append' : 'write');
  }
}

/** Returns whether a module’s list allows this name; without a list, whether the name gives access to no other code. */
function isHarmlessMember(module: string, name: string): boolean {
  const row = moduleRow(module);
  if (row?.denies?.test(name)) return false;
  if (row?.only) return row.only.test(name);
  if (/^_(?!_(version|file|name|doc)__$)/.test(name)) return false;
  return name === module || !(MODULE_ATTRIBUTE.test(name) || INNER_MODULE.test(name));
}

/** `self._x(…)`, `cls._x(…)`: a method of the code's own. */
function isOfSelf({ value }: NodeOf<'Attribute'>): boolean {
  return value.nodeType === 'Name' && /^(self|cls)$/.test(value.id);
}

function namesIn(node: Node): readonly string[] {
  if (node.nodeType === 'Name') return [node.id];
  if (node.nodeType === 'Attribute') return [node.attr];
  if (node.nodeType === 'Alias') return [node.name, node.asname ?? ''];
  if (node.nodeType === 'Arg' || node.nodeType === 'Keyword') return [node.arg ?? ''];
  return node.nodeType === 'ImportFrom' ? [node.module ?? ''] : [];
}

/** Methods of database and service clients that delete data. */
const LOSES =
  /^((delete|terminate|purge|destroy|deregister|revoke)_\w+|drop_(table|database|collection|all|schema|index|constraint|column)|dropDatabase|flushall|flushdb|send2trash)$/;

const MAKERS = /^__(init|new|call)__$/;
const TOLD = /^(print|str|repr|format|isinstance|issubclass|len|id|hash|append|add|join|debug|info|warning|error)$/;
const NOT_KNOWN = 'makes an object of a kind that is not known';

/**
 * Judges the class of an object, which can create others (`type(f)('a', 'w')`), and its initialiser called again
 * (`f.__init__('a', 'w')`): both could open a file for writing. Printing or comparing `type(x)` is harmless, and a
 * class may call the initialisers of its parents.
 */
function judgeKind(judge: Judging, node: NodeOf<'Call'> | NodeOf<'Attribute'>): void {
  const parent = judge.tree.parents.get(node);
  if (node.nodeType === 'Attribute') {
    if (MAKERS.test(node.attr) && !beginsAsParent(judge, node, parent)) judge.unknown(node, NOT_KNOWN);
    return;
  }
  if (node.args.length !== 1 || judge.values.references.exactly(node.func) !== 'builtins.type') return;
  if (!parent || !isTold(node, parent)) judge.unknown(node, NOT_KNOWN);
}

function isTold(node: Expr, parent: Node): boolean {
  switch (parent.nodeType) {
    case 'Attribute':
      return /^__(qual)?name__$|^__module__$/.test(parent.attr);
    case 'Call':
      return parent.func !== node && TOLD.test(nameOf(parent.func) ?? '');
    case 'Compare':
    case 'FormattedValue':
    case 'Expr':
      return true;
    default:
      return false;
  }
}

function beginsAsParent(judge: Judging, { value }: NodeOf<'Attribute'>, parent: Node | undefined): boolean {
  if (value.nodeType === 'Call') return judge.values.references.exactly(value.func) === 'builtins.super';
  if (parent?.nodeType !== 'Call') return false;
  const [first] = parent.args;
  return first?.nodeType === 'Name' && /^(self|cls)$/.test(first.id);
}

/** How the code is run. */
export type PythonRun = {
  /** The script’s path as written in the command; absent for code from the command line or standard input. */
  readonly file?: string;
  readonly argv?: readonly string[];
  readonly stdin?: string | undefined;
};

/**
 * Judges Python by its syntax tree and notes its effects. Returns false where the source can’t be parsed; the caller
 * then searches it with patterns.
 */
export function readPython(machine: Machine, source: string, run: PythonRun = {}): boolean {
  if (hasUnknown(source)) return false;
  const file = run.file === undefined ? undefined : absolute(machine, run.file);
  const directory = file === undefined ? machine.scope.cwd : dirname(file);
  const effects = judgePython(escapeMarks(source), {
    module: (name) => moduleBeside(machine, directory, name),
    ...(run.argv ? { argv: run.argv } : {}),
    ...(run.file === undefined ? {} : { file: run.file }),
  });
  if (effects === 'not valid Python 3') return false;
  if (typeof effects === 'string') {
    machine.note(unknown(`python code: ${effects}`, { unresolved: true }));
    return true;
  }
  if (machine.reading) machine.reading.accounted++;
  machine.note(harmless('code that only computes, reads and prints'));
  const shadow = shadows(machine, directory);
  if (shadow !== undefined) machine.note(unknown(`python code: ${shadow} stands before a module of Python`));
  for (const effect of effects) noteEffect(machine, effect, run.stdin ?? '');
  return true;
}

/** Turns the finding of the equivalent program into one about Python; a deletion by name keeps its rule. */
function asPython(found: StaticVerdict): StaticVerdict {
  const verdict = destructive('python code', `python: ${found.reason}`);
  if (!deletesNamed(found)) return verdict;
  return { ...verdict, findings: verdict.findings.map((finding) => ({ ...finding, named: true })) };
}

function noteEffect(machine: Machine, effect: Effect, stdin: string): void {
  switch (effect.kind) {
    case 'read':
      machine.namesCredential ||= namesCredential(machine, plain(effect.path));
      return;
    case 'write':
      return machine.note(judgeWrite(machine, effect.path));
    case 'append':
      if (hasUnknown(effect.path)) return machine.note(unknown('python code: writes a file with an unknown name'));
      return machine.note(
        judgeRedirect(machine, { operator: '>>', fd: undefined, target: effect.path.replaceAll(DIGITS, '1') }),
      );
    case 'like': {
      const inner = machine.watch(() => machine.runFields(effect.words.map(plain), { stdin: '' }));
      return machine.note(inner.verdict === 'destructive' ? asPython(inner) : inner);
    }
    case 'call':
      return at(machine, effect.cwd, () =>
        machine.runFields(effect.words.map(plain), { stdin: effect.stdin ?? stdin }),
      );
    case 'shell':
      return at(machine, effect.cwd, () => runCode(machine, effect.text, { stdin: effect.stdin ?? stdin }));
    case 'sql': {
      const verdict = judgeSql(effect.text);
      if (verdict.verdict === 'destructive') machine.note(verdict);
      return;
    }
    case 'unknown':
      return machine.note(unknown(`python code: ${effect.reason}`, effect));
    case 'destructive':
      return machine.note(destructive(effect.rule, effect.reason));
  }
}

function at(machine: Machine, cwd: string | undefined, run: () => string): void {
  machine.inSubshell(() => {
    if (cwd !== undefined) machine.runFields([plain('cd'), plain(cwd)], { stdin: '' });
    const inner = machine.watch(run);
    const unresolved =
      inner.verdict === 'destructive' && inner.findings.every(({ rule }) => rule === 'unresolved code');
    machine.note(unresolved ? unknown('python code: runs an unknown command', { unresolved: true }) : inner);
  });
}

function judgeWrite(machine: Machine, path: string): StaticVerdict {
  const reason = 'empties an existing file';
  if (hasUnknown(path)) return unknown('python code: writes a file with an unknown name');
  if (path.includes(DIGITS)) return judgeNumbered(machine, path);
  return overwrite(machine, path, 'code over a file', reason);
}

/** Judges writes to numbered files (`out/1.txt`): a loss if one exists that the command itself did not make. */
function judgeNumbered(machine: Machine, path: string): StaticVerdict {
  const full = absolute(machine, path);
  const { reading } = machine;
  const form = full === undefined ? undefined : formOf(full);
  if (form) reading?.forms.push(form);
  const folder = full === undefined ? undefined : dirname(full);
  const content = folder === undefined || folder.includes(DIGITS) ? undefined : reading?.look(folder, false);
  if (content?.kind === 'absent') return harmless();
  if (content?.kind !== 'directory' || !form || folder === undefined) {
    if (reading && !form) reading.mayWrite = true;
    return unknown('python code: writes numbered files');
  }
  for (const name of content.names) {
    const found = join(folder, name);
    if (!form.test(found)) continue;
    const verdict = overwrite(machine, found, 'code over a file', 'empties an existing file');
    if (verdict.verdict !== 'safe') return verdict;
  }
  return harmless();
}

function formOf(path: string): RegExp {
  const literal = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll(DIGITS, '[-+.\\w]+')}$`);
}

/** Looks up a module where Python searches first: beside the script, or in the working directory. */
function moduleBeside(machine: Machine, directory: string | undefined, name: string): LocalModule {
  const relative = directory === undefined ? `${name}.py` : join(directory, `${name}.py`);
  const written = machine.written.get(fileKey(machine, relative));
  if (written !== undefined) return hasUnknown(written) ? { kind: 'unread' } : { kind: 'text', text: written };
  if (directory === undefined) return { kind: 'absent' };
  const { reading } = machine;
  if (!reading) return isThere(machine, directory, name) ? { kind: 'unread' } : { kind: 'absent' };
  const around = reading.look(directory);
  if (around?.kind === 'absent') return { kind: 'absent' };
  if (around?.kind !== 'directory') return { kind: 'unread' };
  if ([...around.names].some((found) => found.startsWith(`${name}.`) && /\.(so|pyc)$/.test(found)))
    return { kind: 'unread' };
  if (around.names.has(name)) {
    const folder = reading.look(join(directory, name));
    // A directory without `__init__.py` yields to an installed module of that name.
    if (folder?.kind !== 'directory' || folder.names.has('__init__.py')) return { kind: 'unread' };
    if (!around.names.has(`${name}.py`)) return { kind: 'absent' };
  }
  if (!around.names.has(`${name}.py`)) return { kind: 'absent' };
  const content = reading.look(relative);
  return content?.kind === 'text' ? { kind: 'text', text: content.text } : { kind: 'unread' };
}

function isThere(machine: Machine, directory: string, name: string): boolean {
  return [`${name}.py`, `${name}/__init__.py`].some((file) => machine.files?.stat(join(directory, file)) !== undefined);
}

/** Returns a local file that Python’s own modules would import instead of the standard module. */
function shadows(machine: Machine, directory: string | undefined): string | undefined {
  for (const path of machine.written.keys()) {
    if (directory === undefined ? !path.includes('/') : dirname(path) === directory) {
      const name = /(?:^|\/)(\w+)\.py$/.exec(path)?.[1];
      if (name !== undefined && STANDARD_MODULES.has(name)) return `${name}.py`;
    }
  }
  const around = directory === undefined ? undefined : machine.reading?.look(directory);
  if (around?.kind !== 'directory') return undefined;
  for (const found of around.names) {
    const name = /^(\w+)\.(?:py|pyc|.*so)$/.exec(found)?.[1];
    if (name !== undefined && STANDARD_MODULES.has(name)) return found;
  }
  return undefined;
}
