import type { Judging } from './judging.ts';
import { nameOf } from './references.ts';
import type { Expr, Node, NodeOf } from './tree.ts';

const MAKERS = /^__(init|new|call)__$/;
const TOLD = /^(print|str|repr|format|isinstance|issubclass|len|id|hash|append|add|join|debug|info|warning|error)$/;
const NOT_KNOWN = 'makes an object of a kind that is not known';

/**
 * An object's kind makes others of it (`type(f)('a', 'w')`), and so does its own beginning, done again
 * (`f.__init__('a', 'w')`): a file that was opened to be read opens another one to be written. `type(x)` may be told and
 * compared; a class may begin as its parents do.
 */
export function judgeKind(judge: Judging, node: NodeOf<'Call'> | NodeOf<'Attribute'>): void {
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
