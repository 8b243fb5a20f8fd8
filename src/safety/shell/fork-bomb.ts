import { forEachChild, type SyntaxNode } from 'unbash';

/** A function that pipes into itself, or starts itself in the background, multiplies without end. */
export function startsItselfTwice(definition: Extract<SyntaxNode, { type: 'Function' }>): boolean {
  const name = definition.name.text;
  const calls = (node: SyntaxNode) => node.type === 'Command' && node.name?.text === name;
  let left = 300;
  const visit = (node: SyntaxNode): boolean => {
    if (--left < 0) return false;
    if (node.type === 'Pipeline' && node.commands.filter(calls).length > 1) return true;
    if (node.type === 'Statement' && node.background && calls(node.command)) return true;
    let found = false;
    forEachChild(node, (child) => {
      found ||= visit(child);
    });
    return found;
  };
  return visit(definition.body);
}
