import type { Machine, Redirect } from '../shell/machine.ts';
import { harmless, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { adds, overwrite, specialTarget } from './paths.ts';

/** The verdict on opening one redirection: truncating an existing file loses it, appending does not. */
export function judgeRedirect(machine: Machine, { operator, target, fd }: Redirect): StaticVerdict {
  if (CONNECTION.test(target)) return unknown('talks to another machine');
  if (!operator.includes('>')) return harmless();
  if ((operator === '>&' || operator === '<&') && /^(\d+-?|-)$/.test(target)) return harmless();
  if (machine.substituted.has(target)) return harmless();
  if (operator === '<>')
    return fd === undefined || fd === 0
      ? (specialTarget(machine, target) ?? unknown('opens a file for writing'))
      : overwrite(machine, target, 'truncating redirection', 'writes over an existing file');
  if (operator === '>>' || operator === '&>>') return adds(machine, target);
  return overwrite(machine, target, 'truncating redirection', 'empties an existing file');
}

/** What bash takes for a connection to another machine. */
const CONNECTION = /^\/[/.]*dev\/[/.]*(tcp|udp)\//;

/** Does what a call reads or prints go over such a connection, also one that the same command opened behind a number? */
export function talksToNetwork({ machine, redirects }: Pick<Call, 'machine' | 'redirects'>): boolean {
  if (redirects.length === 0) return false;
  if (redirects.some(({ target }) => CONNECTION.test(target))) return true;
  return (
    /\/dev\/(tcp|udp)\//.test(machine.source) &&
    redirects.some(({ operator, target }) => /^[<>]&$/.test(operator) && /^([3-9]|\d\d)-?$/.test(target))
  );
}
