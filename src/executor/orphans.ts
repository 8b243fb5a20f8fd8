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

/** The environment of a process that is to end with this program, and the watchdog that sees to it. */
export function marked(env: Environment): Environment {
  ensureWatchdog();
  return { ...env, [VARIABLE]: mark };
}

/** The last number given to a process, how many processes were started, and where the numbers begin anew. */
type Numbering = { readonly last: number; readonly started: number; readonly highest: number };

/** Each is NaN where the kernel does not tell. */
function readNumbering(): Numbering {
  const read = (path: string, number: RegExp) => {
    try {
      return Number(number.exec(readFileSync(`/proc/${path}`, 'latin1'))?.[1]);
    } catch {
      return Number.NaN;
    }
  };
  return {
    last: read('loadavg', / (\d+)$/m),
    started: read('stat', /^processes (\d+)$/m),
    highest: read('sys/kernel/pid_max', /^(\d+)$/m),
  };
}

/**
 * Which numbers the kernel may have given out between `first` and `now`. All, where it may have come round, or where
 * that would leave out `known`, which it gave out in between.
 */
export function givenBetween(first: Numbering, now: Numbering, known: number): (pid: number) => boolean {
  const isBetween = (pid: number) =>
    first.last <= now.last ? pid > first.last && pid <= now.last : pid > first.last || pid <= now.last;
  const isTold = first.last >= 0 && now.last >= 0;
  return isTold && now.started < roundTrip(first) && isBetween(known) ? isBetween : () => true;
}

/** A number that a failed start has used up is not counted: half of them are left for those. */
const roundTrip = ({ started, highest }: Numbering) => started + Math.floor(highest / 2);

/**
 * Waits for the end of its input (the program is gone, however it went), then kills what carries the mark. It needs
 * nothing but the shell, since what a missing program does not find would be left alive; only where there is no /proc
 * it asks `ps`. `read` drops the zero bytes of an environment. The mark is put together in the script, so that the
 * script's own command line does not hold it. It looks at the processes of `givenBetween` alone.
 * @param $1 the last number before the first marked process
 * @param $2 how many processes have been started when numbers may come round
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
between() {
  if [ "$1" -le "$last" ]; then [ "$2" -gt "$1" ] && [ "$2" -le "$last" ]; else [ "$2" -gt "$1" ] || [ "$2" -le "$last" ]; fi
}
for round in 1 2 3 4 5 6; do
  found= started=
  read -r _ _ _ _ last </proc/loadavg
  while read -r key started _ && [ "$key" != processes ]; do :; done </proc/stat
  few=
  [ "$1" -ge 0 ] && [ "$last" -ge 0 ] && [ "$started" -lt "$2" ] && between "$1" $$ && few=yes
  for process in /proc/[0-9]*; do
    [ -z "$few" ] || between "$1" "\${process##*/}" || continue
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
/** As it was before the first marked process; undefined while there was none. */
let first: Numbering | undefined;

/**
 * Starts, once, the process that outlives this program by a moment to end what a model started (EX-6). It holds nothing
 * and does nothing until then, and does not keep the program alive.
 */
export function ensureWatchdog(): void {
  if (watchdog && watchdog.exitCode === null && watchdog.signalCode === null) return;
  first ??= readNumbering();
  const told = [first.last, roundTrip(first)].map(String);
  const [file, ...args] = withoutInherited(['/bin/sh', '-c', SCRIPT, 'sh', ...told]);
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
  // One that is killed carries its mark until it is gone, but starts nothing any more.
  const killed = new Set<number>();
  for (let round = 0; round < 6; round += 1) {
    const pids = taggedProcesses().filter((pid) => !killed.has(pid));
    if (pids.length === 0) return;
    for (const pid of pids) {
      signal(pid, 'SIGKILL');
      killed.add(pid);
    }
  }
}

/** Processes that carry this program's mark. Empty where there is no /proc. */
function taggedProcesses(): number[] {
  if (process.platform !== 'linux' || !first) return [];
  const isCandidate = givenBetween(first, readNumbering(), watchdog?.pid ?? 0);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isCandidate(Number(name)) && isTagged(name))
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
  const [file = '', ...words] = argv;
  return { argv: closes ? [file, ...words] : withoutInherited(argv), env: marked(env) };
}
