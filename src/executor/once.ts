import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { type Environment, unattendedEnvironment } from './environment.ts';
import { bash, closeInherited } from './inherit.ts';
import { MarkScanner } from './marks.ts';
import { findProcess, groupMembers, processesOf, signal } from './processes.ts';
import { Pty } from './pty.ts';
import { Run, type RunningCommand } from './running.ts';
import { Stopper } from './stop.ts';
import { ensureWatchdog, tagLimit, tagVariable } from './watchdog.ts';

export type OnceOptions = {
  readonly command: string;
  readonly cwd: string;
  /** The exported environment of the user's shell; what could change what runs is taken out here. */
  readonly env: Environment;
  readonly cols: number;
  readonly rows: number;
  /** A private directory for full-output files. */
  readonly dataDir: string;
  /** Wraps the argument vector: the kernel sandbox. */
  readonly launcher?: (argv: readonly string[]) => readonly string[];
};

/**
 * What bash runs before the command: marks it for the watchdog, and arranges that the last thing it does is to tell its
 * cwd. An EXIT trap leaves the exit code, `exit 3` and `set -e` as they are; a command that sets its own EXIT trap or
 * ends in `exec` keeps the cwd it had. `eval "$1"` instead of pasting the text: line numbers and syntax errors are the
 * command's own.
 */
function prelude(token: string): string {
  const report = `{ set +x; } 2>/dev/null; builtin printf "\\033]7331;${token};D;%s\\007" "$PWD" 2>/dev/null >/dev/tty`;
  return `${closeInherited}; ${tagLimit}; trap '${report}' EXIT; AISH_TUI_COMMAND=$1; shift; eval "$AISH_TUI_COMMAND"`;
}

/**
 * Runs a command of a model: a fresh `bash -c` in a pty of its own, nothing carried over (EX-10). A command that can't
 * be started resolves with `exit: null` and a note. Nothing of it outlives this program.
 */
export function runOnce(options: OnceOptions): RunningCommand {
  ensureWatchdog();
  const token = randomBytes(16).toString('hex');
  const own = [bash, '--noprofile', '--norc', '-c', prelude(token), 'bash', options.command];
  const [file = bash, ...rest] = options.launcher ? options.launcher(own) : own;
  let cwd = options.cwd;
  let pty: Pty | undefined;
  const run = new Run(options, {
    pid: () => pty?.pid ?? -1,
    slave: () => pty?.slave ?? '',
    write: (data) => pty?.write(data),
    resize: (cols, rows) => pty?.resize(cols, rows),
    pause: () => pty?.pause(),
    resume: () => pty?.resume(),
    interrupt: () => stopper.stop(),
  });
  const stopper = new Stopper(stops(() => pty?.pid));
  const scanner = new MarkScanner(
    (given) => given === token,
    (data) => run.feed(data),
    (mark) => {
      cwd = mark.fields.join(';');
    },
  );
  try {
    if (!statSync(options.cwd).isDirectory()) throw new Error(`${options.cwd} is not a directory`);
    pty = new Pty({
      argv: [file, ...rest],
      cwd: options.cwd,
      env: { ...unattendedEnvironment(options.env), ...tagVariable },
      cols: options.cols,
      rows: options.rows,
      onData: (data) => scanner.push(data),
      onExit: (code) => {
        const note = stopper.underWay ? 'interrupted' : undefined;
        stopper.done();
        scanner.flush();
        void run.end(code, cwd, note);
      },
    });
  } catch (error) {
    void run.end(null, cwd, `could not start: ${error instanceof Error ? error.message : String(error)}`);
  }
  return run;
}

/** SIGINT to what has the terminal; then SIGTERM, then SIGKILL to the whole session and its descendants. */
function stops(leader: () => number | undefined): (() => void)[] {
  const all = (name: NodeJS.Signals) => () => {
    const pid = leader();
    if (pid !== undefined) for (const member of processesOf(pid)) signal(member, name);
  };
  return [
    () => {
      const pid = leader();
      if (pid === undefined) return;
      const foreground = findProcess(pid)?.foreground ?? -1;
      if (foreground > 1) interruptGroup(foreground);
      else signal(pid, 'SIGINT');
    },
    all('SIGTERM'),
    all('SIGKILL'),
  ];
}

/**
 * A bash that is just forking loses SIGINT: the child still has bash's handler, and bash waits for the child. If a
 * process turns up in the group within this time (ms), SIGINT is sent once more; otherwise not, since a second one means
 * "at once" to many servers.
 */
const FORK_WINDOW = 60;

function interruptGroup(group: number): void {
  const before = groupMembers(group);
  signal(-group, 'SIGINT');
  const again = setTimeout(() => {
    if ([...groupMembers(group)].some((member) => !before.has(member))) signal(-group, 'SIGINT');
  }, FORK_WINDOW);
  again.unref();
}
