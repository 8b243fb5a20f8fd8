import { join } from 'node:path';
import { echoOutput, printfOutput } from '../shell/output.ts';
import { runVariable } from '../shell/run-variables.ts';
import { hasUnknown, OWN_TEMP, UNKNOWN } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runCode } from './code.ts';
import { judgeAssignment, judgeDefinition } from './environment.ts';
import type { Handlers } from './handler.ts';
import { runScriptFile } from './shells.ts';

const texts = (call: Call) => call.args.map((field) => field.text);
const silent = () => '';

/** Commands of the shell itself. */
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
  wait: silent,
  umask: silent,
  getopts: silent,
  shopt: silent,
  bg: silent,
  fg: silent,
  logout: silent,
  suspend: silent,
  sleep: silent,
  echo: (call) => echoOutput(texts(call)),
  printf(call) {
    const words = texts(call);
    if (words[0] === '--') words.shift();
    if (words[0] !== '-v') return printfOutput(words);
    const name = words[1] ?? '';
    call.machine.note(judgeAssignment(call.machine, name, UNKNOWN, false));
    call.machine.expandString(name);
    call.machine.scope.set(name, printfOutput(words.slice(2)));
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
    for (const word of texts(call)) call.machine.expandString(word);
    return '';
  },
  unset(call) {
    for (const word of texts(call)) {
      call.machine.expandString(word);
      call.machine.scope.unset(word);
    }
    return '';
  },
  set(call) {
    const words = texts(call);
    const at = words.indexOf('--');
    if (at >= 0) call.machine.scope.positional = words.slice(at + 1);
    else if (words.length > 0 && !/^[-+]/.test(words[0] ?? '')) call.machine.scope.positional = words;
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
      if (at > 0) call.machine.scope.aliases.set(word.slice(0, at), word.slice(at + 1));
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
  complete: silent,
  compgen: silent,
};

function evaluateTest(call: Call): string {
  for (const word of texts(call)) if (/\[.*[$`]/.test(word)) call.machine.expandString(word);
  return '';
}

function changeDirectory(call: Call): string {
  const { scope, files } = call.machine;
  const target = call.operands[0]?.text ?? scope.text('HOME');
  const unknown = hasUnknown(target) || target === '-' || /^[+-]\d*$/.test(target);
  if (unknown || target.includes(OWN_TEMP)) scope.cwd = undefined;
  else if (target.startsWith('/')) scope.cwd = files ? target : undefined;
  else scope.cwd = scope.cwd === undefined ? undefined : join(scope.cwd, target);
  if (unknown) scope.near = undefined;
  else scope.near = target.startsWith('/') || scope.near === undefined ? known(target) : join(scope.near, target);
  return '';
}

/** A directory that is known by itself: not from one that isn't. */
function known(directory: string): string | undefined {
  return directory.startsWith('/') || directory.includes(OWN_TEMP) ? directory : undefined;
}

function sourceFile(call: Call): string {
  const [path, ...rest] = texts(call);
  if (path === undefined) return '';
  // Activating a virtual environment is what nearly all agents do with `source`.
  if (/(^|\/)(activate|\.env(rc)?|\.(bash|zsh)rc|\.(bash_)?profile|nvm\.sh|cargo\/env)$/.test(path)) return '';
  return runScriptFile(call, path, rest, call.io);
}

function declare(call: Call): string {
  const words = texts(call);
  const nameref = words.includes('-n');
  for (const word of words) {
    const found = /^(\w+)(\+?)=([\s\S]*)$/.exec(word);
    if (!found) {
      if (word.includes('[')) call.machine.expandString(word);
      continue;
    }
    const [, name = '', append, value = ''] = found;
    const { scope } = call.machine;
    const exported = call.program === 'export' || words.some((option) => /^-\w*x/.test(option));
    call.machine.note(judgeAssignment(call.machine, name, value, exported));
    if (nameref) scope.references.set(name, value);
    else scope.set(name, append ? scope.text(name) + value : value);
    runVariable(call.machine, name, value);
    if (words.includes('-i')) call.machine.expandString(value);
    if (name === 'PROMPT_COMMAND' || name === 'BASH_ENV') runCode(call.machine, value, { stdin: '' });
  }
  return '';
}

function readLine(call: Call): string {
  for (const { text } of call.operands) if (text.includes('[')) call.machine.expandString(text);
  const { scope } = call.machine;
  for (const { text } of call.operands) call.machine.note(judgeAssignment(call.machine, text, UNKNOWN, false));
  const stdin = call.io.stdin;
  const names = call.operands.filter((operand) => !operand.maybeValue || /^[a-zA-Z_]\w*$/.test(operand.text));
  const line = stdin === undefined ? UNKNOWN : (stdin.split('\n')[0] ?? '');
  const array = call.args.findIndex((field) => /^-\w*a$/.test(field.text));
  if (array >= 0) {
    scope.set(
      call.args[array + 1]?.text ?? 'REPLY',
      line.split(/\s+/).filter((word) => word !== ''),
    );
    return '';
  }
  const words = line.trim().split(/\s+/);
  if (names.length === 0) scope.set('REPLY', line);
  for (const [index, { text }] of names.entries()) {
    const rest = index === names.length - 1 ? words.slice(index).join(' ') : (words[index] ?? '');
    scope.set(text, hasUnknown(line) ? UNKNOWN : rest);
  }
  return '';
}

function readLines(call: Call): string {
  const at = call.args.findIndex((field) => field.text === '-C');
  if (call.args[at + 1]?.text === 'eval' && at >= 0) runCode(call.machine, call.io.stdin ?? UNKNOWN, { stdin: '' });
  if (at >= 0) call.machine.note(unknown('runs a command for each line'));
  const name = call.operands.at(-1)?.text ?? 'MAPFILE';
  call.machine.note(judgeAssignment(call.machine, name, UNKNOWN, false));
  const { stdin } = call.io;
  call.machine.scope.set(name, stdin === undefined ? [UNKNOWN] : stdin.replace(/\n$/, '').split('\n'));
  return '';
}

/** `which rm` prints a path that ends in `rm`: `$(which rm) -rf x` must not get away. */
function lookUp(call: Call): string {
  return call.operands
    .map(({ text }) =>
      call.program === 'type' && !call.has('-p', '-P') ? `${text} is ${text}\n` : `/usr/bin/${text}\n`,
    )
    .join('');
}
