import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { parseTree } from '../../../src/safety/code/python/scopes.ts';
import { lacks } from '../../support/lacks.ts';

/** Sources in which a wrong reading would hide a call, a name or a string. */
const SOURCES: readonly string[] = [
  "x = 'a' 'b' f'{y!r:>{w}}' r'\\n' u'c'\nprint(f'{a[\"k\"]}', f\"{'x' if b else 'y'}\", f'{{}}{z=}')",
  "x = '''a\n#b\n''' # c\nif x: y = 1; z = 2\nelse:\n    pass",
  'a = (1,\n  2); b = [\n]\nc = 1 + \\\n  2\nd: int = 3; e = f = 4',
  "def f(a, /, b=1, *c, d, e=2, **g) -> 'h': return lambda x, *y, z=1: (yield x)",
  '@d(1)\nclass A(B, metaclass=C):\n  @p\n  async def f(self): await x; return [i async for i in y if i]',
  'with open(a) as b, c() as (d, e): pass\nwith (open(a) as b, c): pass\nwith (a): pass',
  'match x:\n  case [1, *r] | {"k": v, **m}: pass\n  case C(a, b=2) if z: pass\n  case _: pass\nmatch = case = type = 1\nprint(match, type)',
  'try:\n  pass\nexcept (A, B) as e:\n  raise X from e\nelse:\n  pass\nfinally:\n  del a[0], b.c',
  'x = a if b else c or d and not e\ny = a < b <= c is not d not in e\nz = -a ** -b // ~c @ d\nw = a[1:2, ::3, ...]',
  '(y := f(x), *z, **w) if 0 else 1'.replace('(y := f(x), *z, **w)', 'g(y := f(x), *z, k=1, **w)'),
  'global a, b\nimport a.b as c, d\nfrom . import e\nfrom ..f.g import (h as i, j)\nassert x, y\nwhile x: break',
  "lambda: (os.remove)('x')\n(a)(b)(c)\na.b[c].d()\n[x for x in y for z in w if x if z]\n{**a, 'b': c, **d}\n{*a, b}",
  '\tif_ = 1\n'.trimStart(),
  'if 1:\n\tx\n\tif 2:\n\t\ty\n\tz\nw',
  "s = '\\\n'\nt = '\\'' + \"\\\"\" + '''\\''''''",
  '1_000; 0x_ff; 1e5; 1j; 0b1; 0o17; .5; True; None; ...',
  'x = 1 if True else 2 ;y = not x\nprint(*a, sep="")\nreturn_ = yield_ = 1',
];

const DUMP = `
import ast, json, sys, warnings
warnings.simplefilter('ignore')
def names(node):
    out = []
    for n in ast.walk(node):
        for key, value in ((f, getattr(n, f)) for f in ('id', 'attr', 'name', 'asname', 'arg', 'module', 'value')  if hasattr(n, f)):
            if isinstance(value, str): out.append(value)
        if isinstance(n, (ast.expr, ast.stmt)): out.append(type(n).__name__)
    return sorted(out)
json.dump([names(ast.parse(s)) for s in json.load(sys.stdin)], sys.stdout)
`;

const KINDS =
  /^(BoolOp|NamedExpr|BinOp|UnaryOp|Lambda|IfExp|Dict|Set|ListComp|SetComp|DictComp|GeneratorExp|Await|Yield|YieldFrom|Compare|Call|FormattedValue|JoinedStr|Constant|Attribute|Subscript|Starred|Name|List|Tuple|Slice|FunctionDef|AsyncFunctionDef|ClassDef|Return|Delete|Assign|AugAssign|AnnAssign|For|AsyncFor|While|If|With|AsyncWith|Match|Raise|Try|TryStar|Assert|Import|ImportFrom|Global|Nonlocal|Expr|Pass|Break|Continue)$/;

/** Returns the kinds of nodes, names and strings of a source, sorted. */
function namesOf(source: string): readonly string[] {
  const tree = parseTree(source);
  if (typeof tree === 'string') throw new Error(`${tree}: ${source}`);
  const out: string[] = [];
  for (const node of tree.nodes) {
    const record: Readonly<Record<string, unknown>> = { ...node };
    for (const key of ['id', 'attr', 'name', 'asname', 'arg', 'module', 'value']) {
      const value = record[key];
      // Bytes and `...` count as texts in one parser and not in the other.
      const other = node.nodeType === 'Constant' && (value === '...' || /^r?b/i.test(node.quote_style ?? ''));
      if (typeof value === 'string' && !(other && key === 'value')) out.push(value);
    }
    if (KINDS.test(node.nodeType)) out.push(node.nodeType);
  }
  return out.sort();
}

it.skipIf(lacks('python3'))('the parser finds the same names, strings and constructs as Python itself', () => {
  const expected: unknown = JSON.parse(
    execFileSync('python3', ['-c', DUMP], { input: JSON.stringify(SOURCES), encoding: 'utf8' }),
  );
  const sort = (list: unknown) => (Array.isArray(list) ? list.map(String).sort() : list);
  expect(SOURCES.map(namesOf)).toEqual(Array.isArray(expected) ? expected.map(sort) : expected);
});

it('the parser’s tree contains each construct that Python’s tree has', () => {
  expect(namesOf("os.remove('x')")).toEqual(['Attribute', 'Call', 'Constant', 'Expr', 'Name', 'os', 'remove', 'x']);
});
