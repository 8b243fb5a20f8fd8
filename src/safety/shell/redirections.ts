import { isAbsolute, join } from 'node:path';
import type { Redirection } from 'unbash';
import { type Part, unknown } from '../verdict.ts';
import type { Machine, Redirect } from './machine.ts';
import { ENDLESS, FILE_TEXT, UNKNOWN } from './taint.ts';
import { expandQuoted } from './word.ts';

/** What the redirections put on standard input, if any. */
export function stdinOf(redirects: readonly Redirect[], machine: Machine): string | undefined {
  let stdin: string | undefined;
  for (const { operator, fd, target } of redirects) {
    if (fd !== undefined && fd !== 0) continue;
    if (operator === '<<' || operator === '<<-') stdin = target;
    else if (operator === '<<<') stdin = `${target}\n`;
    else if (operator === '<')
      stdin = machine.substituted.get(target) ?? (target === '/dev/null' ? '' : fileText(target));
    else if (operator === '<&') stdin = UNKNOWN;
  }
  return stdin;
}

/** Devices that give as much as anybody takes. */
export function isEndlessDevice(path: string): boolean {
  return path.startsWith('/dev/') && /^\/dev\/(zero|u?random|full)$/.test(path);
}

function fileText(path: string): string {
  return isEndlessDevice(path) ? FILE_TEXT + ENDLESS : FILE_TEXT;
}

/** Is standard output redirected, so that a pipe or a substitution gets nothing? Says what comes of `out` then. */
export function goesAway(machine: Machine, redirects: readonly Redirect[], out: string): boolean {
  if (redirects.length === 0) return false;
  const away = sendsOutputAway(redirects);
  if (away) noteEndless(machine, redirects, out);
  return away;
}

function sendsOutputAway(redirects: readonly Redirect[]): boolean {
  return redirects.some(
    ({ operator, fd, target }) =>
      operator.includes('>') &&
      operator !== '<>' &&
      (fd === undefined || fd === 1) &&
      !/^(&?\d+|-|\/dev\/(stdout|stderr|fd\/\d+))$/.test(target),
  );
}

/** The shell chooses the number (`{fd}<file`). */
const NAMED = 10;

/** Redirections with their targets expanded; `placed`: their places are those of the command line. */
export function expandRedirects(machine: Machine, nodes: readonly Redirection[], placed: boolean): readonly Redirect[] {
  return nodes.map((node) => {
    const fd = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : node.descriptor && NAMED;
    if (node.type === 'HereDoc') {
      const { body } = node;
      const target = node.delimiter?.quoted || !body.parts ? body.text : expandQuoted(machine, body.parts);
      return { operator: node.operator, fd, target: node.operator === '<<-' ? target.replace(/^\t+/gm, '') : target };
    }
    const part: Part | undefined = placed ? [node.pos, node.end] : undefined;
    return { operator: node.operator, fd, target: machine.text(node.target), ...(part ? { part } : {}) };
  });
}

/** Says that what has no end goes into a file. */
function noteEndless(machine: Machine, redirects: readonly Redirect[], out: string): void {
  if (!out.includes(ENDLESS)) return;
  const target = redirects.find(({ operator, fd }) => operator.includes('>') && (fd ?? 1) === 1)?.target;
  if (target !== '/dev/null') machine.note(unknown('writes without end'));
}

/** Remembers what went into a file, since the same command may run it next. */
export function keepOutput(machine: Machine, redirects: readonly Redirect[], out: string): void {
  const target = redirects.find(({ operator, fd }) => operator.includes('>') && (fd ?? 1) === 1)?.target;
  const sink = target === undefined ? undefined : machine.sinks.get(target);
  if (sink) machine.inSubshell(() => machine.runScript(sink, { stdin: out }));
  if (target === undefined || target.startsWith('/dev/')) return;
  const near = target.replace(/^(\.\/)+/, '');
  const { cwd } = machine.scope;
  const path = isAbsolute(target) || cwd === undefined ? near : join(cwd, near);
  const append = redirects.some(({ operator }) => operator === '>>');
  machine.written.set(path, ((append && machine.written.get(path)) || '') + out);
}
