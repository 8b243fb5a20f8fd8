/** Ends what a model started and what outlives this program, however it went: a companion process watches (EX-8). */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Environment } from './environment.ts';
import { signal, withoutInherited } from './processes.ts';

/** Marks every process a model started, by environment. */
const VARIABLE = 'AISH_TUI_RUN';

/**
 * Marks them a second time by a resource limit: RLIMIT_LOCKS means nothing since Linux 2.4.25 (getrlimit(2)), is
 * inherited by every child, and survives what takes an environment or a session away (`env -i`, `setsid`, `nohup`).
 */
const tag = randomInt(2 ** 24, 2 ** 46);

/** What is put before a model's command to mark it and all its children. */
export const tagLimit = `ulimit -S -x ${tag}`;
/** With an end of its own, so that no other program's mark can begin with it. */
const mark = `${tag}.`;
export const tagVariable: Readonly<Record<string, string>> = { [VARIABLE]: mark };

/**
 * Waits for the end of its input (the program is gone, however it went), then kills what carries the mark. It needs
 * nothing but the shell, since what a missing program does not find would be left alive; only where there is no /proc
 * it asks `ps`. `read` drops the zero bytes of an environment. The mark is put together in the script, so that the
 * script's own command line does not hold it.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM
while read -r _; do :; done
mark=${VARIABLE}
mark=$mark=${mark}
marked() {
  while read -r max file locks soft _; do
    case "$max $file $locks $soft" in
      'Max file locks ${tag}') return 0 ;;
      'Max file locks '*) break ;;
    esac
  done <"$1/limits"
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in *"$mark"*) return 0 ;; esac
  done <"$1/environ"
  return 1
}
for round in 1 2 3 4 5 6; do
  found=
  for process in /proc/[0-9]*; do
    marked "$process" || continue
    kill -KILL "\${process##*/}"
    found=yes
  done
  [ -d /proc/self ] || found=$(ps -axEww -o pid=,command= | while read -r pid command; do
    case $command in *"$mark"*) kill -KILL "$pid" && echo yes ;; esac
  done)
  [ -n "$found" ] || exit 0
done`;

let watchdog: ChildProcess | undefined;

/**
 * Starts, once, the process that outlives this program by a moment to end what a model started (EX-6). It holds nothing
 * and does nothing until then, and does not keep the program alive.
 */
export function ensureWatchdog(): void {
  if (watchdog && watchdog.exitCode === null && watchdog.signalCode === null) return;
  const [file, ...args] = withoutInherited(['/bin/sh', '-c', SCRIPT]);
  const child = spawn(file, args, {
    // A session of its own: what ends the program's terminal must not end it.
    detached: true,
    cwd: '/',
    env: { PATH: process.platform === 'linux' ? '' : '/usr/bin:/bin:/usr/sbin:/sbin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => {
    watchdog = undefined;
  });
  child.unref();
  child.stdin?.on('error', () => {});
  if (child.stdin instanceof Socket) child.stdin.unref();
  watchdog = child;
}

/** Kills everything a model started that still runs, also what left its session. For the program's orderly end. */
export function killTagged(): void {
  for (let round = 0; round < 6; round += 1) {
    const pids = taggedProcesses();
    if (pids.length === 0) return;
    for (const pid of pids) signal(pid, 'SIGKILL');
  }
}

/** Processes that carry this program's mark. Empty where there is no /proc. */
function taggedProcesses(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isTagged(name))
    .map(Number);
}

const LIMIT_LINE = new RegExp(`^Max file locks +${tag} `, 'm');

function isTagged(pid: string): boolean {
  try {
    if (LIMIT_LINE.test(readFileSync(`/proc/${pid}/limits`, 'latin1'))) return true;
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${VARIABLE}=${mark}`);
  } catch {
    return false;
  }
}

/**
 * How a child that lives beside the program for long is to be started: it inherits none of the program's terminals, and
 * carries the mark by which everything is ended that would outlive the program.
 * @param closes it closes by itself what it inherits: no shell need do so before it
 */
export function asCompanion(
  argv: readonly string[],
  env: Environment,
  closes = false,
): { readonly argv: readonly [string, ...string[]]; readonly env: Environment } {
  ensureWatchdog();
  const [file = '', ...words] = argv;
  return { argv: closes ? [file, ...words] : withoutInherited(argv), env: { ...env, ...tagVariable } };
}
