import { randomBytes } from 'node:crypto';
import { type Environment, unattendedEnvironment } from './environment.ts';
import { bash, closeInherited, withoutInherited } from './inherit.ts';
import { type OwnPtyOptions, runInOwnPty } from './own-pty.ts';
import type { RunningCommand } from './running.ts';
import { ensureWatchdog, tagLimit, tagVariable } from './watchdog.ts';

type CommandOptions = Pick<OwnPtyOptions, 'cwd' | 'cols' | 'rows' | 'dataDir'> & {
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
