import { execFileSync } from 'node:child_process';
import { accessSync, constants, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { ShellJob } from '../contracts/commands.ts';

/** Returns a process, or undefined if it has ended. */
export function findProcess(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform === 'linux' ? undefined : processesByPs().find((entry) => entry.pid === pid);
  }
}

function parseStat(stat: string): ProcessEntry {
  // The name in parentheses may contain blanks and parentheses.
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

/** Lists every process of the terminal session that `leader` started and all its descendants, `leader` first. */
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

/** Lists the process groups in the terminal of `leader`, except its own and the foreground one. */
export function backgroundOf(leader: number): readonly ShellJob[] {
  const groups = new Map<number, ShellJob>();
  for (const { pid, name, state, group, session, foreground } of allProcesses()) {
    if (session !== leader || group === leader || group === foreground || state === 'Z') continue;
    if (groups.has(group) && pid !== group) continue;
    groups.set(group, { group, command: commandLineOf(pid) ?? name, stopped: state === 'T' });
  }
  return [...groups.values()];
}

/** Returns a process's command line, if visible; `exec` changes it. */
export function commandLineOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Identifies the processes of a group by id and name; the name changes with `exec`. */
export function groupMembers(group: number): ReadonlySet<string> {
  return new Set(groupProcesses(group).map(({ pid, name }) => `${pid} ${name}`));
}

export function groupProcesses(group: number): readonly ProcessEntry[] {
  return allProcesses().filter((entry) => entry.group === group);
}

/** Whether every process of a group ignores SIGINT, if the kernel reports that (proc_pid_status(5)). */
export function ignoresInterrupt(group: number): boolean {
  const members = groupProcesses(group).filter(({ state }) => state !== 'Z');
  return members.length > 0 && members.every(({ pid }) => ignoredSignals(pid) & SIGINT_BIT);
}

const SIGINT_BIT = 1 << 1;

/** Returns the lowest 32 ignored signals as bits; 0 if not visible. */
function ignoredSignals(pid: number): number {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    return Number.parseInt(mask.slice(-8), 16);
  } catch {
    return 0;
  }
}

/** Returns the working directory of a process as the kernel knows it, if readable. */
export function directoryOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return process.platform === 'linux' ? undefined : directoryByLsof(pid);
  }
}

/** Whether a process exists, or with a negative number any process of a group. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // With EPERM the process exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Sends a signal. A process that has ended or belongs to another user is not an error. Negative: a process group. */
export function signal(pid: number, name: NodeJS.Signals): void {
  if (pid === 0 || pid === -1 || pid === 1) return;
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended, or belongs to another user (sudo): nothing can be done.
  }
}

/**
 * bash code that closes inherited descriptors beyond stdin, stdout and stderr. node-pty 1.1 leaves the masters of all
 * other terminals open in every child (microsoft/node-pty#657): a command could type into the user's shell, and
 * terminals would not hang up while such a child lives. Node can't set close-on-exec on descriptors it did not open,
 * so each child closes them first.
 */
export const closeInherited =
  `for __fd in ${process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd'}/*; do ` +
  `case \${__fd##*/} in [012] | *[!0-9]*) ;; *) eval "exec \${__fd##*/}>&-" ;; esac; done; unset __fd`;

/** Fixed places first, so that a changed PATH can't replace this trusted bash. */
const PLACES = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash'];

/** The bash that runs aish-tui's own scripts. */
export const bash = PLACES.find(isExecutable) ?? 'bash';

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Wraps a program so that it inherits none of this program's terminals. For every long-lived child. */
export function withoutInherited(argv: readonly string[]): [string, ...string[]] {
  return [bash, '--norc', '--noprofile', '-c', `${closeInherited}; exec "$@"`, 'bash', ...argv];
}

// Process information on macOS, which has no /proc: from `ps` and `lsof`, both part of the system.

/** A process. Source: proc_pid_stat(5), else `ps` (macOS has no /proc). */
export type ProcessEntry = {
  readonly pid: number;
  readonly name: string;
  /** The state as one letter; `T` means stopped. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The foreground process group of its terminal; -1 without a terminal. */
  readonly foreground: number;
  /** The start time in the kernel's unit, 0 if unknown. Together with the id it identifies the process. */
  readonly started: number;
};

/** macOS prints 0 as the session of every process, so processes are grouped by their terminal. */
const COLUMNS = 'pid=,ppid=,pgid=,tpgid=,stat=,tty=,comm=';
const TIMEOUT_MS = 2000;

/** Lists every process; empty if `ps` fails. */
export function processesByPs(): readonly ProcessEntry[] {
  return readPs(run('ps', ['-axo', COLUMNS]) ?? '');
}

/**
 * Parses the output of `ps`: one process per line, its name last, possibly with blanks. A session is identified by
 * its leader, the process on that terminal whose state contains `s` (ps(1)); without a terminal it is unknown and 0.
 */
export function readPs(table: string): readonly ProcessEntry[] {
  const rows = table.split('\n').flatMap((line) => {
    const [, pid, parent, group, foreground, stat = '', tty = '', path = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (pid === undefined) return [];
    // The base name as on Linux; a login shell's begins with a minus.
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
    // macOS prints 0 for processes without a terminal.
    foreground: hasTerminal(tty) ? foreground : -1,
    started: 0,
  }));
}

/** Returns the working directory of a process, if `lsof` may see it. */
function directoryByLsof(pid: number): string | undefined {
  return readLsof(run('lsof', ['-a', '-d', 'cwd', '-p', String(pid), '-Fn']) ?? '');
}

/**
 * Parses `lsof -Fn`: one field per line after a letter; `n` is the name. For a deleted directory it may be a word in
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
