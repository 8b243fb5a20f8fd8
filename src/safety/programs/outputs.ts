import type { Machine, Redirect } from '../shell/machine.ts';
import { hasUnknown, UNKNOWN } from '../shell/taint.ts';
import { harmless, type StaticVerdict, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { adds, overwrite, specialTarget } from './paths.ts';

/** Files that exist in nearly every home directory or project. */
const COMMON_FILES =
  /(^|\/)(\.[\w-]+|id_(rsa|dsa|ecdsa|ed25519)|README(\.\w+)?|LICENSE|Makefile|Dockerfile|package(-lock)?\.json|tsconfig\.json|Cargo\.(toml|lock)|go\.(mod|sum)|pyproject\.toml|docker-compose\.ya?ml)$/;

/**
 * Returns the verdict on a file that a program writes as its output. Such files are usually new, so where files can’t
 * be looked up only names count that exist nearly everywhere.
 */
export function writesOutput(call: Call, target: string, why = harmless()): StaticVerdict {
  const rule = 'output over a file';
  const reason = 'overwrites an existing file';
  if (target === '-' || target === '') return harmless();
  return COMMON_FILES.test(target)
    ? overwrite(call.machine, target, rule, reason)
    : overwrite(call.machine, target, rule, reason, why);
}

/** Notes what the output options of a call overwrite, even where the record does not know its other words. */
export function judgeOutputs(call: Call): void {
  if (call.program === 'ssh-keygen') keyFile(call);
  if (call.reading?.missing === undefined) return;
  for (const { role, value } of call.reading.given)
    if (role === 'write' && value !== undefined && value !== UNKNOWN) call.machine.note(writesOutput(call, value));
}

/** Judges the key file of `ssh-keygen`, which asks before an overwrite unless its input answers. */
function keyFile(call: Call): void {
  const words = call.args.map((field) => field.text);
  const target = words[words.indexOf('-f') + 1];
  const changes = words.some((word) => /^-(\w*[lyeFRHLBDiQ]|p)$/.test(word));
  if (!words.includes('-f') || target === undefined || changes) return;
  if (/^\s*y/i.test(call.io.stdin ?? '') || hasUnknown(call.io.stdin ?? ''))
    call.machine.note(overwrite(call.machine, target, 'output over a file', 'overwrites a key'));
  else if (call.machine.files) call.machine.note(writesOutput(call, target));
}

/** Returns the verdict on opening one redirection: truncating an existing file loses it, appending does not. */
export function judgeRedirect(machine: Machine, { operator, target, fd }: Redirect): StaticVerdict {
  if (CONNECTION.test(target)) {
    machine.sends = true;
    return unknown('talks to another machine');
  }
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

/** Paths that bash interprets as a connection to another machine. */
const CONNECTION = /^\/[/.]*dev\/[/.]*(tcp|udp)\//;

/** Returns whether input or output uses such a connection, also by a descriptor that the command opened. */
export function talksToNetwork({ machine, redirects }: Pick<Call, 'machine' | 'redirects'>): boolean {
  if (redirects.length === 0) return false;
  if (redirects.some(({ target }) => CONNECTION.test(target))) return true;
  return (
    /\/dev\/(tcp|udp)\//.test(machine.source) &&
    redirects.some(({ operator, target }) => /^[<>]&$/.test(operator) && /^([3-9]|\d\d)-?$/.test(target))
  );
}
