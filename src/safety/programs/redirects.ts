import type { Machine, Redirect } from '../shell/machine.ts';
import { harmless, type StaticVerdict, unknown } from '../verdict.ts';
import { adds, overwrite, specialTarget } from './paths.ts';

/** The verdict on opening one redirection: truncating an existing file loses it, appending does not. */
export function judgeRedirect(machine: Machine, { operator, target, fd }: Redirect): StaticVerdict {
  if (/^\/[/.]*dev\/[/.]*(tcp|udp)\//.test(target)) return unknown('talks to another machine');
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
