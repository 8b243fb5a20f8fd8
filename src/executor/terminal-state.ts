/**
 * Examines a terminal from outside: which program reads it, its input modes, and whether a command waits for its
 * user.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { visible } from '../text/sanitize.ts';
import { findProcess, type ProcessEntry } from './processes.ts';

/** The number of the read(2) system call. Source: the kernel's syscall tables. */
const READ: Readonly<Record<string, string>> = { x64: '0', arm64: '63', riscv64: '63', loong64: '63' };
/** System calls with the same number everywhere: io_uring_enter and epoll_pwait2. */
const NEWER_POLL = ['426', '441'];
/** The numbers of poll, select, pselect6, ppoll, epoll_wait, epoll_pwait and readv. */
const POLL: Readonly<Record<string, readonly string[]>> = {
  x64: ['7', '23', '270', '271', '232', '281', '19', ...NEWER_POLL],
  arm64: ['72', '73', '22', '65', ...NEWER_POLL],
  riscv64: ['72', '73', '22', '65', ...NEWER_POLL],
  loong64: ['72', '73', '22', '65', ...NEWER_POLL],
};

/** Whether this machine shows which process reads a terminal. */
export const seesReaders = process.platform === 'linux' && POLL[process.arch] !== undefined;

/** Shells use descriptors below this for their commands. */
const MIN_OWN_FD = 10;

/** The states of a zombie or an ending process. Source: proc_pid_stat(5). */
const ENDED = /[ZX]/;

/** The maximum number of inspected processes; a foreground group is a pipeline, not a server farm. */
const MAX_PROCESSES = 64;
/** The maximum number of inspected threads of a process; a JVM starts some thirty. */
const MAX_THREADS = 256;

/**
 * Lists the foreground processes of `leader`'s terminal. It descends from the leader, which is cheaper than a scan of
 * all processes.
 */
function foreground(leader: number): readonly ProcessEntry[] {
  const group = findProcess(leader)?.foreground ?? -1;
  if (group <= 0) return [];
  const found: ProcessEntry[] = [];
  const open = [leader];
  for (
    let pid = open.shift(), looked = 0;
    pid !== undefined && looked < MAX_PROCESSES;
    pid = open.shift(), looked += 1
  ) {
    const entry = findProcess(pid);
    if (entry?.group === group) found.push(entry);
    open.push(...childrenOf(pid));
  }
  return found;
}

function childrenOf(pid: number): readonly number[] {
  return (read(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The program that reads a terminal now, if visible, else the foreground program. */
export type ForegroundReader = {
  readonly name?: string;
  readonly reads: boolean;
  /** Whether the program is a nested or remote shell, whose commands can’t be distinguished. */
  readonly isShell: boolean;
};

/** Shells, and programs that lead to a remote one. */
const SHELLS: ReadonlySet<string> = new Set('bash zsh fish sh dash ksh mksh ash tcsh nu xonsh'.split(' '));
const LEADS_TO_SHELL: ReadonlySet<string> = new Set([
  'ssh',
  'mosh-client',
  'su',
  'telnet',
  'docker',
  'podman',
  'kubectl',
]);

/** A shell that runs neither a script nor `-c`. */
function isShell({ pid, name }: ProcessEntry): boolean {
  if (LEADS_TO_SHELL.has(name)) return true;
  if (!SHELLS.has(name)) return false;
  const words = (read(`/proc/${pid}/cmdline`) ?? '').split('\0').slice(1, -1);
  if (words.some((word) => /^-[a-z]*c/.test(word))) return false;
  return words.some((word) => /^-[a-z]*i/.test(word)) || words.every((word) => word.startsWith('-'));
}

/**
 * Finds the program that reads the terminal at `slave`, whose session `leader` started. A program reads if it is in
 * read(2) on that terminal, according to `/proc/<pid>/syscall` (proc_pid_syscall(5)). That file is readable only with
 * ptrace permission, so not for other users' programs (sudo). A program that waits with poll(2) does not count as
 * reading. False without /proc.
 */
function foregroundReader(leader: number, slave: string): ForegroundReader {
  const members = foreground(leader);
  const reader = members.find(({ pid }) => threadsOf(pid).some((thread) => readsFrom(thread, slave)));
  const front = reader ?? members.at(-1);
  const nested = front !== undefined && front.pid !== leader && isShell(front);
  return { ...(front === undefined ? {} : { name: front.name }), reads: reader !== undefined, isShell: nested };
}

/**
 * Whether the shell `pid` is in the foreground of `slave` and waits in its line editor. Undefined while it works; true
 * if that can't be determined.
 * @param edits it has a line editor; without one, the foreground alone counts
 */
export function waitsForLine(pid: number, slave: string, edits = true): boolean | undefined {
  if (process.platform !== 'linux') return true;
  const entry = findProcess(pid);
  if (!entry || entry.foreground !== entry.group) return false;
  if (!edits) return true;
  const [call, fd] = (read(`/proc/${pid}/syscall`) ?? '').split(' ');
  if (call === '' || POLL[process.arch] === undefined) return true;
  // An editor reads its own descriptor or polls; the shell's `read` command reads descriptor 0.
  const waits = isPoll(call) || (Number(fd) >= MIN_OWN_FD && readsFrom(pid, slave));
  return waits || undefined;
}

/**
 * Whether a foreground program waits for input, or may, as far as visible.
 * @param shell the leader is a shell, which counts only in its `read` command, not in its line editor
 */
export function anyoneReads(leader: number, slave: string, shell: boolean): boolean {
  return foreground(leader).some(({ pid }) =>
    threadsOf(pid).some((thread) => {
      const [call, fd] = read(`/proc/${thread}/syscall`)?.split(' ') ?? [];
      if (POLL[process.arch] === undefined) return true;
      // Another user's process is invisible and may read; an ended one does not.
      if (call === undefined) return thread === `${pid}/task/${pid}` && isRunning(pid);
      const reads = readsFrom(thread, slave);
      return shell && pid === leader ? reads && Number(fd) < MIN_OWN_FD : reads || isPoll(call);
    }),
  );
}

/** The threads of a process as paths below `/proc`: JVM, Go and .NET programs rarely read in the first one. */
function threadsOf(pid: number): readonly string[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).slice(0, MAX_THREADS);
    return threads.map((thread) => `${pid}/task/${thread}`);
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  const state = findProcess(pid)?.state;
  return state !== undefined && !ENDED.test(state);
}

function isPoll(call: string | undefined): boolean {
  return call !== undefined && (POLL[process.arch] ?? []).includes(call);
}

/** @param task a process or one of its threads, as a path below `/proc` */
function readsFrom(task: number | string, slave: string): boolean {
  const [call, fd] = (read(`/proc/${task}/syscall`) ?? '').split(' ');
  if (call === undefined || fd === undefined || call !== READ[process.arch]) return false;
  try {
    const path = readlinkSync(`/proc/${task}/fd/${Number(fd)}`);
    return path === slave || path === '/dev/tty';
  } catch {
    return false;
  }
}

/** The input modes of a terminal. `lines`: the kernel edits whole lines (icanon). */
export type TerminalModes = { readonly echo: boolean; readonly lines: boolean };

const ORDINARY: TerminalModes = { echo: true, lines: true };

/**
 * Reads the modes of the terminal at `slave` (`/dev/pts/N`). getpass(3), sudo, ssh and `read -s` ask for a secret
 * with echo off while the kernel still edits lines; editors and REPLs turn both off. Node can't read termios, so this
 * runs `stty` (some 2 ms, asynchronously): never once per key. Unknown counts as ordinary.
 */
export function terminalModes(slave: string): Promise<TerminalModes> {
  let terminal: number;
  try {
    terminal = openSync(slave, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch {
    return Promise.resolve(ORDINARY);
  }
  return new Promise((resolve) => {
    let modes = '';
    const stty = spawn('stty', ['-a'], {
      stdio: [terminal, 'pipe', 'ignore'],
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    });
    closeSync(terminal);
    stty.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
      modes += chunk;
    });
    const isOff = (mode: string) => new RegExp(`(?:^|\\s)-${mode}(?:\\s|;|$)`).test(modes);
    stty.once('error', () => resolve(ORDINARY));
    stty.once('close', () => resolve({ echo: !isOff('echo'), lines: !isOff('icanon') }));
  });
}

/** How a program currently uses the keyboard. */
type InputState = {
  /** The program waits for input. */
  readonly asks: boolean;
  /** Echo is off: the input is a password. */
  readonly echoOff: boolean;
  /** Whether the program is a nested shell. */
  readonly isShell: boolean;
  /** The program's name, if known; harmless text. */
  readonly name?: string;
};

const NOTHING: InputState = { asks: false, echoOff: false, isShell: false };

/**
 * Delays of silence before each check, in ms: soon after a question, later for programs that ask without text or
 * after a while. The last one repeats.
 */
const POLL_DELAYS_MS = [40, 250, 1000, 2000] as const;

type InputDetectorOptions = {
  readonly leader: () => number;
  /** The path of the terminal's slave side. */
  readonly slave: () => string;
  /** The text left of the cursor. */
  readonly promptText: () => string;
  /** A full-screen program draws; in the foreground it owns the terminal anyway. */
  readonly fullScreen: () => boolean;
  /** The command is in the background: a full-screen program waits for the user to bring it to the front. */
  readonly behind?: boolean;
  /** Whether there is no terminal to ask in. */
  readonly pipe: boolean;
  /** The terminal is remote: readers are invisible, and only this function returns its modes. */
  readonly modes?: () => Promise<TerminalModes>;
  readonly onChange: () => void;
};

/** Detects whether a running command waits for its user. Only a silent command can be waiting. */
export class InputDetector {
  readonly #options: InputDetectorOptions;
  #timer: NodeJS.Timeout | undefined;
  #look = 0;
  #stirs = 0;
  #ended = false;
  state: InputState = NOTHING;

  constructor(options: InputDetectorOptions) {
    this.#options = options;
  }

  /** Output or keys arrived: start again. */
  activity(): void {
    if (this.#ended || this.#options.pipe) return;
    this.#stirs += 1;
    if (this.#timer && this.#look === 0) {
      this.#timer.refresh();
      return;
    }
    this.#look = 0;
    this.#wait();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.state = NOTHING;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const delay = POLL_DELAYS_MS[Math.min(this.#look, POLL_DELAYS_MS.length - 1)];
    this.#timer = setTimeout(() => void this.#lookNow(), delay);
    this.#timer.unref();
  }

  async #lookNow(): Promise<void> {
    const stirs = this.#stirs;
    const before = this.state;
    const next = await this.#find(this.#look);
    // Something has happened since, and that event has its own check.
    if (this.#ended || this.#stirs !== stirs) return;
    this.#look += 1;
    this.#wait();
    if (
      next.asks === before.asks &&
      next.echoOff === before.echoOff &&
      next.name === before.name &&
      next.isShell === before.isShell
    )
      return;
    this.state = next;
    this.#options.onChange();
  }

  async #find(look: number): Promise<InputState> {
    const { leader, slave, promptText, fullScreen } = this.#options;
    const { behind, modes } = this.#options;
    if (fullScreen() && !behind) return NOTHING;
    if (modes) return farState(await modes(), promptText() !== '' && look > 0);
    const holder = foregroundReader(leader(), slave());
    if (fullScreen()) return { ...NOTHING, asks: true, ...named(holder) };
    const prompted = promptText() !== '';
    // `stty` costs a process: without a sign of a question run it only at the second and third check.
    const worthIt = prompted || holder.reads || this.state.asks || look === 1 || look === 2;
    if (!worthIt) return NOTHING;
    const { echo, lines } = await terminalModes(slave());
    const echoOff = !echo && lines;
    // A program that reads single keys waits with poll(2): its text counts as a question once it stays.
    const asks = echoOff || holder.reads || (!lines && prompted && look > 0);
    const isShell = asks && !echoOff && holder.isShell;
    return { asks, echoOff, isShell, ...(asks ? named(holder) : {}) };
  }
}

function named({ name }: ForegroundReader) {
  return name === undefined ? {} : { name: visible(name) };
}

/** @param prompted the cursor has been after a text for a while */
function farState({ echo, lines }: TerminalModes, prompted: boolean): InputState {
  const echoOff = !echo && lines;
  return { asks: echoOff || prompted, echoOff, isShell: false };
}
