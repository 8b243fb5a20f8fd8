import type { Field } from '../shell/machine.ts';
import { hasUnknown, readable } from '../shell/taint.ts';
import { harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';
import { judgeReach } from './asking.ts';
import type { Call } from './call.ts';
import { judgeObeyed } from './obeyed.ts';
import { type Compiled, isDryReading, isFed, isIdle, type OperandRole, type Reading, type Role } from './record.ts';
import { judgeRole } from './roles.ts';

/**
 * Whether a call is known to lose nothing: its record knows the program, the subcommand, every option and every operand,
 * and the judge of each role agrees. What is missing is the reason.
 */
export function prove(call: Call): StaticVerdict {
  const { reading, program } = call;
  if (!reading) return unknown(`${readable(program).slice(0, 60)} is not known`);
  if (reading.missing !== undefined) {
    const unread = reading.missing.startsWith('a word that is not known');
    return unknown(reading.missing, unread ? { runsFiles: true } : undefined);
  }
  if (isIdle(reading)) return harmless('only prints help or its version');
  let verdict = worse(judgeObeyed(call, reading), judgeReach(call, reading.path));
  if (takesBackDry(reading)) verdict = worse(verdict, unknown('a dry run that is taken back'));
  for (const { name, role, value } of reading.given)
    if (!ONLY_TUNES.has(role) && !isLifted(reading, role))
      verdict = worse(verdict, judgeOption(call, role, `option ${name} of ${program}`, value));
  const operands = judgeOperands(call, reading);
  verdict = worse(verdict, operands.verdict);
  if (!operands.fit) return verdict;
  if (isAnswered(call, reading))
    verdict = worse(verdict, unknown(`${program} asks before it writes over something, and its input answers`));
  const { open, runsFiles, judge: ofLevel } = reading.level;
  if (open !== undefined && !isDryReading(reading))
    verdict = worse(verdict, unknown(open, runsFiles ? { runsFiles } : undefined));
  // The program's own judge, and the subcommand's.
  const { judge } = reading.root;
  if (judge) verdict = worse(verdict, judge(call, reading) ?? harmless());
  if (ofLevel && ofLevel !== judge) verdict = worse(verdict, ofLevel(call, reading) ?? harmless());
  return verdict;
}

/** Roles that no judge has anything against. */
const ONLY_TUNES: ReadonlySet<OperandRole> = new Set(['tune', 'dry', 'undry', 'idle']);

/** The verdict on the operands; `fit`: the program takes all of them. */
function judgeOperands(call: Call, reading: Reading): { readonly verdict: StaticVerdict; readonly fit: boolean } {
  const { level, operands } = reading;
  const { program } = call;
  let verdict = harmless();
  for (let index = 0; index < operands.length; index++) {
    const field = operands[index] as Field;
    const role = roleOf(level, index);
    if (role === undefined)
      return {
        verdict: worse(verdict, unknown(`${program} takes no ${readable(field.text).slice(0, 40)}`)),
        fit: false,
      };
    if (role === 'command' || role === 'shell') break;
    if (index < level.lastActing && (field.glob || hasUnknown(field.text)))
      verdict = worse(verdict, unknown('a word that may become several, of which one is written to'));
    if (role !== 'judged' && !ONLY_TUNES.has(role) && !isLifted(reading, role))
      verdict = worse(verdict, judgeRole(call, role, `operand of ${program}`, field.text));
  }
  return { verdict, fit: true };
}

/** An option that writes without a word for where: only the program knows its name. */
function judgeOption(call: Call, role: Role, what: string, value: string | undefined): StaticVerdict {
  return role === 'write' && value === undefined
    ? unknown(`${what} writes a file that it does not name`)
    : judgeRole(call, role, what, value ?? '');
}

/** `--no-dry-run`, `--dry-run=none`, `--dry-run false`: whether that is still a dry run, versions differ in. */
function takesBackDry({ given, operands }: Reading): boolean {
  if (given.length === 0) return false;
  let dry = false;
  for (const { role, value } of given) {
    if (role === 'undry' || (role === 'dry' && /^(none|false|no|off|0)?$/i.test(value ?? 'x'))) return true;
    dry ||= role === 'dry';
  }
  return dry && operands.some(({ text }) => /^(false|no|none|off|0)$/.test(text));
}

/** Does it ask before a loss, and is there something on its input that may say yes? */
function isAnswered(call: Call, reading: Reading): boolean {
  const { asks } = reading.level;
  if (asks === undefined || !isFed(call)) return false;
  return asks === '' || asks.split(' ').some((name) => reading.given.some((each) => each.name === name));
}

/** The role of the operand at `index`; the last one of the record repeats. */
export function roleOf(level: Compiled, index: number): OperandRole | undefined {
  return level.operands[Math.min(index, level.operands.length - 1)];
}

/** A dry run lifts what deletes and writes, never what runs or sends. */
function isLifted(reading: Reading, role: Role): boolean {
  return (role === 'delete' || role === 'write' || role === 'add') && isDryReading(reading);
}
