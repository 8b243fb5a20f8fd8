import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { withoutInherited } from './close-inherited.ts';
import type { Environment } from './environment.ts';
import { signal } from './processes.ts';

/** Marks every process a model started, by environment. */
const VARIABLE = 'AISH_TUI_RUN';

/**
 * Marks them a second time by a resource limit: RLIMIT_LOCKS means nothing since Linux 2.4.25 (getrlimit(2)), is
 * inherited by every child, and survives what takes an environment or a session away (`env -i`, `setsid`, `nohup`).
 */
const tag = randomInt(2 ** 24, 2 ** 46);

/** What is put before a model's command to mark it and all its children. */
export const tagLimit = `ulimit -S -x ${tag} 2>/dev/null`;
export const tagVariable: Readonly<Record<string, string>> = { [VARIABLE]: String(tag) };

/** Waits for the end of its input (the program is gone, however it went), then kills what carries the mark. */
const SCRIPT = `
trap '' HUP INT QUIT TERM
while read -r _; do :; done
for round in 1 2 3 4 5 6; do
  pids=$( { grep -lE '^Max file locks +${tag} ' /proc/[0-9]*/limits; grep -lza '^${VARIABLE}=${tag}$' /proc/[0-9]*/environ; } 2>/dev/null | cut -d/ -f3)
  [ -d /proc/self ] || pids=$(ps -axEww -o pid=,command= 2>/dev/null | grep -F '${VARIABLE}=${tag}' | grep -vF grep | awk '{print $1}')
  [ -n "$pids" ] || exit 0
  kill -KILL $pids 2>/dev/null
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
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
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
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${VARIABLE}=${tag}`);
  } catch {
    return false;
  }
}

/**
 * How a child that lives beside the program for long is to be started: it inherits none of the program's terminals, and
 * carries the mark by which everything is ended that would outlive the program.
 */
export function asCompanion(
  argv: readonly string[],
  env: Environment,
): { readonly argv: readonly [string, ...string[]]; readonly env: Environment } {
  ensureWatchdog();
  return { argv: withoutInherited(argv), env: { ...env, ...tagVariable } };
}
