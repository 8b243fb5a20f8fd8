import { pattern } from '../../text/pattern.ts';
import { readCode } from '../code/read.ts';
import type { Field } from '../shell/machine.ts';
import { hasUnknown, readable, UNKNOWN } from '../shell/taint.ts';
import { harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import { writesOutput } from './outputs.ts';
import {
  absolute,
  adds,
  fillsDirectory,
  isHarmlessTarget,
  isOwnProject,
  makes,
  runsProject,
  specialDirectory,
  specialTarget,
} from './paths.ts';
import {
  type CallFacts,
  isDryReading,
  isFed,
  isIdle,
  type OperandRole,
  type Reading,
  type Role,
  roleOf,
} from './record.ts';

/**
 * Whether a call is known to lose nothing: its record knows the program, the subcommand, every option and every
 * operand, and the judge of each role agrees. What is missing is the reason.
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
  if (takesBackDry(reading)) verdict = worse(verdict, unknown('a dry run that is switched off again'));
  for (const { name, role, value } of reading.given)
    if (!ONLY_TUNES.has(role) && !isLifted(reading, role))
      verdict = worse(verdict, judgeOption(call, role, `option ${name} of ${program}`, value));
  const operands = judgeOperands(call, reading);
  verdict = worse(verdict, operands.verdict);
  if (!operands.fit) return verdict;
  if (isAnswered(call, reading))
    verdict = worse(verdict, unknown(`${program} asks before it overwrites something, and its input answers`));
  const { open, runsFiles, judge: ofLevel, spec } = reading.level;
  if (spec.undo !== undefined) verdict = worse(verdict, harmless(`${spec.undo} takes it back`));
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
      verdict = worse(verdict, unknown('a word that may expand to several, one of which is written to'));
    if (role !== 'judged' && !ONLY_TUNES.has(role) && !isLifted(reading, role))
      verdict = worse(verdict, judgeRole(call, role, `operand of ${program}`, field.text));
  }
  return { verdict, fit: true };
}

/** An option that writes without a word for where: only the program knows its name. */
function judgeOption(call: Call, role: Role, what: string, value: string | undefined): StaticVerdict {
  return role === 'write' && value === undefined
    ? unknown(`${what} writes a file that the command does not name`)
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

/** A dry run lifts what deletes and writes, never what runs or sends. */
function isLifted(reading: Reading, role: Role): boolean {
  return (role === 'delete' || role === 'write' || role === 'add') && isDryReading(reading);
}

/** The judge of each role: `what` says which option or operand it is, for the reason. */
function judgeRole(call: Call, role: Role, what: string, value: string): StaticVerdict {
  switch (role) {
    case 'tune':
    case 'dry':
    case 'undry':
    case 'idle':
    case 'read':
      return harmless();
    case 'ask':
      return judgeQuestion(call.program, what, value);
    case 'add':
      return worse(adds(call.machine, value), specialDirectory(call.machine, value) ?? harmless());
    case 'make':
      return makesEmpty(call, value);
    case 'into':
      return fillsDirectory(call.machine, value);
    case 'write':
      return writes(call, value);
    case 'project':
      return isOwnProject(call.machine, value)
        ? runsProject(call.machine, value)
        : unknown(`${what} runs code from another place`, { runsFiles: true });
    case 'run':
      return runs(call, what, value);
    case 'load':
      return unknown(`${what} can run code`, { runsFiles: true });
    case 'send':
      return unknown(`${what} sends something or changes the server`);
    case 'delete':
      return unknown(`${what} removes something`);
  }
}

/** Names of what programs make: no suffix, archives, pictures, objects, dumps, keys. */
const MADE = pattern(String.raw`
    (^|/)(dump|backups?|dist|build|out|output|target|bin|tmp|coverage)/|(^|/)[\w-]{2,}$|\.(o|a|so|out|exe|bin
    |img|tar|tgz|gz|zip|xz|zst|bz2|7z|whl|png|jpe?g|svg|gif|webp|pdf|html?|mp4|mp3|wav|dump|sql|key|pem|crt|csr
    |pub|gpg|asc|patch|diff|pcap|iso|wasm|class|jar|trace|bundle)$
  `);
/** What is made empty tells nobody anything, but what is put there next may. */
function makesEmpty({ machine }: Call, path: string): StaticVerdict {
  const place = worse(specialTarget(machine, path) ?? harmless(), specialDirectory(machine, path) ?? harmless());
  if (place.rule === 'write to start file' || place.rule === 'write to credentials')
    return unknown('makes a directory that the shell or a tool searches');
  return place.verdict === 'unknown' && !machine.scope.elsewhere ? harmless() : worse(place, makes(machine, path));
}

/** A file that is written: without a directory to look in nobody knows whether it is there already. */
function writes(call: Call, path: string): StaticVerdict {
  const seen = writesOutput(call, path);
  const blind = !call.machine.files && seen.verdict === 'safe' && !isHarmlessTarget(path) && !MADE.test(path);
  return blind ? unknown('writes a file that may exist already') : seen;
}

/** A command in an option is walked for losses; what else it does on files nobody names stays unknown. */
function runs(call: Call, what: string, code: string): StaticVerdict {
  const { machine } = call;
  const inner = machine.watch(() => runCode(machine, `${code} ${UNKNOWN}`, { stdin: UNKNOWN }));
  return inner.verdict === 'destructive' ? inner : unknown(`${what} runs ${readable(code).slice(0, 40)}`);
}

/** Tests as pytest finds them by their name, and what it loads beside them. */
const PYTHON_TESTS = /(^|\/)(conftest\.py|test_[^/]*\.py|[^/]*_test\.py)$/;

/**
 * The verdict on the files that a program obeys without a word of the call naming them: they must be those of the
 * project it is started in, and what was written in this conversation must have been read and judged.
 */
function judgeObeyed(call: Call, { root, level, operands }: Reading): StaticVerdict {
  const control = level.control ?? root.control;
  if (!control) return harmless();
  const { machine, program } = call;
  const { elsewhere, near } = machine.scope;
  if (machine.scope.foreign.size > 0)
    return unknown(`${program} obeys files that the same command adds`, { runsFiles: true });
  if (elsewhere === 'machine' || (!elsewhere && near !== '' && !isOwnProject(machine, '.')))
    return unknown(`${program} obeys the files of another place`, { runsFiles: true });
  for (const paths of [machine.written.keys(), machine.changed])
    for (const path of paths)
      if (control.test(path))
        return unknown(`${program} obeys ${readable(path).slice(-60)}, which was written just now`);
  let verdict = runsProject(machine);
  const named = new Set(operands.map(({ text }) => absolute(machine, text.replace(/::.*$/, ''))));
  for (const path of machine.own ?? []) {
    if (control.test(path) && (PYTHON_RUNNERS.test(program) ? isTest(path) || named.has(path) : true))
      verdict = worse(verdict, judgeOwn(call, path));
  }
  return verdict;
}

const PYTHON_RUNNERS = /^(pytest|py\.test|unittest)$/;

/** Of all modules only the tests are run by themselves; settings decide which, and the rest they import. */
function isTest(path: string): boolean {
  return PYTHON_TESTS.test(path) || !/\.py$/.test(path) || /(^|\/)(setup|sitecustomize|usercustomize)\.py$/.test(path);
}

/** A file that the model has written: Python can be read, for the rest it is not known what it makes the program do. */
function judgeOwn(call: Call, path: string): StaticVerdict {
  const { machine, program } = call;
  const { reading } = machine;
  const content = PYTHON_RUNNERS.test(program) && path.endsWith('.py') ? reading?.look(path) : undefined;
  const text = content?.kind === 'text' ? content.text : undefined;
  const judged =
    text === undefined
      ? undefined
      : reading?.within(path, () =>
          machine.watch(() => machine.inSubshell(() => readCode(machine, 'python', text, { argv: [], file: path }))),
        );
  return (
    judged ?? unknown(`${program} obeys ${path.slice(-60)}, which was written in this session`, { runsFiles: true })
  );
}

/** An address of this machine, of its own network, or of the service that tells a cloud machine its keys. */
const NEAR_HOST = pattern(
  String.raw`
    ^(localhost|kubernetes|.*\.(localhost|local|internal|lan|home|corp|svc|consul|cluster|nip\.io|sslip\.io
    |xip\.io|lvh\.me|localtest\.me)|kubernetes\.default.*|0+|127\.[\d.]+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+
    |172\.(1[6-9]|2\d|3[01])\.\d+\.\d+|169\.254\.[\d.]+|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+
    |0\.0\.0\.0|\d+|0x[\da-f.x]+|0\d[\d.]*|host\.docker\.internal|metadata(\.google)?|\[.*\])$
  `,
  'i',
);
/** What services answer everywhere to say how they are. */
const LOOKS =
  /^\/?$|^\/(health(z|check)?|status|ready(z)?|live(z|ness)?|readiness|ping|version|metrics|favicon\.ico|robots\.txt|index\.html?)\/?$/i;

/** A part of an address that says to take something away or to do it: a server should not obey it, and many do. */
const CHANGES =
  /[/?&=.](delete|remove|destroy|purge|drop|wipe|erase|reset|revoke|unsubscribe|shutdown|reboot|logout|disable|terminate)([/?&=]|$)/i;

/**
 * The verdict on asking another machine: what stands in the question leaves, and a service nearby may take an address
 * for an order.
 */
function judgeQuestion(program: string, what: string, text: string): StaticVerdict {
  if (hasUnknown(text)) return unknown(`${what}: sends unknown parts`);
  if (!/^(curl|wget|http|https|xh|aria2c|yt-dlp|youtube-dl)$/.test(program)) return harmless();
  return judgeAddress(text);
}

/** The verdict on the words of a call that reaches another machine: none of them may carry what is not known. */
function judgeReach(
  { program, facts, args }: Pick<CallFacts, 'program' | 'facts' | 'args'>,
  path: readonly string[],
): StaticVerdict {
  const { reaches } = facts;
  if (reaches !== true && !reaches.has(path[0] ?? '')) return harmless();
  return args.some(({ text }) => hasUnknown(text)) ? unknown(`${program}: sends unknown parts`) : harmless();
}

/** The verdict on fetching an address. */
function judgeAddress(address: string): StaticVerdict {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();
  if (scheme !== undefined && !/^(https?|ftps?|file)$/.test(scheme))
    return unknown(`an address of ${scheme} may be a command to a service`);
  const rest = scheme === undefined ? address : address.slice(scheme.length + 3);
  const [authority = ''] = rest.split(/[/?#]/, 1);
  const host = authority.replace(/^.*@/, '').replace(/:\d*$/, '');
  const path = rest.slice(authority.length);
  // Curl makes several addresses of one in braces.
  const near = /[{}[\]]/.test(host) ? /\[|local|127|\b10\b|192|169/.test(host) : NEAR_HOST.test(host);
  // Without a dot and with a port it is a service beside this one.
  const beside = /^[^.@]*:\d+$/.test(authority) && host !== '';
  if (CHANGES.test(path)) return unknown('requests an address that may be a command');
  if (!near && !beside && host !== '') return harmless();
  return LOOKS.test(path) ? harmless() : unknown('requests a local service, which may take it as a command');
}
