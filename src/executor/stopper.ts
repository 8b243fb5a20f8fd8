import { findProcess, groupMembers, processesOf, signal } from './processes.ts';

/** How long a command may take to go after each signal, in ms (EX-6). */
const STEP_TIMEOUT_MS = 2000;

/**
 * @param asked the user has asked just now; otherwise the means before it took too long
 * @returns `begun anew` where what it was meant for is gone, and something else was asked to end as with the first means
 */
type Means = (asked: boolean) => void | 'begun anew';

/** Stops something by ever harder means: the next one when patience runs out, or when asked again. */
export class Stopper {
  readonly #means: readonly Means[];
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(means: readonly Means[]) {
    this.#means = means;
  }

  get stopping(): boolean {
    return this.#next > 0;
  }

  stop(): void {
    this.#use(true);
  }

  #use(asked: boolean): void {
    clearTimeout(this.#timer);
    const means = this.#means[this.#next] ?? this.#means.at(-1);
    this.#next += 1;
    if (means?.(asked) === 'begun anew') this.#next = 1;
    if (this.#next >= this.#means.length) return;
    this.#timer = setTimeout(() => this.#use(false), STEP_TIMEOUT_MS);
    this.#timer.unref();
  }

  /** It has gone. */
  done(): void {
    clearTimeout(this.#timer);
    this.#next = 0;
  }
}

/** SIGINT to the terminal's foreground group; then SIGTERM, then SIGKILL to the whole session and its descendants. */
export function sessionStopper(leader: () => number | undefined): Stopper {
  const all = (name: NodeJS.Signals) => () => {
    const pid = leader();
    if (pid !== undefined) for (const member of processesOf(pid)) signal(member, name);
  };
  return new Stopper([
    () => {
      const pid = leader();
      if (pid === undefined) return;
      const found = findProcess(pid);
      // Just forked, it is in the program's own session still, and that terminal's foreground is the program. Without a
      // terminal all of it is one group.
      const foreground = found?.session !== pid ? -1 : found.foreground > 1 ? found.foreground : pid;
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

/** After this a command that ignores SIGTSTP is stopped with SIGSTOP; and how long it is resumed before that. Ms. */
export const STOP_RETRY_MS = 300;
export const RESUME_MS = 20;

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
