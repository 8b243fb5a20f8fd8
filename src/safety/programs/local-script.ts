import { dirname } from 'node:path';
import { readCode } from '../code/read.ts';
import { plain } from '../shell/machine.ts';
import { hasUnknown, UNKNOWN } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { absolute } from './paths.ts';
import { runScriptFile } from './shells.ts';
import { lookAtScript, noteUnread } from './unread.ts';

/** A file whose text the same command wrote. */
export function runWritten(call: Call, path: string, text: string): string {
  const { machine, io } = call;
  const argv = call.args.map((field) => field.text);
  const runner = runnerOf(text);
  if (runner === 'shell') return runScriptFile(call, path, argv, io);
  if (runner === 'another') return runByFirstLine(call, path, text);
  readCode(machine, 'python', text, { argv, file: path, stdin: io.stdin });
  return UNKNOWN;
}

/** `./FILE`: judged by its text, in the language that its first line says; without one the shell runs it itself. */
export function runLocalScript(call: Call, path: string): string {
  const { machine } = call;
  const full = absolute(machine, path);
  const content = lookAtScript(call, path);
  const argv = call.args.map((field) => field.text);
  if (content?.kind === 'absent' && full !== undefined && machine.reading?.look(dirname(full))?.kind === 'directory')
    // The kernel looks nowhere else: nothing runs, as long as the file stays missing.
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

/** First lines after which a file is shell code, or Python. */
const SHELL = /^#!\s*(?:\/usr)?(?:\/local)?\/bin\/(?:env\s+)?(?:ba|da)?sh(?:\s+-[eu]+)*\s*$/;
const PYTHON = /^#!\s*(?:\/usr)?(?:\/local)?\/bin\/(?:env\s+)?python[\d.]*(?:\s+-[uBOsE]+)*\s*$/;

/** What runs a file: a shell (also one without such a line), Python, or the command that its first line is. */
type Runner = 'shell' | 'python' | 'another';

function runnerOf(text: string): Runner {
  const end = text.indexOf('\n');
  const first = end < 0 ? text : text.slice(0, end);
  if (!first.startsWith('#!') || SHELL.test(first)) return 'shell';
  return PYTHON.test(first) ? 'python' : 'another';
}

/**
 * A first line such as `#!/usr/bin/sed -f` is a command of its own: the kernel runs it with the file, and the words after
 * that, behind it.
 */
function runByFirstLine({ machine, args, io }: Call, path: string, text: string): string {
  const [first = ''] = text.split('\n', 1);
  const [, program = '', option = ''] = /^#!\s*(\S+)\s*(.*?)\s*$/.exec(first) ?? [];
  if (program === '' || hasUnknown(first)) {
    machine.note(unknown('a first line that is not known', { unresolved: true, runsFiles: true }));
    return '';
  }
  // The kernel gives it one word, other systems several; `env` takes none with a blank.
  const own =
    option === '' ? [] : /(^|\/)env$/.test(program) && option.startsWith('-') ? [option] : option.split(/\s+/);
  return machine.runFields([program, ...own, path].map(plain).concat(args), io);
}
