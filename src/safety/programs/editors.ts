import { readCode } from '../code/read.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { harmless, type StaticVerdict, unknown } from '../verdict.ts';
import { type Call, forAll, type Handlers } from './call.ts';
import { runCode } from './code.ts';

import { editsInPlace } from './overwriting.ts';
import { overwrite } from './paths.ts';

/** Editors driven from the command line; an editor opened for the person is only a session. */
export const EDITORS: Handlers = {
  vim(call) {
    if (asksVersion(call)) return UNKNOWN;
    const commands = vimCommands(call);
    for (const command of commands) readVim(call, command);
    if (call.value('-S') !== undefined) call.machine.note(unknown('runs an editor script', { runsFiles: true }));
    call.machine.note(commands.length === 0 ? session(call) : unknown('editor commands'));
    return UNKNOWN;
  },
  ...forAll('emacs emacsclient', (call) => {
    if (asksVersion(call)) return UNKNOWN;
    const words = call.args.map((field) => field.text);
    for (const [index, word] of words.entries()) {
      const code = /^-?-eval=([\s\S]+)$/.exec(word)?.[1] ?? (/^-?-e(val)?$/.test(word) ? words[index + 1] : undefined);
      if (code !== undefined) readCode(call.machine, 'emacs', code);
      if (/^-?-funcall$|^-f$/.test(word) && /delete|save-buffer|kill/.test(words[index + 1] ?? '')) {
        call.machine.note(editsInPlace(call, 'editor script', []));
      }
    }
    call.machine.note(unknown('an editor session'));
    return UNKNOWN;
  }),
  ...forAll('nano pico micro helix hx kak joe code subl gedit kate mcedit ne jed mg', (call) => {
    if (asksVersion(call) || (call.program === 'code' && call.has('--list-extensions'))) return UNKNOWN;
    call.machine.note(/^(nano|pico)$/.test(call.program) ? session(call) : unknown('an editor session'));
    return UNKNOWN;
  }),
};

/** Opened on files by their names, with nothing that types: all that follows is done by the person. */
function session({ args, io }: Call): StaticVerdict {
  const plain = args.length > 0 && args.every(({ text }) => /^[\w./][\w./ -]*$/.test(text));
  return plain && io.stdin === undefined ? harmless('opens an editor for the person') : unknown('an editor session');
}

function asksVersion(call: Call): boolean {
  return call.args.length === 1 && /^--?(version|help)$/.test(call.args[0]?.text ?? '');
}

function vimCommands(call: Call): string[] {
  const out = [...(call.options.values.get('-c') ?? []), ...(call.options.values.get('--cmd') ?? [])];
  for (const field of call.args) {
    if (
      field.text.startsWith('+') &&
      field.text.length > 1 &&
      !/^\+\d*$/.test(field.text) &&
      !field.text.startsWith('+/')
    )
      out.push(field.text.slice(1));
  }
  for (const [index, field] of call.args.entries()) {
    if (/^-[a-zA-Z]+c$/.test(field.text)) out.push(call.args[index + 1]?.text ?? '');
  }
  if (call.has('-s') && call.io.stdin !== undefined)
    out.push(...call.io.stdin.split('\n').filter((line) => line.trim() !== ''));
  return out;
}

function readVim(call: Call, typed: string): void {
  const command = typed.replace(/^\s*:+/, '');
  const { machine } = call;
  const files = call.operands.map((operand) => operand.text);
  const shell =
    /(?:^|\|)\s*(?:silent!?\s+)?(?:(?:%|\d+(?:,\d+)?|'<,'>)?!|r(?:ead)?\s*!|terminal\s+|w(?:rite)?\s+!)([\s\S]+)$/.exec(
      command,
    );
  if (shell) runCode(machine, shell[1] ?? '', { stdin: UNKNOWN });
  const system = /\bsystem(?:list)?\s*\(\s*(['"])([\s\S]*?)\1/.exec(command);
  if (system) runCode(machine, system[2] ?? '');
  if (/\bdelete\s*\(/.test(command)) machine.note(editsInPlace(call, 'editor script', []));
  if (/^\s*(?:lua|py3?|python3?|perl|ruby)\s/.test(command))
    readCode(machine, command.trim().startsWith('lua') ? 'lua' : 'python', command.replace(/^\s*\w+\s+/, ''));
  const elsewhere = /(?:^|\|)\s*(?:w|write|saveas|sav)!?\s+([^\s|!][^|]*)$/.exec(command)?.[1];
  if (elsewhere !== undefined)
    call.machine.note(overwrite(call.machine, elsewhere.trim(), 'editor script', 'overwrites a file'));
  const writes =
    /(?:^|\||\s)(?:silent!?\s+)?(?:\d*,?\$?|%)?(w|wq|x|xa|wa|wqa|wqall|xall|update|up|write|exit|xit|saveas|sav|argdo\s+update|bufdo\s+\w+|ZZ)!?(?=\s|$|\||"|')/.test(
      command,
    );
  if (writes && !shell) machine.note(editsInPlace(call, 'editor script', files));
  else if (/^\s*(q|qa|quit|qall|cq)!?\s*$|^\s*(set|syntax|echo|version|normal\s+G|\d+)\b/.test(command))
    machine.note(harmless());
}

/** What stands behind the `+` of a pager is typed there: these only say where to begin. */
const MOVES = /^\+\+?(\d*[gGpF%]?|[/?][^\n\r]*)$/;

/** Debuggers, signals and pagers. */
export const SESSIONS: Handlers = {
  gdb(call) {
    const texts = [
      ...call.args
        .filter((_, index) => /^-?-e(x|val-command)$/.test(call.args[index - 1]?.text ?? ''))
        .map((field) => field.text),
      ...(call.io.stdin ?? '').split('\n'),
    ];
    for (const text of texts) {
      const code = /^\s*(?:shell|!|pipe\s+[^|]*\|)\s*([\s\S]+)$/.exec(text)?.[1];
      if (code !== undefined) runCode(call.machine, code);
    }
    call.machine.note(unknown('a debugger'));
    return UNKNOWN;
  },
  ...forAll('kill pkill killall', (call) => {
    const gentle =
      call.args.some(
        (field, index) =>
          (index === 0 || call.args[0]?.text !== '--') && /^-(SIG)?(USR1|USR2|HUP|1|10|12)$/.test(field.text),
      ) || /^(SIG)?(USR1|USR2|HUP|1|10|12)$/.test(call.value('-s', '--signal') ?? '');
    if (gentle) call.machine.note(unknown('sends a signal that some programs end at'));
    return UNKNOWN;
  }),
  ...forAll('less more man most', (call) => {
    for (const { text } of call.args) {
      if (text.startsWith('+!')) runCode(call.machine, text.slice(2));
      else if (text.startsWith('+') && !MOVES.test(text))
        call.machine.note(unknown(`types ${text.slice(1)} into the pager`));
    }
    return undefined;
  }),
};
