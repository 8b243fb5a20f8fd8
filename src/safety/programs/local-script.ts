import { dirname } from 'node:path';
import { readCode } from '../code/read.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { runByFirstLine, runnerOf } from './first-line.ts';
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
