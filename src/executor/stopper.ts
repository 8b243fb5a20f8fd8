import {
  findProcess,
  groupMembers,
  groupProcesses,
  ignoresInterrupt,
  type ProcessEntry,
  processesOf,
  signal,
} from './processes.ts';

import { terminalModes } from './terminal-state.ts';

/** How long a command may take to go after each signal, in ms (EX-6). */
const STEP_TIMEOUT_MS = 2000;

/**
 * @param asked the user has asked just now; otherwise the means before it took too long
 * @returns `begun anew` where what it was meant for is gone, and something else was asked to end as with the first
 * means
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
 * process turns up in the group within this time (ms), SIGINT is sent once more; otherwise not, since a second one
 * means "at once" to many servers.
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
const STOP_RETRY_MS = 300;
const RESUME_MS = 20;

/**
 * Suspends a process group, and again until the result is called. A child that is stopped between vfork(2) and exec(2)
 * holds its parent, which then can't stop, and its shell never hears of it (dash starts every program so): both go on
 * for a breath before the next try.
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

// How a command of the user's shell is stopped: what was in front when the user asked for it gets SIGINT, SIGTERM,
// SIGKILL; the shell itself never more than SIGINT, and neither does what has come to the front since.

/** A loop of short commands starts its next one this soon after one was killed, in ms; and how often it is tried. */
const NEXT_COMMAND_MS = 60;
const MAX_TRIES = 5;

/** How often it is looked, every `STOP_RETRY_MS`, whether a Ctrl-Z has stopped what it was typed for. */
const MAX_LOOKS = 10;

/** The foreground job as it was when its end was asked for. */
type Target = {
  readonly group: number;
  /** Each process with its start time: a number may be given to another one. */
  readonly processes: ReadonlySet<string>;
  /** The shell has started it, not a program that runs in the shell. */
  readonly ofShell: boolean;
};

/** @param shell its process id, while there is one */
export function shellStopper(shell: () => number | undefined): Stopper {
  let target: Target | undefined;
  /** A SIGINT to a job that just ended is lost, and a loop would continue: so the shell gets it then. */
  const interrupt = () => {
    const pid = shell();
    if (pid === undefined) return;
    target = targetOf(pid);
    signal(target ? -target.group : pid, 'SIGINT');
  };
  /** The shell hears of it as well: a job that is being forked, or ends just now, takes the signal and tells nobody. */
  const interruptLoop = () => {
    interrupt();
    const pid = shell();
    if (target?.ofShell && pid !== undefined) signal(pid, 'SIGINT');
  };
  const interruptNext = () => {
    for (let turn = 1; turn <= MAX_TRIES; turn += 1)
      setTimeout(() => stopper.stopping && interruptLoop(), turn * NEXT_COMMAND_MS).unref();
  };
  const harder = (name: NodeJS.Signals) => (asked: boolean) => {
    const loops = target?.ofShell !== false;
    if (loops) interruptNext();
    if (target && isThere(target)) return signal(-target.group, name);
    // A program in front that has ended what was to be stopped (a shell in the shell) may do something else by now.
    if (asked || loops) interrupt();
    return asked ? 'begun anew' : undefined;
  };
  const stopper = new Stopper([interrupt, harder('SIGTERM'), harder('SIGKILL')]);
  return stopper;
}

function targetOf(shell: number): Target | undefined {
  const group = findProcess(shell)?.foreground ?? -1;
  if (group <= 1 || group === shell) return undefined;
  const members = groupProcesses(group).filter(isRunning);
  if (members.length === 0) return undefined;
  const ofShell = members.some(({ parent }) => parent === shell);
  return { group, processes: new Set(members.map(nameOf)), ofShell };
}

function isThere({ group, processes }: Target): boolean {
  return groupProcesses(group).some((member) => isRunning(member) && processes.has(nameOf(member)));
}

/** One that has ended stays in its group until its parent has looked. */
function isRunning({ state }: ProcessEntry): boolean {
  return state !== 'Z' && state !== 'X';
}

function nameOf({ pid, started }: ProcessEntry): string {
  return `${pid} ${started}`;
}

/**
 * Whether the program in front ignores SIGINT, on a terminal where Ctrl-C is no key like any other: then it does
 * nothing.
 */
export async function ignoresCtrlC(
  terminal: { readonly pid: number; readonly slave: string } | undefined,
): Promise<boolean> {
  if (!terminal) return false;
  const group = findProcess(terminal.pid)?.foreground ?? -1;
  if (group <= 1 || group === terminal.pid || !ignoresInterrupt(group)) return false;
  return (await terminalModes(terminal.slave)).lines;
}

/**
 * Behind a Ctrl-Z that was typed: where it has stopped a child between vfork(2) and exec(2), the rest of its group is
 * not stopped (see `suspendGroup`), and no further key would reach the child. So both go on for a breath, and it is
 * given once more. What takes Ctrl-Z for a key like any other is left alone.
 */
export class StopCompleter {
  /** How often each group was looked at since its last Ctrl-Z. */
  readonly #looks = new Map<number, number>();

  complete(shell: number): void {
    const front = () => findProcess(shell)?.foreground ?? -1;
    const group = front();
    if (group <= 1 || group === shell) return;
    // A key that is held down starts no more of them.
    const isLooked = this.#looks.has(group);
    this.#looks.set(group, 0);
    if (isLooked) return;
    const looking = setInterval(() => {
      const nth = (this.#looks.get(group) ?? 0) + 1;
      this.#looks.set(group, nth);
      if (front() !== group || nth > MAX_LOOKS) {
        this.#looks.delete(group);
        return clearInterval(looking);
      }
      if (!isHeldByChild(group)) return;
      signal(-group, 'SIGCONT');
      setTimeout(() => front() === group && signal(-group, 'SIGTSTP'), RESUME_MS).unref();
    }, STOP_RETRY_MS);
    looking.unref();
  }
}

/** A stopped child holds its parent, which waits for its exec(2) in a state that only SIGKILL ends. */
function isHeldByChild(group: number): boolean {
  const members = groupProcesses(group);
  const waiting = new Set(members.filter(({ state }) => state === 'D').map(({ pid }) => pid));
  return members.some(({ state, parent }) => state === 'T' && waiting.has(parent));
}
