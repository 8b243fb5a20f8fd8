import { type ArithmeticExpression, forEachChild, type SyntaxNode } from 'unbash';
import { unknown } from '../verdict.ts';
import type { Machine } from './machine.ts';
import { NUMBER } from './taint.ts';

/** The longest chain of names that is followed. */
const MAX_DEPTH = 8;
const OPAQUE = unknown('evaluates unknown text as arithmetic', { unresolved: true });

/**
 * Returns the value of `$((…))` where it is plain; else an unknown number. Walks whatever evaluating the expression
 * would run, also in array subscripts, which bash expands when it evaluates the name (`a[$(cmd)]`).
 */
export function arithmeticText(machine: Machine, expression: ArithmeticExpression | undefined, source: string): string {
  const value = expression ? evaluate(machine, expression, 0) : undefined;
  walkArithmetic(machine, expression, source);
  return value === undefined ? NUMBER : String(value);
}

/** Walks the three parts of `for ((…; …; …))`. */
export function walkParts(machine: Machine, parts: readonly (ArithmeticExpression | undefined)[]): void {
  for (const part of parts) walkArithmetic(machine, part, '');
}

/** Walks everything that evaluating an expression would run, notes what is unknown, and sets its names. */
export function walkArithmetic(machine: Machine, expression: ArithmeticExpression | undefined, source: string): void {
  if (!expression) {
    const text = source.replace(/^\$?\(\(|\)\)$/g, '');
    if (text.trim() !== '') evaluateText(machine, text);
    return;
  }
  let left = 500;
  const visit = (node: SyntaxNode): void => {
    if (--left < 0) machine.note(OPAQUE);
    else if (node.type === 'ArithmeticCommandExpansion') {
      const script = node.script;
      const output = script ? machine.inSubshell(() => machine.runScript(script, { stdin: undefined })) : '$';
      evaluateText(machine, output);
    } else if (node.type === 'ArithmeticWord') evaluateText(machine, node.value);
    else if (node.type === 'ArithmeticBinary' && /^([-+*/%&^|]|<<|>>)?=$/.test(node.operator)) {
      visit(node.right);
      setNumber(machine, node.left, node.operator === '=' ? evaluate(machine, node.right, 0) : undefined);
    } else if (node.type === 'ArithmeticUnary' && /^(\+\+|--)$/.test(node.operator)) {
      visit(node.operand);
      setNumber(machine, node.operand, undefined);
    } else forEachChild(node, visit);
  };
  visit(expression);
}

function setNumber(machine: Machine, target: ArithmeticExpression, value: number | undefined): void {
  const text = target.type === 'ArithmeticWord' ? target.value.replace(/["']/g, '') : '$';
  const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
  if (name === undefined) return machine.note(OPAQUE);
  if (name !== text) evaluateName(machine, text);
  else machine.give(name, value === undefined ? NUMBER : String(value));
}

/**
 * Evaluates text as bash evaluates arithmetic: names mean their values, which are evaluated too, and a subscript
 * anywhere runs its commands. Harmless only if everything reduces to numbers.
 */
export function evaluateText(machine: Machine, text: string): void {
  // A variable that the command does not set has its value from the user’s environment.
  const set = text.replace(/\$(?:(\w+)|\{(\w+)\})/g, (whole, name: string | undefined, braced: string | undefined) =>
    /^\d/.test(name ?? braced ?? '') || machine.scope.get(name ?? braced ?? '') !== undefined ? whole : '0',
  );
  const expanded = /[$`]/.test(set) ? machine.expandString(set) : set;
  for (const value of namedValues(machine, expanded)) if (/[$`]/.test(value)) machine.expandString(value);
  if (!comesToNumbers(machine, expanded, MAX_DEPTH)) machine.note(OPAQUE);
}

/** Returns whether evaluating this text runs nothing. */
export function isNumeric(machine: Machine, text: string): boolean {
  return !/[$`]/.test(text) && comesToNumbers(machine, text, MAX_DEPTH);
}

/** Evaluates a name that bash looks up by its text (`unset "$x"`, `[[ -v $x ]]`), with its subscript. */
export function evaluateName(machine: Machine, text: string): void {
  if (/^[A-Za-z_]\w*$/.test(text)) return;
  const found = /^([A-Za-z_]\w*)\[([\s\S]*)\]$/.exec(text);
  if (!found) machine.note(OPAQUE);
  else evaluateSubscript(machine, found[1] ?? '', found[2] ?? '');
}

/** Evaluates the text between `[` and `]` of an array: arithmetic, unless the array is known to be associative. */
export function evaluateSubscript(machine: Machine, array: string, key: string): void {
  if (key === '@' || key === '*') return;
  if (!machine.scope.named.has(array) || /[$`]/.test(key)) evaluateText(machine, key);
}

/** Evaluates operands of `[[ -v … ]]` and of numeric comparisons once more, including subscripts. */
export function expandAgain(machine: Machine, text: string, operator: string): void {
  if (/^-[vR]$/.test(operator)) evaluateName(machine, text);
  else if (/^-(eq|ne|lt|le|gt|ge)$/.test(operator)) evaluateText(machine, text);
}

const TOKEN = /\s+|0[xX][\da-fA-F]+|\d+#[\w@]+|[\d\uE00B]+|[A-Za-z_]\w*|[-+*/%<>=!&|^~?:,()[\]"']/y;

function comesToNumbers(machine: Machine, text: string, depth: number): boolean {
  if (depth === 0 || text.length > 4000) return false;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return false;
    const end = TOKEN.lastIndex;
    if (/^[A-Za-z_]/.test(token) && !isNumberName(machine, token, depth)) return false;
    TOKEN.lastIndex = end;
  }
  return true;
}

/** An unset name counts as 0: each command starts in a shell of its own. */
function isNumberName(machine: Machine, name: string, depth: number): boolean {
  const value = machine.scope.get(name);
  if (value === undefined) return true;
  if (machine.scope.list(name).length > 50) return false;
  return machine.scope.list(name).every((item) => comesToNumbers(machine, item, depth - 1));
}

/** Returns the values of the names in a text, and of the names in those values. */
function namedValues(machine: Machine, text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [text];
  for (let current = open.pop(); current !== undefined && found.size < 50; current = open.pop()) {
    for (const [name] of current.matchAll(/[A-Za-z_]\w*/g)) {
      const value = machine.scope.get(name);
      if (typeof value !== 'string' || found.has(value)) continue;
      found.add(value);
      open.push(value);
    }
  }
  return found;
}

function evaluate(machine: Machine, node: ArithmeticExpression, depth: number): number | undefined {
  if (depth > 50) return undefined;
  switch (node.type) {
    case 'ArithmeticWord': {
      const text = node.value.replace(/^\$\{?|\}$/g, '');
      if (/^(0|[1-9]\d{0,14})$/.test(text)) return Number(text);
      if (/^0x[0-9a-f]{1,8}$/i.test(text)) return Number(text);
      const value = /^[A-Za-z_]\w*$/.test(text) ? machine.scope.text(text) : '';
      return /^-?(0|[1-9]\d{0,14})$/.test(value) ? Number(value) : undefined;
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
