import { findProcess, groupMembers, hasLiving, processesOf, signal } from './processes.ts';

/** How long a command may take to go after each signal, in ms (EX-6). */
const STEP_TIMEOUT_MS = 2000;

/** Stops something by ever harder means: the next one when patience runs out, or when asked again. */
export class Stopper {
  readonly #means: readonly (() => void)[];
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(means: readonly (() => void)[]) {
    this.#means = means;
  }

  get stopping(): boolean {
    return this.#next > 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
    const means = this.#means[this.#next] ?? this.#means.at(-1);
    this.#next += 1;
    means?.();
    if (this.#next >= this.#means.length) return;
    this.#timer = setTimeout(() => this.stop(), STEP_TIMEOUT_MS);
    this.#timer.unref();
  }

  /** It has gone. */
  done(): void {
    clearTimeout(this.#timer);
    this.#next = 0;
  }
}

/** SIGINT to what has the terminal; then SIGTERM, then SIGKILL to the whole session and its descendants. */
export function sessionStopper(leader: () => number | undefined): Stopper {
  const all = (name: NodeJS.Signals) => () => {
    const pid = leader();
    if (pid !== undefined) for (const member of processesOf(pid)) signal(member, name);
  };
  return new Stopper([
    () => {
      const pid = leader();
      if (pid === undefined) return;
      const foreground = findProcess(pid)?.foreground ?? -1;
      if (foreground > 1) interruptGroup(foreground);
      else signal(pid, 'SIGINT');
    },
    all('SIGTERM'),
    all('SIGKILL'),
  ]);
}

/**
 * A bash that is just forking loses SIGINT: the child still has bash's handler, and bash waits for the child. If a
 * process turns up in the group within this time (ms), SIGINT is sent once more; otherwise not, since a second one means
 * "at once" to many servers.
 */
const FORK_WINDOW_MS = 60;

function interruptGroup(group: number): void {
  const before = groupMembers(group);
  signal(-group, 'SIGINT');
  const again = setTimeout(() => {
    if ([...groupMembers(group)].some((member) => !before.has(member))) signal(-group, 'SIGINT');
  }, FORK_WINDOW_MS);
  again.unref();
}

/** A loop of short commands starts its next one this soon after one was killed, in ms; and how often it is tried. */
const NEXT_COMMAND_MS = 60;
const MAX_TRIES = 5;

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
    for (let turn = 1; turn <= MAX_TRIES; turn += 1)
      setTimeout(() => stopper.stopping && interrupt(), turn * NEXT_COMMAND_MS).unref();
  };
  const stopper = new Stopper([interrupt, harder('SIGTERM', 'SIGINT'), harder('SIGKILL', 'SIGKILL')]);
  return stopper;
}

/** After this a command that ignores SIGTSTP is stopped with SIGSTOP; and how long it is resumed before that. Ms. */
const STOP_RETRY_MS = 300;
const RESUME_MS = 20;

/**
 * Suspends a process group, and again until the result is called. A child that is stopped between vfork(2) and exec(2)
 * holds its parent, which then can't stop, and its shell never hears of it (dash starts every program so): both go on for
 * a breath before the next try.
 */
export function suspendGroup(group: number): () => void {
  let breath: NodeJS.Timeout | undefined;
  signal(-group, 'SIGTSTP');
  const again = setInterval(() => {
    signal(-group, 'SIGCONT');
    breath = setTimeout(() => signal(-group, 'SIGSTOP'), RESUME_MS);
  }, STOP_RETRY_MS);
  return () => {
    clearInterval(again);
    clearTimeout(breath);
  };
}
