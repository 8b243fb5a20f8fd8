import { dirname } from 'node:path';
import { pattern } from '../../text/pattern.ts';
import { readCode } from '../code/read.ts';
import { hasRules, matchRules, RULE_PROGRAMS } from '../rules/table.ts';
import { meansOther } from '../shell/dialect.ts';
import { isEndlessDevice } from '../shell/interpreter.ts';
import { type Field, type Io, type Machine, plain, type Redirect } from '../shell/machine.ts';
import { plainOutput } from '../shell/output.ts';
import {
  DECODED,
  ENDLESS,
  FETCHED,
  FILE_TEXT,
  hasUnknown,
  NUMBER,
  readable,
  UNKNOWN,
  withoutTaint,
} from '../shell/taint.ts';
import { globToRegExp } from '../shell/word.ts';
import { ADDING, DESTROYING_OPTION, verbOf } from '../verbs.ts';
import { destructive, harmless, type StaticVerdict, unknown, worse } from '../verdict.ts';
import { BUILTINS } from './builtins.ts';
import { Call, type Handler } from './call.ts';
import { originOf, runCode } from './code.ts';
import { markNames, noteCredentials } from './credentials.ts';
import { APP_SHELLS, DATABASES } from './databases.ts';
import { judgeAssignment } from './environment.ts';
import { INTERPRETERS } from './interpreters.ts';
import { noteSending } from './leaving.ts';
import { isLocalScript, isSystemWord, programName } from './name.ts';
import { NETWORK_TOOLS, REMOTE } from './network-tools.ts';
import type { Operand } from './options.ts';
import { judgeOutputs } from './outputs.ts';
import { DELETING, ENDING, OVERWRITING, SCHEDULED } from './overwriting.ts';
import { absolute, fileKey, isOwnEnvironment, runsProject } from './paths.ts';
import { BUILD, PROJECT } from './project.ts';
import { prove } from './proof.ts';
import { isDryReading, isIdle, roleOf } from './record.ts';
import { hasRecord } from './records/index.ts';
import { lookAtScript, noteUnread, runScriptFile, SHELLS } from './shells.ts';
import { CALCULATORS, EDITORS, FORMATTERS, MEDIA, SESSIONS, TEXT_TOOLS } from './text-tools.ts';
import { CONTAINERS, GIT, SPECIAL_WRAPPERS, WRAPPERS } from './wrappers.ts';

/** Handlers of programs that run code from their arguments, files or input. */
const RUNNERS: ReadonlyMap<string, Handler> = new Map(
  Object.entries({
    ...WRAPPERS,
    ...SPECIAL_WRAPPERS,
    ...BUILTINS,
    ...SHELLS,
    ...TEXT_TOOLS,
    ...INTERPRETERS,
    ...DATABASES,
    ...EDITORS,
    ...SCHEDULED,
    ...REMOTE,
    ...SESSIONS,
    ...APP_SHELLS,
    ...CALCULATORS,
  }),
);

const HANDLERS: ReadonlyMap<string, Handler> = new Map([
  ...Object.entries({
    ...CONTAINERS,
    ...OVERWRITING,
    ...DELETING,
    ...ENDING,
    ...GIT,
    ...BUILD,
    ...NETWORK_TOOLS,
    ...MEDIA,
    ...FORMATTERS,
  }),
  ...RUNNERS,
]);

/** Returns whether a program runs code from its arguments, files or input. */
export function runsItsWords(program: string): boolean {
  return RUNNERS.has(program);
}

/** Judges one call whose words are known, notes the verdict on the machine, and returns the call's output. */
export function dispatch(
  machine: Machine,
  fields: readonly Field[],
  io: Io,
  redirects: readonly Redirect[],
  disabled: ReadonlySet<string>,
): string {
  const word = fields[0];
  if (!word) return '';
  if (hasUnknown(word.text)) return unresolvedWord(machine, fields, io);
  if (word.glob && word.text !== '[' && word.text.length > 1) return patternWord(machine, fields, io, disabled);
  const renamed = otherName(machine, word, fields, io);
  if (renamed !== undefined) return renamed;
  const name = programName(word.text);
  const call = new Call(machine, name, fields.slice(1), io, redirects);
  noteCredentials(call);
  noteSending(call);
  const { dialect } = machine.scope;
  if (dialect !== undefined && meansOther(dialect, name, texts(call)))
    machine.note(unknown(`${name} means something else in this shell than in bash`));
  const isPath = word.text.includes('/');
  const written = isPath ? machine.written.get(fileKey(machine, word.text)) : undefined;
  if (written !== undefined) return runWritten(call, word.text, written);
  if (asksForHelp(call)) return help(call);
  if (isPath && isLocalScript(word.text) && !isFamous(call, word.text)) return localScript(call, word.text, disabled);
  // Every program that would run was read, and every word of the call is known.
  const isOfSystem = !isPath || isSystemWord(word.text) || isOfEnvironment(machine, word.text);
  const project = isOfSystem ? PROJECT.get(name)?.(call) : undefined;
  if (project !== undefined) return project;
  return judgeKnown(call, isOfSystem, disabled);
}

/** Returns whether this is a program of the project's own environment, and notes what it runs. */
function isOfEnvironment(machine: Machine, path: string): boolean {
  const root = /^(.+)\/bin\/[^/]+$/.exec(path)?.[1];
  if (root === undefined || !isOwnEnvironment(machine, root)) return false;
  machine.note(runsProject(machine, root));
  return true;
}

/** Returns the output of a call for help, which is unknown text. */
function help({ machine, reading, args }: Call): string {
  const alone = reading === undefined && args.length > 1 ? 'words beside a request for help' : undefined;
  const missing = reading?.missing ?? alone;
  if (missing !== undefined) machine.note(unknown(missing));
  return UNKNOWN;
}

/** Judges a call by the program's name: its own handler, the rules, the record; returns its output. */
function judgeKnown(call: Call, isOfSystem: boolean, disabled: ReadonlySet<string>): string {
  const { machine, program } = call;
  runEmbeddedCommands(call);
  judgeOutputs(call);
  const output = wrapped(call) ?? HANDLERS.get(program)?.(call);
  const dry = isDryRun(call);
  const rule = dry ? undefined : matchRules(call, disabled);
  const proof = prove(call);
  machine.note(proof);
  if (rule) machine.note(rule);
  else if (sameInAndOut(call)) machine.note(destructive('same file in and out', 'empties the file it reads'));
  else if (output === undefined && proof.verdict !== 'safe' && !dry) machine.note(byKnowledge(call));
  if (!isOfSystem) machine.note(unknown('runs a program that was not read', { runsFiles: true }));
  return untilItsEnd(call, isShellSetup(call) ? '' : markNames(call, output ?? outputOf(call)));
}

/** Returns the output, marked where it is endless. */
function untilItsEnd(call: Call, printed: string): string {
  const fed = isFedWithoutEnd(call);
  const all = takesAll(call, fed);
  if (all) call.machine.note(all);
  if (printsWithoutEnd(call, fed)) return printed.includes(ENDLESS) ? printed : printed + ENDLESS;
  return printed.includes(ENDLESS) ? printed.replaceAll(ENDLESS, '') : printed;
}

/** Resolves a word that means another command: an alias, an init script, the rest of `time`; else undefined. */
function otherName(machine: Machine, word: Field, fields: readonly Field[], io: Io): string | undefined {
  const { aliases } = machine.scope;
  const alias =
    aliases.size === 0 ? undefined : (aliases.get(word.text) ?? aliases.get(absolute(machine, word.text) ?? ''));
  if (alias !== undefined && alias !== word.text) {
    machine.scope.dropAlias(word.text);
    if (hasUnknown(alias) || /\s/.test(alias))
      return runCode(machine, [alias, ...fields.slice(1).map((field) => field.text)].join(' '), io);
    return machine.runFields([{ text: alias, glob: false }, ...fields.slice(1)], io);
  }
  const first = word.text.charCodeAt(0);
  if (first !== 45 && first !== 47) return undefined;
  const script = /^\/etc\/(?:rc\.d\/)?(?:init|rc)\.d\/([\w.@-]+)$/.exec(word.text)?.[1];
  if (script !== undefined)
    return machine.runFields([{ text: 'service', glob: false }, { text: script, glob: false }, ...fields.slice(1)], io);
  // `time -f %e cmd`: the parser takes `time` for the shell's own, which knows no format.
  if (/^-[foavp]$/.test(word.text)) {
    if (word.text === '-o') machine.note(unknown('time writes its report to a file'));
    return machine.runFields(fields.slice(/[fo]/.test(word.text) ? 2 : 1), io);
  }
  return undefined;
}

/** Returns the output of a wrapped command: the words after the wrapper’s own options, which the record knows. */
function wrapped(call: Call): string | undefined {
  const { reading, machine } = call;
  if (!reading || reading.missing !== undefined || !call.facts.exact) return undefined;
  let at = reading.operands.findIndex((_, index) => roleOf(reading.level, index) === 'command');
  if (at < 0) return undefined;
  for (; at < reading.operands.length; at++) {
    const assigned = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(reading.operands[at]?.text ?? '');
    if (!assigned) break;
    machine.note(judgeAssignment(machine, assigned[1] ?? '', assigned[2] ?? '', true));
  }
  return machine.runFields(reading.operands.slice(at), call.io);
}

/** Well-known scripts of projects, by name. */
const KNOWN_LOCAL = /^(gradlew|mvnw|manage\.py|artisan|console|rails|rake|odoo-bin|occ|magento|drush|wp)$/;
/** Text that the genuine script contains. */
const FAMOUS_TEXT = pattern(String.raw`
    GradleWrapperMain|[Mm]aven.?[Ww]rapper|execute_from_command_line|odoo\.cli|Illuminate|bootstrap/app|Symfony
    |AppKernel|rails/commands|config/application|\b[Rr]ake\b|console\.php|Magento|[Dd]rush|WP_CLI|wp-cli
  `);

/** Returns whether a script’s text shows that it is the genuine well-known one. Others are judged like any script. */
function isFamous({ machine, program }: Call, path: string): boolean {
  if (!KNOWN_LOCAL.test(program)) return false;
  const content = machine.reading?.look(absolute(machine, path) ?? '');
  return content === undefined || (content.kind === 'text' && FAMOUS_TEXT.test(content.text));
}

const STRONG_SCRIPT_WORD = pattern(String.raw`
    ^(delete|drop|destroy|flush|purge|wipe|fresh|truncate|erase|nuke|uninstall|teardown|drop-db|reset_db|(db
    |database)[:_-](drop|reset|wipe|purge)|migrate:(fresh|reset|refresh)|doctrine:(database|schema):drop)$
  `);

function localScript(call: Call, path: string, disabled: ReadonlySet<string>): string {
  const strong = texts(call).find((text) => STRONG_SCRIPT_WORD.test(text));
  if (strong !== undefined && !disabled.has('destroying verb')) {
    call.machine.note(destructive('destroying verb', `runs a script to ${strong}`));
  }
  return runLocalScript(call, path);
}

function texts(call: Call): string[] {
  return call.args.map((field) => field.text);
}

/** Returns the verdict of the records and verbs on a call that no rule matched. */
function byKnowledge(call: Call): StaticVerdict {
  const { program, options } = call;
  const words = options.operands.map((operand) => operand.text);
  if (/^(npm|pnpm|yarn)$/.test(program) && /^(test|t|tst|start|run|run-script|rum)$/.test(words[0] ?? '')) {
    return unknown(`${program} runs scripts of the project`, { runsFiles: true });
  }
  if (
    /^(cmake|ninja|meson)$/.test(program) &&
    call.args.some((field) => /^(--target=)?(clean|distclean|clean-all|maintainer-clean)$/.test(field.text))
  ) {
    return unknown(`${program} deletes what it built`);
  }
  const { reading, facts } = call;
  const { traits } = facts;
  const reached = reading && !reading.strayed && (reading.root.subs === undefined || reading.path.length > 0);
  if (reached && (reading.level.isMild || (reading.path.length > 0 && hasRules(program))) && !traits.has('runsProject'))
    return harmless();
  const found = commandAmongWords(call) ?? byVerbs(call, reading?.root.subs !== undefined || traits.has('speaks'));
  if (found) return found;
  if (traits.has('runsProject')) return unknown(`${readable(program)} runs files of the project`, { runsFiles: true });
  return unknown(`${readable(program).slice(0, 60)} is not known`);
}

/** Programs that are recognised among the arguments of an unknown program, which may start them. */
const STARTED =
  /^(\/\S*\/)?(rm|rmdir|unlink|shred|dd|truncate|kill|pkill|killall|git|sudo|sh|bash|zsh|dash|find|xargs)$/;

/**
 * Returns the finding for a command that an unknown program may run: its arguments from a known program on, or a text.
 */
function commandAmongWords({ machine, program, args, io }: Call): StaticVerdict | undefined {
  if (hasRecord(program)) return undefined;
  const at = args.findIndex(({ text }) => STARTED.test(text));
  const code = args.find(
    ({ text }) => /\s/.test(text) && STARTED.test(text.split(/\s/, 1)[0] ?? '') && !hasUnknown(text),
  );
  if (at < 0 && code === undefined) return undefined;
  const inner = machine.watch(() =>
    machine.inSubshell(() => (code ? runCode(machine, code.text, io) : machine.runFields(args.slice(at), io))),
  );
  return inner.verdict === 'destructive' ? inner : undefined;
}

/** Judges `iconv -o f f`, which empties the file before reading it. */
function sameInAndOut(call: Call): boolean {
  const at = call.args.findIndex(isOutputOption);
  return at >= 0 && isAmongTheRest(call, at);
}

function isOutputOption({ text }: Field): boolean {
  return text === '-o' || text === '--output';
}

function isAmongTheRest(call: Call, at: number): boolean {
  const target = call.args[at + 1]?.text;
  return (
    target !== undefined &&
    /^\w/.test(target) &&
    call.args.some((field, index) => index !== at + 1 && field.text === target)
  );
}

/** Returns the verdict by the verbs among a call’s words. `known`: the program has a table of subcommands. */
function byVerbs(call: Call, known: boolean): StaticVerdict | undefined {
  const { program, facts, options } = call;
  if (options.flags.has('--help') || options.flags.has('--dry-run') || options.flags.has('--version')) return undefined;
  if (!known && /[-_]/.test(program) && verbOf(program.replace(/\.(sh|py|pl|rb)$/, '')) === 'destroys')
    return destructive('destroying verb', `${readable(program)} removes something, by its name`);
  const said = saidByWords(call, known);
  if (said === 'its own' || typeof said === 'object') return said === 'its own' ? undefined : said;
  const flag =
    said === 'reads'
      ? undefined
      : [...options.flags].find((each) => DESTROYING_OPTION.test(each) && each !== '--format');
  if (flag !== undefined)
    return destructive('destroying option', `${readable(program)} ${readable(flag)} removes something`);
  return said !== undefined && facts.traits.has('speaks') ? harmless() : undefined;
}

/**
 * Returns the first word of a call that decides its verdict; `its own`: the program deletes only files that it made.
 */
function saidByWords(
  { program, facts, options }: Call,
  known: boolean,
): 'reads' | 'adds' | 'its own' | StaticVerdict | undefined {
  let names = false;
  // Without a table of subcommands, a weak verb counts only in the position of a subcommand.
  const isSubcommand = (index: number, maybeValue = false) => known || (index === 0 && !maybeValue);
  const { operands } = options;
  for (const [index, { text, maybeValue }] of operands.slice(0, known ? 5 : 3).entries()) {
    const verb = verbOf(text);
    if (verb === 'destroys' || (verb === 'destroys weakly' && isSubcommand(index, maybeValue))) {
      // Build products can be rebuilt, but the tables don’t know whether `clean` deletes more.
      if (facts.traits.has('runsProject') && /clean/.test(text)) return 'its own';
      if (index > 0 && namesTask(operands[0]?.text ?? '', index === 1 ? text : '')) break;
      return destructive('destroying verb', `${readable(program)}: ${readable(text)} removes something`);
    }
    if (verb === 'reads' && !maybeValue) return 'reads';
    if (verb === 'names') names = true;
    if (addsOnly(text, operands[index + 1])) return names ? 'reads' : 'adds';
    if (!/^[\w.:/@-]+$/.test(text)) break;
  }
  return names ? 'reads' : undefined;
}

/**
 * Returns whether this word is a verb that adds something, and not an object that the next word deletes (`tag delete`).
 */
function addsOnly(text: string, next: Operand | undefined): boolean {
  return ADDING.test(text) && !namesWhatGoes(text, next?.text ?? '');
}

/** Returns whether this word is followed by the name of a task, in which a verb means nothing. */
function namesTask(first: string, verb: string): boolean {
  return RUN_SUB.test(first) && !namesWhatGoes(first, verb);
}

/** Returns whether an object precedes its verb: `tag delete`, `config rm`. */
function namesWhatGoes(noun: string, next: string): boolean {
  return /^(tag|config|backup|snapshot|label|image|key)$/.test(noun) && verbOf(next) === 'destroys';
}

/** Subcommands followed by the name of a task instead of a verb (`npm run clean`). */
const RUN_SUB =
  /^(run|run-script|exec|x|dlx|task|add|install|i|create|init|new|commit|set|tag|push|build|apply|start|search|config|generate|g)$/;

/** Judges a command word with an unknown part, which may be empty and leave a dangerous name (`r$@m`, `$SUDO rm`). */
function unresolvedWord(machine: Machine, fields: readonly Field[], io: Io): string {
  const [word, ...rest] = fields;
  const text = word?.text ?? '';
  const bare = withoutTaint(text);
  const guess = bare === '' ? rest : [{ text: bare, glob: false }, ...rest];
  const origin = originOf(text);
  const inner = machine.watch(() => machine.runFields(guess, io));
  const halting = bare === '' && (text.includes(FETCHED) || text.includes(DECODED)) ? origin : undefined;
  machine.note(
    inner.verdict === 'destructive'
      ? inner
      : (halting ?? unknown('the command itself is not known', { unresolved: true })),
  );
  return UNKNOWN;
}

/** Judges a pattern such as `/bin/r?` as every program it may match. */
function patternWord(machine: Machine, fields: readonly Field[], io: Io, disabled: ReadonlySet<string>): string {
  const [word, ...rest] = fields;
  const pattern = word?.text ?? '';
  const slash = pattern.lastIndexOf('/');
  const matches = globToRegExp(pattern.slice(slash + 1));
  let verdict = unknown('the command itself is not known', { unresolved: true });
  for (const name of [...RULE_PROGRAMS, 'bash', 'sh', 'dd', 'tee', 'cp', 'mv', 'sed', 'python']) {
    if (!matches.test(name)) continue;
    verdict = worse(
      verdict,
      machine.watch(() => dispatch(machine, [{ text: name, glob: false }, ...rest], io, [], disabled)),
    );
    if (verdict.verdict === 'destructive') break;
  }
  machine.note(verdict);
  return UNKNOWN;
}

/** Words with which a program prints code for `eval`. */
const SHELL_SETUP_WORD = pattern(String.raw`
    ^(init|hook|shellenv|env|docker-env|docker-env|completion|completions|activate|shell\.\w+|export|config|-s
    |-c|-b|--eval|--sh|bash|sh|zsh|podman-env|signin|--alias|-o|load|virtualenv-init|--start|-Mlocal::lib|path
    |--bash|hook-env|generate-shell-completion)$
  `);

function isSetupWord({ text }: Field): boolean {
  return SHELL_SETUP_WORD.test(text);
}

function isShellSetup(call: Call): boolean {
  if (!call.facts.traits.has('printsSetup')) return false;
  return call.args.length === 0 || call.args.some(isSetupWord);
}

function outputOf(call: Call): string {
  const { facts, io, machine } = call;
  const { stdin } = io;
  const filtered = plainOutput(facts.output, call.args, stdin ?? UNKNOWN);
  if (filtered !== undefined) return filtered;
  const { gives } = facts.output;
  if (gives === 'files' || gives === 'unpacked') {
    const names = call.operands.filter((operand) => operand.text !== '-');
    if (names.length === 0) return stdin ?? UNKNOWN;
    if (gives === 'unpacked') return DECODED;
    return names
      .map(({ text }) => machine.substituted.get(text) ?? machine.written.get(fileKey(machine, text)) ?? FILE_TEXT)
      .join('');
  }
  if (stdin?.includes(FETCHED)) return FETCHED;
  if (stdin?.includes(DECODED) || gives === 'decoded') return DECODED;
  return gives === 'fetched' ? FETCHED : UNKNOWN;
}

/** Returns whether this call only asks for help or the version, in a way the program really has. */
function asksForHelp(call: Call): boolean {
  const { program, facts, reading } = call;
  if (reading) return isIdle(reading);
  const { options } = call;
  if (options.flags.size === 0) return false;
  if (options.flags.has('-help') && facts.singleDash) return true;
  if (!hasRules(program)) return false;
  if (call.args.length === 1 && /^(-V|--?version|--?help|-\?)$/.test(call.args[0]?.text ?? '')) return true;
  const at = call.args.findIndex((field) => field.text === '--help');
  const end = call.args.findIndex((field) => field.text === '--');
  return at >= 0 && (end < 0 || end > at);
}

/** Returns whether this call is a dry run, which removes only findings on deleting and writing. */
function isDryRun(call: Call): boolean {
  const { facts, reading } = call;
  if (reading && (isDryReading(reading) || reading.level.knowsDryRuns)) return isDryReading(reading);
  const { dryRun } = facts;
  if (dryRun.size === 0) return false;
  const { options } = call;
  if (options.flags.size === 0) return false;
  const names = dryRun.get(options.operands[0]?.text ?? '') ?? dryRun.get('*') ?? [];
  return call.hasExactly(names) && !disabled(call, names);
}

/** Returns whether an option is disabled by its value: `--dry-run=false`. */
function disabled(call: Call, names: readonly string[]): boolean {
  return names.some((name) => /^(false|no|none|0)$/.test(call.options.values.get(name)?.at(-1) ?? ''));
}

const SSH_OPTION =
  /^(?:-o)?\s*(ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand|PermitLocalCommand)\s*[= ]\s*([\s\S]+)$/i;

/** Walks commands that stand in options of programs which run them (`tar --to-command=…`, `ssh -o ProxyCommand=…`). */
function runEmbeddedCommands(call: Call): void {
  const { program, args } = call;
  if (program === 'ssh' || program === 'scp' || program === 'sftp' || program === 'rsync') {
    for (const { text } of args) {
      const found = SSH_OPTION.exec(text);
      if (found && found[2] !== 'none') runLoss(call, found[2] ?? '');
    }
  }
  if (program === 'git') runGitOption(call);
  if (call.reading?.missing === undefined) return;
  for (const { role, value } of call.reading.given) if (role === 'run' && value) runLoss(call, value);
}

/** Judges the command in `git grep -O'cmd'` and `git difftool -x cmd`, which git runs on files of the project. */
function runGitOption(call: Call): void {
  const sub = call.operands[0]?.text;
  const option =
    sub === 'grep'
      ? /^(?:-O|--open-files-in-pager(?:=|$))/
      : sub === 'difftool' || sub === 'mergetool'
        ? /^(?:-x|--extcmd(?:=|$))/
        : undefined;
  if (!option) return;
  for (const [index, { text }] of call.args.entries()) {
    const found = option.exec(text);
    const code = found && (text.slice(found[0].length) || (sub === 'grep' ? '' : call.args[index + 1]?.text));
    if (code) runLoss(call, code);
  }
}

/** Judges code for losses only: a filter such as `gzip` needs no further judgement. */
function runLoss(call: Call, code: string): void {
  const { machine } = call;
  const inner = machine.watch(() => runCode(machine, `${code} ${UNKNOWN}`, { stdin: UNKNOWN }));
  if (inner.verdict === 'destructive') machine.note(inner);
}

/** Judges running a file whose text the same command wrote. */
function runWritten(call: Call, path: string, text: string): string {
  const { machine, io } = call;
  const argv = call.args.map((field) => field.text);
  const runner = runnerOf(text);
  if (runner === 'shell') return runScriptFile(call, path, argv, io);
  if (runner === 'another') return runByFirstLine(call, path, text);
  readCode(machine, 'python', text, { argv, file: path, stdin: io.stdin });
  return UNKNOWN;
}

/** Judges `./FILE` by its text, in the language of its first line; without such a line the shell runs it. */
function runLocalScript(call: Call, path: string): string {
  const { machine } = call;
  const full = absolute(machine, path);
  const content = lookAtScript(call, path);
  const argv = call.args.map((field) => field.text);
  if (content?.kind === 'absent' && full !== undefined && machine.reading?.look(dirname(full))?.kind === 'directory')
    // The kernel does not search elsewhere: nothing runs while the file is missing.
    machine.reading.runsNothing(full);
  else if (content?.kind === 'absent') noteUnread(call, path, content);
  else if (content?.kind !== 'text' || full === undefined)
    machine.note(unknown('runs a file of the project', { runsFiles: true }));
  else {
    const { text } = content;
    const runner = runnerOf(text);
    if (runner === 'shell') return runScriptFile(call, path, argv, call.io);
    if (runner === 'another') {
      machine.note(unknown('runs a file of the project', { runsFiles: true }));
      return runByFirstLine(call, path, text);
    }
    const run = () => readCode(machine, 'python', text, { argv, file: path, stdin: call.io.stdin });
    if (machine.reading?.within(full, () => run() ?? true) === undefined) noteUnread(call, path, content);
  }
  return UNKNOWN;
}

/** First lines of shell scripts and of Python scripts. */
const SHELL = /^#!\s*(?:\/usr)?(?:\/local)?\/bin\/(?:env\s+)?(?:ba|da)?sh(?:\s+-[eu]+)*\s*$/;
const PYTHON = /^#!\s*(?:\/usr)?(?:\/local)?\/bin\/(?:env\s+)?python[\d.]*(?:\s+-[uBOsE]+)*\s*$/;

/** The program that runs a file: a shell (the default), Python, or the command in its first line. */
type Runner = 'shell' | 'python' | 'another';

function runnerOf(text: string): Runner {
  const end = text.indexOf('\n');
  const first = end < 0 ? text : text.slice(0, end);
  if (!first.startsWith('#!') || SHELL.test(first)) return 'shell';
  return PYTHON.test(first) ? 'python' : 'another';
}

/**
 * Judges a first line such as `#!/usr/bin/sed -f` as a command, to which the kernel appends the file and the arguments.
 */
function runByFirstLine({ machine, args, io }: Call, path: string, text: string): string {
  const [first = ''] = text.split('\n', 1);
  const [, program = '', option = ''] = /^#!\s*(\S+)\s*(.*?)\s*$/.exec(first) ?? [];
  if (program === '' || hasUnknown(first)) {
    machine.note(unknown('a script with an unknown first line (#!)', { unresolved: true, runsFiles: true }));
    return '';
  }
  // Linux passes the rest of the line as one word, other systems as several; `env` finds no program with a blank in its
  // name.
  const own =
    option === '' ? [] : /(^|\/)env$/.test(program) && option.startsWith('-') ? [option] : option.split(/\s+/);
  return machine.runFields([program, ...own, path].map(plain).concat(args), io);
}

/** Larger outputs count as endless, in bytes and in lines. */
const MOST_BYTES = 20e9;
const MOST_LINES = 1e8;

/** Programs that read all input before they print: endless input fills the memory. */
const COLLECTS = /^(sort|tac|tail|shuf|sponge|column|rev|vim|emacs|mapfile|readarray)$/;
/** Programs that pass their input on, besides those that print files. */
const PASSES =
  /^(tee|pv|gzip|bzip2|xz|zstd|lz4|pigz|openssl|perl|ruby|unbuffer|stdbuf|ts|split|csplit|dd|basenc|fmt|expand|unexpand|iconv)$/;
const COPIES = /^(cp|mv|install|rsync|scp|split|csplit)$/;

/** Returns whether a call prints endlessly. `fed`: its input is endless. */
function printsWithoutEnd(call: Call, fed: boolean): boolean {
  if (call.program === 'yes') return true;
  if (call.program === 'seq' || call.program === 'jot') return countsOn(call);
  return fed && !stops(call) && (call.facts.traits.has('prints') || PASSES.test(call.program));
}

/** Returns the verdict on a call that fills a disk or the memory; undefined for others. `fed`: its input is endless. */
function takesAll(call: Call, fed: boolean): StaticVerdict | undefined {
  const { program, args, io } = call;
  if (program === 'xargs') return startsAll(call) ? unknown('starts many processes at once') : undefined;
  if (program === 'fallocate' && bytesOf(call.value('-l', '--length') ?? '0') > MOST_BYTES)
    return unknown('fills the disk');
  if (!fed || stops(call)) return undefined;
  if (COLLECTS.test(program)) return unknown('reads endless input');
  const names = args.filter(({ text }) => !text.startsWith('-'));
  if (COPIES.test(program) && names.length > 1) return unknown('writes endlessly');
  if (program === 'tee' && io.stdin?.includes(ENDLESS) && names.some(({ text }) => text !== '/dev/null'))
    return unknown('writes endlessly');
  const out = program === 'dd' ? args.find(({ text }) => text.startsWith('of='))?.text.slice(3) : undefined;
  return out !== undefined && out !== '/dev/null' ? unknown('writes endlessly') : undefined;
}

/** Returns whether a call reads an endless device, or the endless output of another program. */
function isFedWithoutEnd({ args, io }: Call): boolean {
  if (io.stdin?.includes(ENDLESS)) return true;
  return args.some(namesEndlessDevice);
}

function namesEndlessDevice({ text }: Field): boolean {
  return isEndlessDevice(text.startsWith('if=') ? text.slice(3) : text);
}

/** Returns whether the call stops reading early enough. */
function stops(call: Call): boolean {
  const { program, args } = call;
  switch (program) {
    case 'head':
      return (
        bytesOf(call.value('-c', '--bytes') ?? '0') <= MOST_BYTES &&
        bytesOf(call.value('-n', '--lines') ?? '0') <= MOST_LINES
      );
    case 'dd': {
      const value = (name: string) => args.find(({ text }) => text.startsWith(`${name}=`))?.text.slice(name.length + 1);
      const count = value('count');
      return count !== undefined && bytesOf(count) * bytesOf(value('bs') ?? value('ibs') ?? '512') <= MOST_BYTES;
    }
    case 'od':
    case 'hexdump':
      return call.has('-N', '-n', '--read-bytes', '--length');
    case 'xxd':
      return call.has('-l', '-len');
    case 'grep':
    case 'rg':
      return call.has('-m', '-q', '--max-count', '--quiet', '-l');
    case 'cmp':
      return true;
    case 'sed':
      return args.some(({ text }) => /(^|[;\d{$])\s*[qQ]/.test(text));
    case 'awk':
    case 'perl':
    case 'ruby':
      return args.some(({ text }) => /\b(exit|last|break)\b/.test(text));
    default:
      return false;
  }
}

const UNITS = 'kmgtpezy';

/** Returns `10G` as a number; infinity for other text. */
function bytesOf(text: string): number {
  const [, digits, unit = ''] = /^\+?(\d+)([a-zA-Z]*)$/.exec(text.trim()) ?? [];
  if (digits === undefined) return text.startsWith('-') || text === '' ? Number.POSITIVE_INFINITY : 0;
  const power = UNITS.indexOf(unit.charAt(0).toLowerCase()) + 1;
  if (unit === '' || power === 0) return Number(digits) * (unit === 'b' ? 512 : 1);
  return Number(digits) * 1024 ** power;
}

function countsOn({ args }: Call): boolean {
  const last = args.filter(({ text }) => /^-?[\d.]|^inf/i.test(text)).at(-1)?.text ?? '';
  return /^-?inf/i.test(last) || Math.abs(Number(last)) > MOST_LINES;
}

/** Judges `xargs -P0`, which may start any number of processes at once. */
function startsAll({ args, io }: Call): boolean {
  const words = args.map(({ text }) => text);
  const all = words.some(
    (word, at) => /^(-P0|--max-procs=0)$/.test(word) || (/^(-P|--max-procs)$/.test(word) && words[at + 1] === '0'),
  );
  return all && io.stdin?.includes(NUMBER) === true;
}
