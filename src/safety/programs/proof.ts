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
  given,
  isDryReading,
  isFed,
  isIdle,
  type OperandRole,
  type Reading,
  type Role,
  roleOf,
} from './record.ts';

/**
 * Returns whether a call is proven to lose nothing: its record knows the program, subcommand, options and operands, and
 * the judge of each role agrees. The reason names the unknown part.
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
  // The judges of the program’s record and of the subcommand’s record.
  const { judge } = reading.root;
  if (judge) verdict = worse(verdict, judge(call, reading) ?? harmless());
  if (ofLevel && ofLevel !== judge) verdict = worse(verdict, ofLevel(call, reading) ?? harmless());
  return verdict;
}

/** Roles that are always harmless. */
const ONLY_TUNES: ReadonlySet<OperandRole> = new Set(['tune', 'dry', 'undry', 'idle']);

/** Returns the verdict on the operands; `fit`: the program accepts that many. */
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
  if (level.operands[0] === 'package' && operands.length === 0 && !isDryReading(reading) && !given(reading, ...LISTS))
    verdict = worse(verdict, unknown('names no package: installs what the project or the system lists', RUNS_FILES));
  return { verdict, fit: true };
}

/** Options that name a list of packages, which the record's own judge reads. */
const LISTS = ['-r', '--requirement'];
const RUNS_FILES = { runsFiles: true };

/** Judges an option that writes to a file whose name only the program knows. */
function judgeOption(call: Call, role: Role, what: string, value: string | undefined): StaticVerdict {
  return role === 'write' && value === undefined
    ? unknown(`${what} writes a file that the command does not name`)
    : judgeRole(call, role, what, value ?? '');
}

/** Returns whether a dry run is switched off again (`--dry-run=none`, `--dry-run false`), on which versions differ. */
function takesBackDry({ given, operands }: Reading): boolean {
  if (given.length === 0) return false;
  let dry = false;
  for (const { role, value } of given) {
    if (role === 'undry' || (role === 'dry' && /^(none|false|no|off|0)?$/i.test(value ?? 'x'))) return true;
    dry ||= role === 'dry';
  }
  return dry && operands.some(({ text }) => /^(false|no|none|off|0)$/.test(text));
}

/** Returns whether the program asks before a loss, and its input may answer yes. */
function isAnswered(call: Call, reading: Reading): boolean {
  const { asks } = reading.level;
  if (asks === undefined || !isFed(call)) return false;
  return asks === '' || asks.split(' ').some((name) => reading.given.some((each) => each.name === name));
}

/** Returns whether a dry run makes this role harmless: deleting and writing, but never running or sending. */
function isLifted(reading: Reading, role: Role): boolean {
  return (role === 'delete' || role === 'write' || role === 'add') && isDryReading(reading);
}

/** Returns the verdict on one role; `what` names the option or operand for the reason. */
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
    case 'package':
      return installs(call, value);
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

/** How a registry writes names and versions: with a vendor, the path of a module, or a scope. */
const NAMES: Readonly<Record<string, RegExp>> = {
  composer: /^\w[\w.-]*\/\w[\w.-]*(:[\w.*^~|, -]+)?$/,
  go: /^\w[\w.-]*\.[a-z]+\/[\w./-]+(@[\w.+-]+)?$/,
};
const NAME =
  /^(@[\w.-]+\/)?\w[\w.+-]*(\[[\w, -]*\])?(:(any|amd64|arm64|armhf|i386))?(([=<>!~^]=?|@)(\d+:)?[\w.,+*<>=!~^ -]+)?$/;
/** A file, or what apt reads as a removal. */
const NO_NAME = /(?<!\+)[-+_]$|\.(deb|rpm|apk|whl|gem|t?gz|tar|zip|rb|snap|flatpak(ref)?|phar|crate|conda)$/i;
/** Packages of a system that replace the way it starts, or let others log in. */
const SYSTEM_NAME = pattern(String.raw`
    ^(sysvinit|runit|openrc|s6|upstart|systemd|elogind|linux-image|linux-headers|kernel|grub|shim|openssh-server
    |telnetd|inetd|xinetd|rsh-server|vsftpd|proftpd|samba$|tigervnc|x11vnc|xrdp|cockpit|teamviewer|anydesk)
  `);

/**
 * The registry that is set answers for what its names stand for, whether that runs while it is installed or later: all
 * installers have one verdict. A file, an address, an alias or somebody's own source may hold anything.
 */
function installs({ program, facts }: Call, name: string): StaticVerdict {
  if (facts.leaves?.as === 'packages' && SYSTEM_NAME.test(name))
    return unknown('replaces a part of the system, or opens it to logins');
  return (NAMES[program] ?? NAME).test(name) && !NO_NAME.test(name)
    ? harmless()
    : unknown(`${readable(name).slice(0, 40)} is no plain name of a package`, { runsFiles: true });
}

/** Usual names of files that programs create: no suffix, archives, pictures, objects, dumps, keys. */
const MADE = pattern(String.raw`
    (^|/)(dump|backups?|dist|build|out|output|target|bin|tmp|coverage)/|(^|/)[\w-]{2,}$|\.(o|a|so|out|exe|bin
    |img|tar|tgz|gz|zip|xz|zst|bz2|7z|whl|png|jpe?g|svg|gif|webp|pdf|html?|mp4|mp3|wav|dump|sql|key|pem|crt|csr
    |pub|gpg|asc|patch|diff|pcap|iso|wasm|class|jar|trace|bundle)$
  `);
/** Judges an empty new file or directory: it tells no tool anything, but files put into it later may. */
function makesEmpty({ machine }: Call, path: string): StaticVerdict {
  const place = worse(specialTarget(machine, path) ?? harmless(), specialDirectory(machine, path) ?? harmless());
  if (place.rule === 'write to start file' || place.rule === 'write to credentials')
    return unknown('makes a directory that the shell or a tool searches');
  return place.verdict === 'unknown' && !machine.scope.elsewhere ? harmless() : worse(place, makes(machine, path));
}

/** Judges a written file: without a working directory nobody knows whether it exists. */
function writes(call: Call, path: string): StaticVerdict {
  const seen = writesOutput(call, path);
  const blind = !call.machine.files && seen.verdict === 'safe' && !isHarmlessTarget(path) && !MADE.test(path);
  return blind ? unknown('writes a file that may exist already') : seen;
}

/** Judges a command in an option for losses; its other effects on unnamed files stay unknown. */
function runs(call: Call, what: string, code: string): StaticVerdict {
  const { machine } = call;
  const inner = machine.watch(() => runCode(machine, `${code} ${UNKNOWN}`, { stdin: UNKNOWN }));
  return inner.verdict === 'destructive' ? inner : unknown(`${what} runs ${readable(code).slice(0, 40)}`);
}

/** Tests that pytest finds by their names, and files that it loads beside them. */
const PYTHON_TESTS = /(^|\/)(conftest\.py|test_[^/]*\.py|[^/]*_test\.py)$/;

/**
 * Returns the verdict on files that a program loads without a word of the call naming them: they must be files of the
 * project in the start directory, and files written in this conversation must have been read and judged.
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
        return unknown(`${program} follows ${readable(path).slice(-60)}, which was written just now`);
  let verdict = runsProject(machine);
  const named = new Set(operands.map(({ text }) => absolute(machine, text.replace(/::.*$/, ''))));
  for (const path of machine.own ?? []) {
    if (control.test(path) && (PYTHON_RUNNERS.test(program) ? isTest(path) || named.has(path) : true))
      verdict = worse(verdict, judgeOwn(call, path));
  }
  return verdict;
}

const PYTHON_RUNNERS = /^(pytest|py\.test|unittest)$/;

/** Returns whether a module is a test: only tests run by themselves; settings select them, and they import the rest. */
function isTest(path: string): boolean {
  return PYTHON_TESTS.test(path) || !/\.py$/.test(path) || /(^|\/)(setup|sitecustomize|usercustomize)\.py$/.test(path);
}

/**
 * Judges a file that the model has written: Python can be read; for other files the effect on the program is unknown.
 */
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

/** An address of this machine, of its own network, or of the service that gives a cloud machine its keys. */
const NEAR_HOST = pattern(
  String.raw`
    ^(localhost|kubernetes|.*\.(localhost|local|internal|lan|home|corp|svc|consul|cluster|nip\.io|sslip\.io
    |xip\.io|lvh\.me|localtest\.me)|kubernetes\.default.*|0+|127\.[\d.]+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+
    |172\.(1[6-9]|2\d|3[01])\.\d+\.\d+|169\.254\.[\d.]+|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+
    |0\.0\.0\.0|\d+|0x[\da-f.x]+|0\d[\d.]*|host\.docker\.internal|metadata(\.google)?|\[.*\])$
  `,
  'i',
);
/** Paths that many services have for reporting their state. */
const LOOKS =
  /^\/?$|^\/(health(z|check)?|status|ready(z)?|live(z|ness)?|readiness|ping|version|metrics|favicon\.ico|robots\.txt|index\.html?)\/?$/i;

/** Words in an address that ask for a deletion or an action: a server should not obey them in a GET, but many do. */
const CHANGES =
  /[/?&=.](delete|remove|destroy|purge|drop|wipe|erase|reset|revoke|unsubscribe|shutdown|reboot|logout|disable|terminate)([/?&=]|$)/i;

/**
 * Returns the verdict on a request to another machine: its content leaves this one, and a nearby service may treat an
 * address as a command.
 */
function judgeQuestion(program: string, what: string, text: string): StaticVerdict {
  if (hasUnknown(text)) return unknown(`${what}: sends unknown parts`);
  if (!/^(curl|wget|http|https|xh|aria2c|yt-dlp|youtube-dl)$/.test(program)) return harmless();
  return judgeAddress(text);
}

/** Returns the verdict on the words of a call that reaches another machine: none may contain an unknown part. */
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
  // Curl expands braces in an address to several addresses.
  const near = /[{}[\]]/.test(host) ? /\[|local|127|\b10\b|192|169/.test(host) : NEAR_HOST.test(host);
  // A host without a dot and with a port is a service on the local network.
  const beside = /^[^.@]*:\d+$/.test(authority) && host !== '';
  if (CHANGES.test(path)) return unknown('requests an address that may be a command');
  if (!near && !beside && host !== '') return harmless();
  return LOOKS.test(path) ? harmless() : unknown('requests a local service, which may take it as a command');
}
