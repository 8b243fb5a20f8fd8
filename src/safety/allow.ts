/**
 * What of a command line an allow rule may cover (AC-7): the program and the subcommand of each of its parts. Whatever
 * is not known in every word has none.
 */
import type { AllowParts } from '../session/action.ts';
import { type JudgeOptions, judgeCommand } from './judge.ts';
import { isPartReading, opensNothing } from './only-reads.ts';
import { Call } from './programs/call.ts';
import { runsItsWords } from './programs/dispatch.ts';
import { INTERPRETERS } from './programs/interpreters.ts';
import { sendingOf } from './programs/leaving.ts';
import { isOwnProject } from './programs/paths.ts';
import { readExactly } from './programs/read-options.ts';
import { type OperandRole, type Reading, type Role, roleOf } from './programs/record.ts';
import { recordOf } from './programs/records/index.ts';
import type { Field, Io, Machine } from './shell/machine.ts';
import { hasUnknown } from './shell/taint.ts';

/** Roles of options that name no other program, no file, and nobody to send to. */
const FREE: ReadonlySet<Role> = new Set(['tune', 'dry', 'idle']);

/** Roles of operands that may be any word, and of those that start another program or give something away. */
const ANY: ReadonlySet<OperandRole> = new Set(['tune', 'read', 'dry', 'idle']);
const NONE: ReadonlySet<OperandRole> = new Set(['command', 'shell', 'run', 'load', 'send', 'delete']);

/** A word that is the same word in any shell. */
const PLAIN = /^[\w@%+:,./][\w@%+=:,./-]*$/;

/** A value that may be a path. */
const PATH = /^\S*\/\S*$|^[.~]/;

/** What a call that sends something away needs is a question of its own, and no rule. */
const LEAVES = Symbol('leaves');

/** The parts of a command that rules may allow; undefined where one of them can't be. */
export function allowParts(command: string, options: JudgeOptions): AllowParts | undefined {
  const acts = new Set<string>();
  const reads = new Set<string>();
  let covered = true;
  let depth = 0;
  let leaves = false;
  const { unresolved } = judgeCommand(command, options, {
    call(fields, io, machine) {
      // What a part runs by itself belongs to that part.
      if (depth++ > 0) return;
      const looks = isPartReading(fields);
      const rule = looks ? fields[0]?.text : ruleOf(fields, io, machine);
      if (rule === LEAVES) leaves = true;
      else if (rule === undefined) covered = false;
      else (looks ? reads : acts).add(rule);
    },
    end: () => depth--,
    assignment() {
      covered &&= depth > 0;
    },
    redirect(redirect) {
      covered &&= depth > 0 || opensNothing(redirect);
    },
  });
  if (!covered || unresolved || (acts.size === 0 && !leaves)) return undefined;
  return { acts: [...acts], reads: [...reads] };
}

/** The rule that would cover one call; undefined: none may. */
function ruleOf([program, ...args]: readonly Field[], io: Io, machine: Machine) {
  const name = program?.text ?? '';
  const record = recordOf(name);
  // A path, or a name of its own for something, is another program.
  if (!record || !PLAIN.test(name) || name.includes('/') || machine.scope.aliases.has(name)) return undefined;
  if (args.some(({ text, glob }) => glob || hasUnknown(text)) || !isOwnProject(machine, '.')) return undefined;
  const call = new Call(machine, name, args, io, []);
  if (sendingOf(call).length > 0) return LEAVES;
  const reading = readExactly(name, record, args);
  return reading.missing === undefined && isCoverable(call, reading)
    ? withOperands([name, ...reading.path], reading, machine)
    : undefined;
}

/** Whether a call does what its program and subcommand say, and no option or file says more. */
function isCoverable(call: Call, reading: Reading): boolean {
  const { root, path, given, before } = reading;
  const { wraps } = call.facts;
  if (wraps && (wraps.sub === undefined || wraps.sub.split('|').includes(path[0] ?? ''))) return false;
  // Where the program is all that the rule names, its options say what it does.
  if (path.length === 0 && (runsItsWords(call.program) || root.judge?.(call, reading))) return false;
  if (call.program in INTERPRETERS) return false;
  // Before the subcommand a value is a place, a setting, or whom the program talks to (`git -C`, `git -c`).
  if (path.length > 0 && given.slice(0, before).some(({ value }) => value !== undefined)) return false;
  return given.every(({ role, value = '' }) => FREE.has(role) && !PATH.test(value));
}

/**
 * The words of a rule: operands are among them where they choose what is done, such as a script, a target or a test.
 * Undefined: no rule may name them.
 */
function withOperands(named: string[], { root, level, path, operands }: Reading, machine: Machine): string | undefined {
  if (level.operands.some((role) => NONE.has(role))) return undefined;
  const runsProject = path.length > 0 || level.runsFiles || (level.control ?? root.control) !== undefined;
  for (const [at, { text }] of operands.entries()) {
    const role = roleOf(level, at);
    if (role === undefined || (text.includes('/') && !isOwnProject(machine, text))) return undefined;
    if (ANY.has(role)) continue;
    const chooses = role === 'project' || (role === 'judged' && runsProject);
    if (!chooses || !PLAIN.test(text)) return undefined;
    named.push(text);
  }
  return named.join(' ');
}
