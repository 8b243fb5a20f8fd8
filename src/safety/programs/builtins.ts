import { join } from 'node:path';
import { evaluateName, evaluateText } from '../shell/arithmetic.ts';
import type { Machine } from '../shell/machine.ts';
import { echoOutput, printfOutput } from '../shell/output.ts';
import { runVariable } from '../shell/run-variables.ts';
import type { Place } from '../shell/scope.ts';
import { hasUnknown, NUMBER, OWN_TEMP, UNKNOWN } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import type { Call, Handlers } from './call.ts';
import { runCode } from './code.ts';
import { judgeDefinition, judgeUnset } from './environment.ts';
import { absolute } from './paths.ts';
import { runScriptFile } from './shells.ts';

const texts = (call: Call) => call.args.map((field) => field.text);
const silent = () => '';

/** Builtin commands of the shell. */
export const BUILTINS: Handlers = {
  ':': silent,
  true: silent,
  false: silent,
  test: evaluateTest,
  '[': evaluateTest,
  break: silent,
  continue: silent,
  return: silent,
  exit: silent,
  wait(call) {
    const at = call.args.findIndex((field) => field.text === '-p');
    if (at >= 0) giveNamed(call.machine, call.args[at + 1]?.text ?? '', NUMBER);
    return '';
  },
  umask: silent,
  getopts(call) {
    const name = texts(call)[1];
    if (name !== undefined) giveNamed(call.machine, name, UNKNOWN);
    call.machine.give('OPTARG', UNKNOWN);
    return '';
  },
  shopt: silent,
  bg: silent,
  fg: silent,
  logout: silent,
  suspend: silent,
  sleep: silent,
  echo: (call) => echoOf(call),
  print: (call) => `${texts(call).join(' ')}\n`,
  printf(call) {
    const words = texts(call);
    if (words[0] === '--') words.shift();
    if (words[0] !== '-v') return printfOutput(words);
    const name = words[1] ?? '';
    giveNamed(call.machine, name, printfOutput(words.slice(2)));
    return '';
  },
  cd: changeDirectory,
  pushd: changeDirectory,
  popd(call) {
    call.machine.scope.cwd = undefined;
    call.machine.scope.near = undefined;
    return '';
  },
  pwd: (call) => call.machine.scope.cwd ?? UNKNOWN,
  eval: (call) => runCode(call.machine, texts(call).join(' '), call.io),
  source: (call) => sourceFile(call),
  '.': (call) => sourceFile(call),
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  let(call) {
    for (const word of texts(call)) evaluateLet(call.machine, word);
    return '';
  },
  unset(call) {
    for (const word of texts(call)) {
      if (/^-[fvn]$/.test(word)) continue;
      evaluateName(call.machine, word);
      call.machine.note(judgeUnset(word));
      call.machine.scope.unset(word);
    }
    return '';
  },
  set(call) {
    const words = texts(call);
    if (words.some((word, at) => /^-\w*a/.test(word) || (word === 'allexport' && words[at - 1] === '-o')))
      call.machine.scope.exporting = true;
    const { scope } = call.machine;
    const stops = words.find((word, at) => /^[-+]\w*e/.test(word) || (word === 'errexit' && words[at - 1] === '-o'));
    if (stops !== undefined) scope.stops = !stops.startsWith('+');
    const at = words.indexOf('--');
    if (at >= 0) scope.positional = call.args.slice(at + 1).map(({ text }) => text);
    else if (words.length > 0 && !/^[-+]/.test(words[0] ?? '')) scope.positional = words;
    return '';
  },
  shift(call) {
    const { scope } = call.machine;
    scope.positional = scope.positional.slice(Number(texts(call)[0] ?? 1) || 1);
    return '';
  },
  alias(call) {
    for (const word of texts(call)) {
      const at = word.indexOf('=');
      if (at > 0) call.machine.note(judgeDefinition(word.slice(0, at)));
      if (at > 0) call.machine.scope.setAlias(word.slice(0, at), word.slice(at + 1));
    }
    return '';
  },
  unalias: silent,
  trap(call) {
    const words = texts(call).filter((word) => word !== '--');
    if (words.length >= 2 && words[0] !== '-' && words[0] !== '' && !/^-[lp]$/.test(words[0] ?? '')) {
      runCode(call.machine, words[0] ?? '', { stdin: undefined });
    }
    return '';
  },
  read: readLine,
  mapfile: readLines,
  readarray: readLines,
  type: lookUp,
  which: lookUp,
  whereis: lookUp,
  hash: silent,
  mktemp: (call) => `${call.value('-p', '--tmpdir') ?? ''}${OWN_TEMP}\n`,
  enable: (call) => {
    if (call.has('-f')) call.machine.note(unknown('loads code into the shell', { unresolved: true }));
    return '';
  },
  bind: silent,
  complete: expandList,
  compgen: expandList,
};

/** Every shell but bash interprets backslashes in `echo`, some only with an option. */
function echoOf(call: Call): string {
  const text = echoOutput(texts(call));
  return call.machine.scope.dialect !== undefined && call.args.some((field) => field.text.includes('\\'))
    ? text + UNKNOWN
    : text;
}

/** Judges `[ -v name ]`, which evaluates the name; other operands are never evaluated. */
function evaluateTest(call: Call): string {
  for (const [at, word] of texts(call).entries()) {
    if (call.args[at - 1]?.text === '-v' || call.args[at - 1]?.text === '-R') evaluateName(call.machine, word);
    else if (/\[.*[$`]/.test(word)) call.machine.expandString(word);
  }
  return '';
}

/** `let a=1`: each word is evaluated as arithmetic. */
function evaluateLet(machine: Machine, word: string): void {
  const assigned = /^\s*([A-Za-z_]\w*)\s*(?:[-+*/%&^|]|<<|>>)?=(?!=)/.exec(word);
  evaluateText(machine, assigned ? word.slice(assigned[0].length) : word);
  for (const [, name = ''] of word.matchAll(/([A-Za-z_]\w*)\s*(?:(?:[-+*/%&^|]|<<|>>)?=(?!=)|\+\+|--)/g))
    machine.give(name, NUMBER);
}

/** Judges `compgen -W`, whose words are expanded again. */
function expandList(call: Call): string {
  const list = call.args[call.args.findIndex((field) => field.text === '-W') + 1]?.text;
  if (list !== undefined && /[$`]/.test(list)) {
    call.machine.expandString(list);
    call.machine.note(unknown('expands a list of words twice', { unresolved: true }));
  }
  return UNKNOWN;
}

/** Assigns to a variable, or an element of an array, that a builtin receives by name. */
function giveNamed(machine: Machine, name: string, value: string | readonly string[]): void {
  evaluateName(machine, name);
  machine.give(/^\w+/.exec(name)?.[0] ?? name, value);
}

function changeDirectory(call: Call): string {
  const { scope, files } = call.machine;
  const { place } = scope;
  const words = texts(call).filter((word) => !/^-[LPe@n]+$/.test(word));
  const target = words[words[0] === '--' ? 1 : 0] ?? scope.text('HOME');
  const next = placeAfter(call, target);
  scope.cwd = next.cwd;
  scope.near = next.near;
  const fails = next.cwd !== undefined && !scope.made.has(next.cwd) && files?.stat(next.cwd)?.kind !== 'directory';
  if (fails && files && !scope.stops && place.cwd !== undefined) scope.mayStay = place;
  return '';
}

/** Returns the shell’s working directory after a change of directory. */
function placeAfter(call: Call, target: string): Place {
  const { scope, files } = call.machine;
  const { cwd, near } = scope;
  if (hasUnknown(target) || target === '-' || /^[+-]\d*$/.test(target)) return { cwd: undefined, near: undefined };
  const isFull = target.startsWith('/');
  const named = isFull || near === undefined ? known(target) : join(near, target);
  if (target.includes(OWN_TEMP)) return { cwd: undefined, near: named };
  if (isFull) return { cwd: files ? target : undefined, near: named };
  const physical = texts(call).some((word) => /^-\w*P/.test(word)) ? absolute(call.machine, target) : undefined;
  if (physical === undefined || !files) return { cwd: cwd === undefined ? undefined : join(cwd, target), near: named };
  const real = files.real(physical);
  return { cwd: real, near: real === physical ? named : undefined };
}

/** Returns the directory, unless it holds unknown parts. */
function known(directory: string): string | undefined {
  return directory.startsWith('/') || directory.includes(OWN_TEMP) ? directory : undefined;
}

function sourceFile(call: Call): string {
  const [path, ...rest] = texts(call);
  // In fish, `source` without a file reads its input.
  if (call.machine.scope.dialect === 'fish' && (path ?? '-') === '-' && call.io.stdin !== undefined)
    return runCode(call.machine, call.io.stdin);
  if (path === undefined) return '';
  return runScriptFile(call, path, rest, call.io);
}

function declare(call: Call): string {
  const { machine } = call;
  const words = texts(call);
  const options = words.filter((word) => /^[-+]\w+$/.test(word)).join('');
  const exported = call.program === 'export' || /-\w*x/.test(options);
  for (const word of words) {
    if (/^[-+]\w*$/.test(word)) continue;
    const found = /^(\w+(?:\[[^=]*\])?)(\+?)=([\s\S]*)$/.exec(word);
    const name = found?.[1] ?? word;
    evaluateName(machine, name);
    const plain = /^\w+/.exec(name)?.[0] ?? name;
    if (/-\w*A/.test(options)) machine.scope.goByNames(plain);
    if (/-\w*i/.test(options)) machine.scope.countByNumbers(plain);
    if (found) declareValue(call, plain, `${found[2]}=`, found[3] ?? '', options, exported);
    else if (exported && machine.scope.has(plain)) machine.give(plain, machine.scope.text(plain), true);
  }
  return '';
}

function declareValue(
  { machine }: Call,
  name: string,
  operator: string,
  value: string,
  options: string,
  exported: boolean,
): void {
  const { scope } = machine;
  if (/-\w*n/.test(options)) {
    evaluateName(machine, value);
    scope.refer(name, /^\w+/.exec(value)?.[0] ?? name);
    return;
  }
  // `declare -a 'x=(…)'`: the text in the brackets is read as words of the shell.
  if (value.startsWith('(')) {
    machine.note(unknown('reads a text as shell words', { unresolved: true }));
    machine.runText(`${name}=${value}`, { stdin: '' });
    return;
  }
  machine.give(name, operator === '+=' ? (scope.has(name) ? scope.text(name) : '') + value : value, exported);
  runVariable(machine, name, value);
  if (name === 'PROMPT_COMMAND' || name === 'BASH_ENV') runCode(machine, value);
}

function readLine(call: Call): string {
  const { machine, io } = call;
  const names = call.operands.filter((operand) => !operand.maybeValue || /^[a-zA-Z_]\w*(\[|$)/.test(operand.text));
  const line = io.stdin === undefined ? UNKNOWN : (io.stdin.split('\n')[0] ?? '');
  const words = line.trim().split(/\s+/);
  const array = call.args.findIndex((field) => /^-\w*a$/.test(field.text));
  if (array >= 0) {
    giveNamed(
      machine,
      call.args[array + 1]?.text ?? 'REPLY',
      words.filter((word) => word !== ''),
    );
    return '';
  }
  if (names.length === 0) machine.give('REPLY', line);
  for (const [index, { text }] of names.entries()) {
    const rest = index === names.length - 1 ? words.slice(index).join(' ') : (words[index] ?? '');
    giveNamed(machine, text, hasUnknown(line) ? UNKNOWN : rest);
  }
  return '';
}

function readLines(call: Call): string {
  const at = call.args.findIndex((field) => field.text === '-C');
  if (call.args[at + 1]?.text === 'eval' && at >= 0) runCode(call.machine, call.io.stdin ?? UNKNOWN);
  if (at >= 0) call.machine.note(unknown('runs a command for each line'));
  const { stdin } = call.io;
  const lines = stdin === undefined ? [UNKNOWN] : stdin.replace(/\n$/, '').split('\n');
  giveNamed(call.machine, call.operands.at(-1)?.text ?? 'MAPFILE', lines);
  return '';
}

/** `which rm` prints a path that ends in `rm`: `$(which rm) -rf x` must be recognised. */
function lookUp(call: Call): string {
  return call.operands
    .map(({ text }) =>
      call.program === 'type' && !call.has('-p', '-P') ? `${text} is ${text}\n` : `/usr/bin/${text}\n`,
    )
    .join('');
}
