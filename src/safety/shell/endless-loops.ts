import { forEachChild, type SyntaxNode } from 'unbash';
import { unknown } from '../verdict.ts';
import type { Machine } from './machine.ts';

type Loop = Extract<SyntaxNode, { type: 'While' | 'ArithmeticFor' | 'For' | 'Select' }>;

/** Commands that succeed whatever they are given. */
const ALWAYS = /^(:|true|echo|printf|date|sleep)$/;
const LEAVES = /^(break|exit|return|exec|kill)$/;
/** So many words of a loop are many. */
const MANY = 250;

/** Notes a loop that nothing ends: what it makes, starts or prints has no end either. */
export function noteEndless(machine: Pick<Machine, 'note'>, loop: Loop): void {
  if (isEndless(loop)) machine.note(ENDLESS_LOOP);
}

const ENDLESS_LOOP = unknown('a loop without end');

function isEndless(loop: Loop): boolean {
  if (loop.type === 'While' ? !holds(loop) : loop.type !== 'ArithmeticFor' || loop.test !== undefined) return false;
  if (some(loop.body, (node) => node.type === 'Command' && LEAVES.test(node.name?.text ?? ''))) return false;
  return !isSlow(loop.body);
}

/** `while true; do date; sleep 1; done` looks again and again; what it prints until somebody ends it is little. */
function isSlow(body: SyntaxNode): boolean {
  const sleeps = (node: SyntaxNode) => node.type === 'Command' && /^sleep [1-9]\d*$/.test(words(node));
  const keeps = (node: SyntaxNode) =>
    (node.type === 'Statement' && node.background === true) ||
    (node.type === 'Redirect' && node.operator.includes('>'));
  return some(body, sleeps) && !some(body, keeps);
}

/** A loop over many words that waits for nothing: all that it starts runs at once. */
export function startsMany(loop: Loop, rounds: number): boolean {
  const source = 'wordlist' in loop ? (loop.wordlist ?? []).map(({ text }) => text).join(' ') : '';
  const counted = Number(/\bseq\s+(?:\d+\s+)*?(\d+)\)?`?$/.exec(source)?.[1] ?? 0);
  if (rounds < MANY && counted < MANY) return false;
  return (
    some(loop.body, (node) => node.type === 'Statement' && node.background === true) &&
    !some(loop.body, (node) => node.type === 'Command' && node.name?.text === 'wait')
  );
}

/** Is its condition one that never changes? */
function holds({ clause, kind }: Extract<SyntaxNode, { type: 'While' }>): boolean {
  const last = clause.commands.at(-1)?.command;
  if (kind === 'until') return last?.type === 'Command' && last.name?.text === 'false';
  if (last?.type === 'ArithmeticCommand')
    return /^\(\(\s*1\s*\)\)$/.test(`((${last.body.replace(/^\(\(|\)\)$/g, '')}))`);
  if (last?.type !== 'Command') return false;
  const name = last.name?.text ?? '';
  return ALWAYS.test(name) || (name === '[' && /^\[ \w+ \]$/.test(words(last)));
}

function words({ name, suffix }: Extract<SyntaxNode, { type: 'Command' }>): string {
  return [name, ...suffix].map((part) => (part && 'text' in part ? part.text : '')).join(' ');
}

function some(body: SyntaxNode, matches: (node: SyntaxNode) => boolean): boolean {
  let left = 400;
  const visit = (node: SyntaxNode): boolean => {
    if (--left < 0) return true;
    if (matches(node)) return true;
    let found = false;
    forEachChild(node, (child) => {
      found ||= visit(child);
    });
    return found;
  };
  return visit(body);
}
