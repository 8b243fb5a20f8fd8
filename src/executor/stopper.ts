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

/** Milliseconds for a command to end after each signal (EX-6). */
const STEP_TIMEOUT_MS = 2000;

/**
 * @param asked whether the user has just asked; otherwise the previous means timed out
 * @returns `begun anew` if the original target has ended and another one was asked to end, as with the first means
 */
type Means = (asked: boolean) => void | 'begun anew';

/** Stops something by increasingly hard means: the next one after a timeout, or when asked again. */
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

  /** Reports that the target has ended. */
  done(): void {
    clearTimeout(this.#timer);
    this.#next = 0;
  }
}

/**
 * Sends SIGINT to the terminal's foreground group, then SIGTERM, then SIGKILL to the whole session with its
 * descendants.
 */
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
      // Right after the fork it is still in this program's session, whose foreground is this program itself. Without
      // a terminal all of it is one group.
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
 * new process appears in the group within this time (ms), SIGINT is sent once more. Otherwise not, because many
 * servers take a second one as "at once".
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

/** A command that ignores SIGTSTP gets SIGSTOP after this time, and how long it runs before that. In ms. */
const STOP_RETRY_MS = 300;
const RESUME_MS = 20;

/**
 * Suspends a process group, repeatedly until the returned function is called. A child stopped between vfork(2) and
 * exec(2) blocks its parent, which then can't stop, and the shell never notices (dash starts every program like
 * that): both continue briefly before the next try.
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

// Stops a command of the user's shell: the foreground job at the time of the request gets SIGINT, SIGTERM, SIGKILL.
// The shell itself and later foreground jobs get only SIGINT.

/** A loop of short commands starts its next one within this many ms after a kill; and how often that is tried. */
const NEXT_COMMAND_MS = 60;
const MAX_TRIES = 5;

/** How often to check, every `STOP_RETRY_MS`, whether a Ctrl-Z has stopped its target. */
const MAX_LOOKS = 10;

/** The foreground job at the time its end was requested. */
type Target = {
  readonly group: number;
  /** The processes to end, each with its start time, because ids are reused. */
  readonly processes: ReadonlySet<string>;
  /** The shell started it, not a program inside the shell. */
  readonly ofShell: boolean;
};

/** @param shell returns its process id, while it has one */
export function shellStopper(shell: () => number | undefined): Stopper {
  let target: Target | undefined;
  /** SIGINT to a job that just ended is lost, and a loop would continue; in that case the shell gets the signal. */
  const interrupt = () => {
    const pid = shell();
    if (pid === undefined) return;
    target = targetOf(pid);
    signal(target ? -target.group : pid, 'SIGINT');
  };
  /** The shell gets it too: a job that is being forked or has just ended would swallow the signal. */
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
    // A foreground program that ended the target itself (a shell within the shell) may already do something else.
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

/** An ended process stays in its group until its parent reaps it. */
function isRunning({ state }: ProcessEntry): boolean {
  return state !== 'Z' && state !== 'X';
}

function nameOf({ pid, started }: ProcessEntry): string {
  return `${pid} ${started}`;
}

/** Whether the foreground program ignores SIGINT on a terminal where Ctrl-C sends it: then Ctrl-C does nothing. */
export async function ignoresCtrlC(
  terminal: { readonly pid: number; readonly slave: string } | undefined,
): Promise<boolean> {
  if (!terminal) return false;
  const group = findProcess(terminal.pid)?.foreground ?? -1;
  if (group <= 1 || group === terminal.pid || !ignoresInterrupt(group)) return false;
  return (await terminalModes(terminal.slave)).lines;
}

/**
 * Completes a typed Ctrl-Z. If it stopped a child between vfork(2) and exec(2), the rest of the group keeps running
 * (see `suspendGroup`), and no further key reaches the child. So both continue briefly and get the signal once more.
 * Programs that treat Ctrl-Z as an ordinary key are left alone.
 */
export class StopCompleter {
  /** How often each group was checked since its last Ctrl-Z. */
  readonly #looks = new Map<number, number>();

  complete(shell: number): void {
    const front = () => findProcess(shell)?.foreground ?? -1;
    const group = front();
    if (group <= 1 || group === shell) return;
    // A held key starts no more checks.
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

/** A stopped child blocks its parent, which waits for exec(2) in a state that only SIGKILL ends. */
function isHeldByChild(group: number): boolean {
  const members = groupProcesses(group);
  const waiting = new Set(members.filter(({ state }) => state === 'D').map(({ pid }) => pid));
  return members.some(({ state, parent }) => state === 'T' && waiting.has(parent));
}
