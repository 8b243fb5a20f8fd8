import { UNKNOWN } from '../shell/taint.ts';
import { harmless, unknown } from '../verdict.ts';
import { forAll, type Handlers } from './call.ts';
import { runCode } from './code.ts';
import { deletesOnlyOwn, endsOnlyOwn } from './ownership.ts';

/** Jobs for later: what they will run is judged now. */
export const SCHEDULED: Handlers = {
  ...forAll('at batch', (call) => {
    if (call.has('-l', '-c', '-V')) return UNKNOWN;
    if (call.has('-d', '-r')) return undefined;
    if (call.io.stdin !== undefined) runCode(call.machine, call.io.stdin);
    else call.machine.note(unknown('schedules what is typed or in a file', { runsFiles: true }));
    return UNKNOWN;
  }),
  crontab(call) {
    const { stdin } = call.io;
    if (call.has('-l')) return UNKNOWN;
    if (call.has('-e')) call.machine.note(unknown('an editor session'));
    for (const line of (stdin ?? '').split('\n')) {
      const code = /^\s*(?:@\w+|(?:\S+\s+){5})(\S[\s\S]*)$/.exec(line)?.[1];
      if (code !== undefined) runCode(call.machine, code);
    }
    return undefined;
  },
};

/** Deleting what was made by the model itself loses nothing; everything else the rules say. */
export const DELETING: Handlers = forAll('rm unlink', (call) => {
  if (!deletesOnlyOwn(call)) return undefined;
  call.machine.note(harmless('deletes only what was made in this session'));
  return UNKNOWN;
});

/** Ending a process that the same command has started is its own matter. */
export const ENDING: Handlers = forAll('kill', (call) => {
  if (!endsOnlyOwn(call)) return undefined;
  call.machine.note(harmless('ends only what the command itself has started'));
  return UNKNOWN;
});
