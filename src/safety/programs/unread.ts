import type { FileContent } from '../reading.ts';
import { unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { absolute } from './paths.ts';

/** The script that a call runs; undefined: a pattern names it, nothing may be read, or it is not read yet. */
export function lookAtScript(call: Call, path: string): FileContent | undefined {
  const full = absolute(call.machine, path);
  return full === undefined || isPattern(call, path) ? undefined : call.machine.reading?.look(full);
}

/** Notes that a file is run whose text is not known. One that is not there may be found elsewhere. */
export function noteUnread(call: Call, path: string, content: FileContent | undefined): void {
  const named = isPattern(call, path) ? 'a pattern names the script to run' : 'runs a script file';
  const reason = content?.kind === 'absent' ? 'the script to run is not there' : named;
  call.machine.note(unknown(reason, { runsFiles: true }));
}

function isPattern({ args }: Call, path: string): boolean {
  return args.some(({ text, glob }) => glob && text === path);
}
