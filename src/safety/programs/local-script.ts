import { readCode } from '../code/read.ts';
import { UNKNOWN } from '../shell/taint.ts';
import { unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { absolute } from './paths.ts';
import { runScriptFile } from './shells.ts';
import { noteUnread } from './unread.ts';

/** First lines after which a file is shell code, or Python. */
const SHELL = /^#!\s*(?:\/usr)?(?:\/local)?\/bin\/(?:env\s+)?(?:ba|da)?sh(?:\s+-[eux]+)*\s*$/;
const PYTHON = /^#!\s*(?:\/usr)?(?:\/local)?\/bin\/(?:env\s+)?python[\d.]*(?:\s+-[uBOsE]+)*\s*$/;

/** `./FILE`: judged by its text, in the language that its first line says; without one the shell runs it itself. */
export function runLocalScript(call: Call, path: string): string {
  const { machine } = call;
  const full = absolute(machine, path);
  const content = full === undefined ? undefined : machine.reading?.look(full);
  const argv = call.args.map((field) => field.text);
  if (content?.kind === 'absent') noteUnread(call, path, content);
  else if (content?.kind !== 'text' || full === undefined)
    machine.note(unknown('runs a file of the project', { runsFiles: true }));
  else {
    const { text } = content;
    const first = text.slice(0, Math.max(0, text.indexOf('\n')));
    if (SHELL.test(first) || !text.startsWith('#!')) return runScriptFile(call, path, argv, call.io);
    const run = () => readCode(machine, 'python', text, { argv, file: path, stdin: call.io.stdin });
    if (!PYTHON.test(first)) machine.note(unknown('runs a file of the project', { runsFiles: true }));
    else if (machine.reading?.within(full, () => run() ?? true) === undefined) noteUnread(call, path, content);
  }
  return UNKNOWN;
}
