import type { FileContent } from '../files.ts';
import { dialectOf } from '../shell/dialect.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { destructive, unknown } from '../verdict.ts';
import { type Call, forAll, type Handlers } from './call.ts';
import { runCode } from './code.ts';
import { talksToNetwork } from './outputs.ts';
import { absolute, fileKey, isOwnEnvironment, runsProject } from './paths.ts';

/** Shells: `-c CODE`, code on standard input, a script file. */
export const SHELLS: Handlers = forAll(
  'sh bash dash zsh ksh ash mksh fish rbash tcsh csh pwsh powershell powershell.exe cmd.exe elvish nu xonsh',
  runShell,
);

/** Judges the code that a shell runs, with the syntax of that shell. */
function runShell(call: Call): string {
  if (talksToNetwork(call)) call.machine.note(destructive('curl | sh', 'opens a shell to the network'));
  return call.machine.inSubshell(() => {
    const { machine } = call;
    machine.scope.dialect = dialectOf(call.program);
    const hidden = encodedIn(call);
    return hidden === undefined ? runCodeOf(call) : encoded(call, hidden);
  });
}

function runCodeOf(call: Call): string {
  const { args, io } = call;
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at]?.text ?? '';
    if (word === '--help' || word === '--version') return '';
    if (/^(--rcfile|--init-file|-o|\+o|-O|\+O)$/.test(word)) {
      at++;
      continue;
    }
    if (ONLY_CHECKS.test(word) && !args.some(({ text }) => /^-[a-zA-Z]*i|^--interactive$/.test(text))) return '';
    if (call.program === 'fish' && /^(-C|--init-command)/.test(word)) {
      if (!word.includes('=')) at++;
      continue;
    }
    if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(word) || word === '--command' || /^-command$/i.test(word)) {
      return withArguments(call, at);
    }
    if (/^-[a-zA-Z]*s[a-zA-Z]*$/.test(word) || word === '-') {
      return fromInput(
        call,
        args.slice(at + 1).flatMap((field) => (field.text === '--' ? [] : [field.text])),
      );
    }
    if (!/^[-+]/.test(word)) break;
  }
  const script = args[at];
  if (!script) return fromInput(call, []);
  if (/^(\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(script.text)) return fromInput(call, []);
  return runScriptFile(
    call,
    script.text,
    args.slice(at + 1).flatMap((field) => (field.text === '--' ? [] : [field.text])),
    io,
  );
}

/** Options with which a shell only checks the syntax, unless its input is a terminal. */
const ONLY_CHECKS = /^-[a-bd-zA-BD-Z]*n[a-bd-zA-BD-Z]*$/;

/** PowerShell’s options for a command as base64 of UTF-16. */
const ENCODED = /^-e(c|nc(odedcommand)?)?$/i;

function encodedIn({ program, args }: Call): string | undefined {
  const at = /^(pwsh|powershell)/.test(program) ? args.findIndex(({ text }) => ENCODED.test(text)) : -1;
  return at < 0 ? undefined : (args[at + 1]?.text ?? '');
}

function encoded({ machine, io }: Call, text: string): string {
  machine.note(destructive('decoded code', 'runs decoded code'));
  return runCode(machine, Buffer.from(text, 'base64').toString('utf16le'), io);
}

function withArguments(call: Call, at: number): string {
  const { machine, args, io } = call;
  let index = at + 1;
  while (/^-(-|[a-z]+)$/.test(args[index]?.text ?? '') && args.length > index + 1) index++;
  // PowerShell takes all following words as the command; other shells take one word.
  const whole = /^(pwsh|powershell(\.exe)?)$/.test(call.program);
  const code = whole
    ? args
        .slice(index)
        .map((field) => field.text)
        .join(' ')
    : (args[index]?.text ?? '');
  const [zero, ...rest] = args.slice(index + 1).map((field) => field.text);
  return machine.inSubshell(() => {
    if (zero !== undefined) machine.scope.set('0', zero);
    machine.scope.positional = rest;
    return runCode(machine, code, io);
  });
}

function fromInput(call: Call, positional: readonly string[]): string {
  const { machine, io } = call;
  if (io.stdin === undefined) {
    machine.note(unknown('starts a shell'));
    return UNKNOWN;
  }
  const code = io.stdin;
  return machine.inSubshell(() => {
    machine.scope.positional = positional;
    return runCode(machine, code);
  });
}

/** Judges `bash FILE`, `source FILE` and `./FILE` by the file’s text, if this command wrote it or it can be read. */
export function runScriptFile(call: Call, path: string, positional: readonly string[], io: Call['io']): string {
  const { machine } = call;
  const environment = /^(.+)\/bin\/activate$/.exec(path)?.[1];
  if (environment !== undefined && isOwnEnvironment(machine, environment)) {
    machine.note(runsProject(machine, environment));
    return '';
  }
  if (/^\/dev\/(stdin|fd\/0)$/.test(path) && io.stdin !== undefined) return fromInput(call, positional);
  const known = machine.substituted.get(path) ?? machine.written.get(fileKey(machine, path));
  const run = (text: string) =>
    machine.inSubshell(() => {
      machine.scope.positional = positional;
      return runCode(machine, text, io);
    });
  if (known !== undefined) return run(known);
  const full = absolute(machine, path);
  const content = lookAtScript(call, path);
  const text = content?.kind === 'text' ? content.text : undefined;
  const output = full !== undefined && text !== undefined ? machine.reading?.within(full, () => run(text)) : undefined;
  if (output === undefined) noteUnread(call, path, content);
  return output ?? UNKNOWN;
}

/**
 * Returns the script that a call runs; undefined if a pattern names it, nothing may be read, or it was not read yet.
 */
export function lookAtScript(call: Call, path: string): FileContent | undefined {
  const full = absolute(call.machine, path);
  return full === undefined || isPattern(call, path) ? undefined : call.machine.reading?.look(full);
}

/** Notes that a file with unknown text runs. A missing one may be found elsewhere. */
export function noteUnread(call: Call, path: string, content: FileContent | undefined): void {
  const named = isPattern(call, path) ? 'a pattern names the script to run' : 'runs a script file';
  const reason = content?.kind === 'absent' ? 'the script to run is not there' : named;
  call.machine.note(unknown(reason, { runsFiles: true }));
}

function isPattern({ args }: Call, path: string): boolean {
  return args.some(({ text, glob }) => glob && text === path);
}
