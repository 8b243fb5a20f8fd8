/** What macOS tells of its processes, where there is no /proc: by `ps` and `lsof`. Both are part of the system. */
import { execFileSync } from 'node:child_process';

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
 * Reads what `ps` prints: one process a line, its name last, which may hold blanks. A session is named by its leader, the
 * process of that terminal whose state has an `s` (ps(1)); without a terminal it is not known, and 0.
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
export function directoryByLsof(pid: number): string | undefined {
  return readLsof(run('lsof', ['-a', '-d', 'cwd', '-p', String(pid), '-Fn']) ?? '');
}

/** Reads `lsof -Fn`: a line per field, a letter in front; `n` is the name. Of a deleted one it may be a word in brackets. */
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
