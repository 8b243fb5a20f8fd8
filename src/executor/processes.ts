import { execFileSync } from 'node:child_process';
import { accessSync, constants, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { ShellJob } from '../contracts/commands.ts';

/** A process, or undefined when it is gone. */
export function findProcess(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform === 'linux' ? undefined : processesByPs().find((entry) => entry.pid === pid);
  }
}

function parseStat(stat: string): ProcessEntry {
  // The name in parentheses may hold anything, blanks and parentheses too.
  const [pid] = stat.split(' ', 1);
  const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [parent = 0, group = 0, session = 0, , foreground = -1] = rest.map(Number);
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  const started = Number(rest[18] ?? 0);
  return { pid: Number(pid), name, state, parent, group, session, foreground, started };
}

function allProcesses(): readonly ProcessEntry[] {
  if (process.platform !== 'linux') return processesByPs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => findProcess(Number(name)) ?? []);
}

/** Every process of the terminal session that `leader` started, and every descendant of it, itself first. */
export function processesOf(leader: number): number[] {
  const all = allProcesses();
  const found = new Set<number>([leader]);
  for (let grew = true; grew; ) {
    grew = false;
    for (const { pid, parent, session } of all) {
      if (found.has(pid) || (session !== leader && !found.has(parent))) continue;
      found.add(pid);
      grew = true;
    }
  }
  return [...found];
}

/** The process groups of the terminal that `leader` leads, but for its own and the one in the foreground. */
export function backgroundOf(leader: number): readonly ShellJob[] {
  const groups = new Map<number, ShellJob>();
  for (const { pid, name, state, group, session, foreground } of allProcesses()) {
    if (session !== leader || group === leader || group === foreground || state === 'Z') continue;
    if (groups.has(group) && pid !== group) continue;
    groups.set(group, { group, command: commandLineOf(pid) ?? name, stopped: state === 'T' });
  }
  return [...groups.values()];
}

/** What a process runs, as far as it can be seen: `exec` changes it. */
export function commandLineOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** What a process group consists of: each process with its name, which changes when it becomes another program. */
export function groupMembers(group: number): ReadonlySet<string> {
  return new Set(groupProcesses(group).map(({ pid, name }) => `${pid} ${name}`));
}

export function groupProcesses(group: number): readonly ProcessEntry[] {
  return allProcesses().filter((entry) => entry.group === group);
}

/** Whether every process of a group ignores SIGINT, as far as the kernel tells (proc_pid_status(5)). */
export function ignoresInterrupt(group: number): boolean {
  const members = groupProcesses(group).filter(({ state }) => state !== 'Z');
  return members.length > 0 && members.every(({ pid }) => ignoredSignals(pid) & SIGINT_BIT);
}

const SIGINT_BIT = 1 << 1;

/** The lowest 32 of them as bits; none where that is not to be seen. */
function ignoredSignals(pid: number): number {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    return Number.parseInt(mask.slice(-8), 16);
  } catch {
    return 0;
  }
}

/** The working directory of a process as the kernel knows it, where it can be read. */
export function directoryOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return process.platform === 'linux' ? undefined : directoryByLsof(pid);
  }
}

/** Whether a process, or with a negative number any of a group, is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // There, but another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Sends a signal; a process that is gone, or not ours, is not an error. Negative: a process group. */
export function signal(pid: number, name: NodeJS.Signals): void {
  if (pid === 0 || pid === -1 || pid === 1) return;
  try {
    process.kill(pid, name);
  } catch {
    // Gone already, or another user's (sudo): nothing more can be done here.
  }
}

/**
 * bash code that closes what was inherited beyond stdin, stdout and stderr. node-pty 1.1 leaves the masters of all
 * other terminals open in every child (microsoft/node-pty#657): a command could type into the user's shell, and no
 * terminal would hang up while such a child lives. Node can't mark a descriptor it did not open, so each child closes
 * them first.
 */
export const closeInherited =
  `for __fd in ${process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd'}/*; do ` +
  `case \${__fd##*/} in [012] | *[!0-9]*) ;; *) eval "exec \${__fd##*/}>&-" ;; esac; done; unset __fd`;

/** A fixed place first, so that no changed PATH chooses the bash that is trusted with this. */
const PLACES = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash'];

/** The bash that runs what this program writes itself. */
export const bash = PLACES.find(isExecutable) ?? 'bash';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Wraps a program so that it starts with none of this program's terminals. For every long-lived child. */
export function withoutInherited(argv: readonly string[]): [string, ...string[]] {
  return [bash, '--norc', '--noprofile', '-c', `${closeInherited}; exec "$@"`, 'bash', ...argv];
}

// What macOS tells of its processes, where there is no /proc: by `ps` and `lsof`. Both are part of the system.

/** What is known of a process. Source: proc_pid_stat(5), else `ps` (macOS has no /proc). */
export type ProcessEntry = {
  readonly pid: number;
  readonly name: string;
  /** One letter: `T` is stopped. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The foreground process group of its terminal; -1 without a terminal. */
  readonly foreground: number;
  /** When it started, in the kernel's own unit; 0 where that is not known. With the id it is one of a kind. */
  readonly started: number;
};

/** macOS prints 0 as the session of every process: what belongs together is told by the terminal. */
const COLUMNS = 'pid=,ppid=,pgid=,tpgid=,stat=,tty=,comm=';
const TIMEOUT_MS = 2000;

/** Every process; none where `ps` can't be asked. */
export function processesByPs(): readonly ProcessEntry[] {
  return readPs(run('ps', ['-axo', COLUMNS]) ?? '');
}

/**
 * Reads what `ps` prints: one process a line, its name last, which may hold blanks. A session is named by its leader,
 * the process of that terminal whose state has an `s` (ps(1)); without a terminal it is not known, and 0.
 */
export function readPs(table: string): readonly ProcessEntry[] {
  const rows = table.split('\n').flatMap((line) => {
    const [, pid, parent, group, foreground, stat = '', tty = '', path = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (pid === undefined) return [];
    // As Linux has it, without the way to it; a login shell's begins with a minus.
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/^-/, '');
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        foreground: Number(foreground),
        stat,
        tty,
        name,
      },
    ];
  });
  const hasTerminal = (tty: string) => !/^[?-]+$/.test(tty);
  const leaders = new Map(
    rows.filter(({ stat, tty }) => stat.includes('s') && hasTerminal(tty)).map((row) => [row.tty, row.pid]),
  );
  return rows.map(({ pid, parent, group, foreground, stat, tty, name }) => ({
    pid,
    name,
    state: stat.slice(0, 1),
    parent,
    group,
    session: leaders.get(tty) ?? 0,
    // Without one macOS says 0.
    foreground: hasTerminal(tty) ? foreground : -1,
    started: 0,
  }));
}

/** The working directory of a process, where `lsof` may see it. */
function directoryByLsof(pid: number): string | undefined {
  return readLsof(run('lsof', ['-a', '-d', 'cwd', '-p', String(pid), '-Fn']) ?? '');
}

/**
 * Reads `lsof -Fn`: a line per field, a letter in front; `n` is the name. Of a deleted one it may be a word in
 * brackets.
 */
export function readLsof(fields: string): string | undefined {
  const name = fields.split('\n').find((line) => line.startsWith('n/'));
  return name?.slice(1);
}

function run(program: string, args: readonly string[]): string | undefined {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return execFileSync(program, args, { encoding: 'utf8', stdio, timeout: TIMEOUT_MS });
  } catch {
    return undefined;
  }
}
