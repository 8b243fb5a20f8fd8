import { findProcess, signal } from './processes.ts';

/**
 * How a command of the user's shell is stopped: aimed at the foreground job; a loop of the shell itself gets SIGINT twice
 * before the shell is killed for it.
 */
export function shellStops(shell: () => number | undefined): (() => void)[] {
  const send = (toJob: NodeJS.Signals, toShell: NodeJS.Signals) => () => {
    const pid = shell();
    if (pid === undefined) return;
    const foreground = findProcess(pid)?.foreground ?? -1;
    if (foreground > 1 && foreground !== pid) signal(-foreground, toJob);
    else signal(pid, toShell);
  };
  return [send('SIGINT', 'SIGINT'), send('SIGTERM', 'SIGINT'), send('SIGKILL', 'SIGKILL')];
}

/** A command that does not heed SIGTSTP is stopped all the same after this; and the breath it is given before. Ms. */
const STOP_PATIENCE = 300;
const BREATH = 20;

/**
 * Suspends a process group, and again until the result is called. A child that is stopped between vfork(2) and exec(2)
 * holds its parent, which then can't stop, and its shell never hears of it (dash starts every program so): both go on for
 * a breath before the next try.
 */
export function stopGroup(group: number): () => void {
  let breath: NodeJS.Timeout | undefined;
  signal(-group, 'SIGTSTP');
  const again = setInterval(() => {
    signal(-group, 'SIGCONT');
    breath = setTimeout(() => signal(-group, 'SIGSTOP'), BREATH);
  }, STOP_PATIENCE);
  return () => {
    clearInterval(again);
    clearTimeout(breath);
  };
}
