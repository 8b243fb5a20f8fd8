import { findProcess, hasLiving, signal } from './processes.ts';
import { Stopper } from './stop.ts';

/** A loop of short commands starts its next one this soon after one was killed, in ms; and how often it is tried. */
const NEXT_COMMAND = 60;
const TRIES = 5;

/**
 * How a command of the user's shell is stopped: aimed at the foreground job; a loop of the shell itself gets SIGINT twice
 * before the shell is killed for it. A job that has just ended by itself takes SIGINT with it, and a loop goes on: so the
 * shell gets it then, and with the harder means whatever the loop starts next.
 */
export function shellStopper(shell: () => number | undefined): Stopper {
  const send = (toJob: NodeJS.Signals, toShell: NodeJS.Signals) => () => {
    const pid = shell();
    if (pid === undefined) return;
    const foreground = findProcess(pid)?.foreground ?? -1;
    if (foreground > 1 && foreground !== pid && hasLiving(foreground)) signal(-foreground, toJob);
    else signal(pid, toShell);
  };
  const interrupt = send('SIGINT', 'SIGINT');
  const harder = (toJob: NodeJS.Signals, toShell: NodeJS.Signals) => () => {
    send(toJob, toShell)();
    for (let turn = 1; turn <= TRIES; turn += 1)
      setTimeout(() => stopper.underWay && interrupt(), turn * NEXT_COMMAND).unref();
  };
  const stopper = new Stopper([interrupt, harder('SIGTERM', 'SIGINT'), harder('SIGKILL', 'SIGKILL')]);
  return stopper;
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
