/** Ends the model's processes that outlive aish-tui, however it ended: a companion process watches (EX-8). */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Environment } from './environment.ts';
import { signal, withoutInherited } from './processes.ts';

/** The environment variable that marks every process of a model. */
const VARIABLE = 'AISH_TUI_RUN';

/**
 * A second mark, a resource limit: RLIMIT_LOCKS has no effect since Linux 2.4.25 (getrlimit(2)), children inherit it,
 * and it survives `env -i`, `setsid` and `nohup`.
 */
const tag = randomInt(2 ** 24, 2 ** 46);

/** The shell code that marks a model's command and its children. */
export const tagLimit = `ulimit -S -x ${tag}`;
/** The final dot keeps one program's mark from being a prefix of another's. */
const mark = `${tag}.`;

/** Returns the environment of a process that must end with this program, and starts the watchdog. */
export function marked(env: Environment): Environment {
  ensureWatchdog();
  return { ...env, [VARIABLE]: mark };
}

/** The last process id given out, the number of processes started, and where ids start again. */
type Numbering = { readonly last: number; readonly started: number; readonly highest: number };

/** Reads how process ids are numbered; each number is NaN if the kernel does not report it. */
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
 * Returns a predicate for process ids given out between `first` and `now`. It accepts all if the counter may have
 * wrapped, or if `known` would be missed.
 */
export function givenBetween(first: Numbering, now: Numbering, known: number): (pid: number) => boolean {
  const isBetween = (pid: number) =>
    first.last <= now.last ? pid > first.last && pid <= now.last : pid > first.last || pid <= now.last;
  const isTold = first.last >= 0 && now.last >= 0;
  return isTold && now.started < roundTrip(first) && isBetween(known) ? isBetween : () => true;
}

/** Failed starts use up ids without being counted; half of the range is reserved for them. */
const roundTrip = ({ started, highest }: Numbering) => started + Math.floor(highest / 2);

/**
 * Waits for the end of its input, which means the program has ended, then kills every marked process. It uses only
 * the shell, because a missing tool would leave processes alive; without /proc it needs `ps`. `read` drops the NUL
 * bytes of an environment. The script assembles the mark at run time, so that its own command line does not contain
 * it. It checks only the processes of `givenBetween`.
 * @param $1 the last id before the first marked process
 * @param $2 how many processes can start before ids wrap
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
/** The numbering before the first marked process started. */
let first: Numbering | undefined;

/**
 * Starts once the watchdog, which outlives this program briefly to end the model's processes (EX-6). Until then it
 * only waits. It does not keep the program alive.
 */
export function ensureWatchdog(): void {
  if (watchdog && watchdog.exitCode === null && watchdog.signalCode === null) return;
  first ??= readNumbering();
  const told = [first.last, roundTrip(first)].map(String);
  const [file, ...args] = withoutInherited(['/bin/sh', '-c', SCRIPT, 'sh', ...told]);
  const child = spawn(file, args, {
    // Detached, because the process must not end when the program's terminal closes.
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

/**
 * Kills every process of a model that still runs, including those that left its session. For an orderly end of the
 * program.
 */
export function killTagged(): void {
  // A killed process keeps its mark until it is reaped.
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

/** Lists processes with this program's mark. Empty without /proc. */
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
 * Returns how to start a long-lived companion process: it inherits no terminal, and is marked so that it can't
 * outlive the program.
 * @param closes the companion closes inherited descriptors itself, so no shell is needed for that
 */
export function asCompanion(
  argv: readonly string[],
  env: Environment,
  closes = false,
): { readonly argv: readonly [string, ...string[]]; readonly env: Environment } {
  const [file = '', ...words] = argv;
  return { argv: closes ? [file, ...words] : withoutInherited(argv), env: marked(env) };
}
