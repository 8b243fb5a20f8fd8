import { type ArithmeticExpression, forEachChild, type SyntaxNode } from 'unbash';
import type { Machine } from './machine.ts';
import { UNKNOWN } from './taint.ts';

/**
 * The value of `$((…))` where it is plain; an unknown part otherwise. Command substitutions in it are walked, also those in
 * array subscripts, which bash expands when it evaluates the name (`a[$(cmd)]`).
 */
export function arithmeticText(machine: Machine, expression: ArithmeticExpression | undefined, source: string): string {
  walkArithmetic(machine, expression, source);
  const value = expression ? evaluate(machine, expression, 0) : undefined;
  return value === undefined ? UNKNOWN : String(value);
}

/** Walks the commands that evaluating this expression would run. */
export function walkArithmetic(machine: Machine, expression: ArithmeticExpression | undefined, source: string): void {
  expandNamed(machine, source);
  if (!/[$`]/.test(source)) return;
  if (!expression) {
    machine.expandString(source.replace(/^\$?\(\(|\)\)$/g, ''));
    return;
  }
  let left = 500;
  const visit = (node: SyntaxNode): void => {
    if (--left < 0) return;
    if (node.type === 'ArithmeticCommandExpansion' || node.type === 'CommandExpansion') {
      const script = node.script;
      if (script) machine.inSubshell(() => machine.runScript(script, { stdin: undefined }));
    } else forEachChild(node, visit);
  };
  visit(expression);
}

/** A name in arithmetic stands for its value, which is evaluated too: `x='a[$(cmd)]'; (( x ))` runs the command. */
function expandNamed(machine: Machine, source: string): void {
  for (const [name] of source.matchAll(/[A-Za-z_]\w*/g)) {
    const value = machine.scope.get(name);
    if (typeof value === 'string' && /\[.*[$`]/.test(value)) machine.expandString(value);
  }
}

/** Operands of `[[ -v … ]]` and of numeric comparisons are evaluated once more, subscripts and all. */
export function expandAgain(machine: Machine, text: string, operator: string): void {
  if (!/^-(v|R|eq|ne|lt|le|gt|ge)$/.test(operator)) return;
  if (/\[.*[$`]/.test(text)) machine.expandString(text);
  expandNamed(machine, text);
}

function evaluate(machine: Machine, node: ArithmeticExpression, depth: number): number | undefined {
  if (depth > 50) return undefined;
  switch (node.type) {
    case 'ArithmeticWord': {
      const text = node.value.replace(/^\$\{?|\}$/g, '');
      if (/^\d{1,15}$/.test(text)) return Number(text);
      if (/^0x[0-9a-f]{1,8}$/i.test(text)) return Number(text);
      const value = /^[A-Za-z_]\w*$/.test(text) ? machine.scope.text(text) : '';
      return /^-?\d{1,15}$/.test(value) ? Number(value) : undefined;
    }
    case 'ArithmeticGroup':
      return evaluate(machine, node.expression, depth + 1);
    case 'ArithmeticUnary': {
      const value = evaluate(machine, node.operand, depth + 1);
      return value === undefined ? undefined : node.operator === '-' ? -value : undefined;
    }
    case 'ArithmeticBinary': {
      const left = evaluate(machine, node.left, depth + 1);
      const right = evaluate(machine, node.right, depth + 1);
      if (left === undefined || right === undefined) return undefined;
      return compute(node.operator, left, right);
    }
    default:
      return undefined;
  }
}

function compute(operator: string, a: number, b: number): number | undefined {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0 ? undefined : Math.trunc(a / b);
    case '%':
      return b === 0 ? undefined : a % b;
    case '**':
      return b >= 0 && b < 64 ? a ** b : undefined;
    default:
      return undefined;
  }
}
