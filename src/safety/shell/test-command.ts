import { forEachChild, type SyntaxNode, type Word } from 'unbash';
import { expandAgain } from './arithmetic.ts';
import type { Machine } from './machine.ts';

/** Words of `[[ … ]]`: their substitutions run, and numbers and names in them are evaluated. */
export function visitTest(machine: Machine, node: SyntaxNode): void {
  if (node.type === 'Word') machine.text(node);
  else if (node.type === 'TestUnary' || node.type === 'TestBinary') {
    const words = node.type === 'TestUnary' ? [node.operand] : [node.left, node.right];
    for (const word of words) {
      const text = machine.text(word);
      if (!isFromEnvironment(machine, word)) expandAgain(machine, text, node.operator);
    }
  } else forEachChild(node, (child) => visitTest(machine, child));
}

/** `$x` where nothing has set it: what the environment holds is the user's own. */
function isFromEnvironment(machine: Machine, { text }: Word): boolean {
  const name = /^"?\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})"?$/.exec(text);
  return name !== null && machine.scope.get(name[1] ?? name[2] ?? '') === undefined;
}
