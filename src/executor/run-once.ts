import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { RunningCommand } from '../contracts/commands.ts';
import { messageOf } from '../text/errors.ts';
import { type Environment, unattendedEnvironment } from './environment.ts';
import { bash, closeInherited, withoutInherited } from './processes.ts';
import { Pty } from './pty.ts';
import { Run } from './running.ts';
import { MarkScanner } from './shell-integration/marks.ts';
import { sessionStopper } from './stopper.ts';
import { ensureWatchdog, tagLimit, tagVariable } from './watchdog.ts';

export type OwnPtyOptions = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
  readonly columns: number;
  readonly rows: number;
  /** A private directory for full-output files. */
  readonly dataDir: string;
  /** Signs the mark with which the command reports its cwd at its end. */
  readonly token?: string;
};

/** Runs a command in a pty of its own. One that can't be started resolves with `exit: null` and a note. */
function runInOwnPty(options: OwnPtyOptions): RunningCommand {
  let cwd = options.cwd;
  let pty: Pty | undefined;
  const run = new Run(options, {
    pid: () => pty?.pid ?? -1,
    slave: () => pty?.slave ?? '',
    write: (data) => pty?.write(data),
    resize: (columns, rows) => pty?.resize(columns, rows),
    pause: () => pty?.pause(),
    resume: () => pty?.resume(),
    interrupt: () => stopper.stop(),
    hangUp: () => pty?.dispose(),
  });
  const stopper = sessionStopper(() => pty?.pid);
  const scanner = new MarkScanner(
    (given) => given === options.token,
    (data) => run.feed(data),
    (mark) => {
      cwd = mark.fields.join(';');
    },
  );
  try {
    if (!statSync(options.cwd).isDirectory()) throw new Error(`${options.cwd} is not a directory`);
    pty = new Pty({
      argv: options.argv,
      cwd: options.cwd,
      env: options.env,
      columns: options.columns,
      rows: options.rows,
      onData: (data) => scanner.push(data),
      onExit: (code) => {
        const note = stopper.stopping ? 'interrupted' : undefined;
        stopper.done();
        scanner.flush();
        void run.end(code, cwd, note);
      },
    });
    run.begin();
  } catch (error) {
    void run.end(null, cwd, `could not start: ${messageOf(error)}`);
  }
  return run;
}

type CommandOptions = Pick<OwnPtyOptions, 'cwd' | 'columns' | 'rows' | 'dataDir'> & {
  readonly command: string;
  /** The exported environment of the user's shell. */
  readonly env: Environment;
};

export type OnceOptions = CommandOptions & {
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
  const report = `{ set +x; } 2>/dev/null; case $PWD in *[[:cntrl:]]*) ;; *) builtin printf "\\033]7331;${token};D;%s\\007" "$PWD" 2>/dev/null >/dev/tty ;; esac`;
  return `${closeInherited}; ${tagLimit}; trap '${report}' EXIT; AISH_TUI_COMMAND=$1; shift; eval "$AISH_TUI_COMMAND"`;
}

/**
 * Runs a command of a model: a fresh `bash -c` in a pty of its own, nothing carried over (EX-10); what could change what
 * runs is taken out of the environment. Nothing of it outlives this program.
 */
export function runOnce({ command, launcher, env, ...rest }: OnceOptions): RunningCommand {
  ensureWatchdog();
  const token = randomBytes(16).toString('hex');
  const own = [bash, '--noprofile', '--norc', '-c', prelude(token), 'bash', command];
  const [file = bash, ...args] = launcher ? launcher(own) : own;
  return runInOwnPty({
    ...rest,
    argv: [file, ...args],
    env: { ...unattendedEnvironment(env), ...tagVariable },
    token,
  });
}

/**
 * Runs a background command of the user's (EX-8): by their own shell, with their environment as it is. It is theirs in
 * every way: closing the program closes its terminal, and what it detached stays.
 */
export function runForUser({
  command,
  env,
  shell,
  ...rest
}: CommandOptions & { readonly shell: string }): RunningCommand {
  return runInOwnPty({ ...rest, argv: withoutInherited([shell, '-c', command]), env });
}
