import { type ASTNode, type ASTNodeUnion, type ExprNode, type Module, parse } from 'py-ast';

export type Node = ASTNodeUnion;
export type Expr = ExprNode;
/** A node of one type, by its name. */
export type NodeOf<T extends Node['nodeType']> = Extract<Node, { nodeType: T }>;
export type FunctionNode = NodeOf<'FunctionDef' | 'AsyncFunctionDef' | 'Lambda'>;
/** Where something stands in the source: start and end, in characters. */
type Part = readonly [start: number, end: number];

/** Longest source that is parsed, in characters. */
const MAX_SOURCE_CHARS = 100_000;
/** Most words and signs that are parsed: the parser takes about 8 µs for each. */
const MAX_TOKENS = 24_000;
/** Deepest syntax tree that is walked. */
const MAX_TREE_DEPTH = 300;
/** An encoding that is not UTF-8 makes other text of the same bytes. */
const ODD_ENCODING = /^[^\n]{0,200}?(?:\n[^\n]{0,200}?)?coding[:=][ \t]*(?!utf-?8\b|ascii\b|us-ascii\b)([-\w.]+)/i;
/** A form feed resets the indentation, a NUL ends the source: neither is worth a second reading. */
const ODD_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

export type Tree = {
  readonly source: string;
  readonly module: Module;
  readonly parents: ReadonlyMap<ASTNode, Node>;
  /** All nodes, outer before inner. */
  readonly nodes: readonly Node[];
  /** The nodes right below one, in the order of the source; contexts and operators are left out. */
  children(node: ASTNode): readonly Node[];
  /** Where a node stands in `source`. */
  part(node: ASTNode): Part;
};

/** The last text that was parsed. */
let last: { readonly text: string; readonly tree: Tree | string } | undefined;

/**
 * Parses `text`; a string says why it can't be read as Python 3. A command is judged several times in a row, each time
 * by other facts: its code means the same. Nothing changes the tree.
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
  /** By node, for those that have any. */
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

/** Fields whose nodes are no parts of their own. */
const LEFT_OUT = new Set(['ctx', 'op', 'ops', 'inlineComment']);

function childrenOf(node: Node): Node[] {
  const out: Node[] = [];
  // Most fields are places in the source; pairs of key and value for each would be most of the garbage.
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

/** Columns count bytes of UTF-8; a line of plain ASCII, the usual one, needs no second look. */
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

/** Something that code does or may do. What is not an effect only computes, reads and prints. */
export type Effect = { readonly part?: Part } & (
  | { readonly kind: 'write' | 'append' | 'read'; readonly path: string }
  /** What does as a call of this program does: `os.remove(x)` as `rm x`. */
  | { readonly kind: 'like'; readonly words: readonly string[] }
  /** A program that is run: its words; `stdin` where the code says what it reads. */
  | { readonly kind: 'call'; readonly words: readonly string[]; readonly stdin?: string; readonly cwd?: string }
  /** Text for a shell. */
  | { readonly kind: 'shell'; readonly text: string; readonly stdin?: string; readonly cwd?: string }
  | { readonly kind: 'sql'; readonly text: string }
  | { readonly kind: 'unknown'; readonly reason: string; readonly unresolved?: boolean }
  | { readonly kind: 'destructive'; readonly rule: string; readonly reason: string }
);

/** A module as it was found where the code looks first. */
export type LocalModule =
  | { readonly kind: 'text'; readonly text: string }
  /** No such file is there: the name means an installed module. */
  | { readonly kind: 'absent' }
  /** There is something that was not read, or looking was not possible. */
  | { readonly kind: 'unread' };

/** What the code runs in. */
export type PythonContext = {
  /** Words after the script's name, where they are known. */
  readonly argv?: readonly string[];
  /** The script's path as it was named. */
  readonly file?: string;
  /** Looks for a module beside the script. */
  readonly module: (name: string) => LocalModule;
};
