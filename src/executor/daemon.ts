import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { homedir } from 'node:os';
import { signal, withoutInherited } from './processes.ts';
import { Stopper } from './stopper.ts';

export type Daemon = {
  /** Resolves when it has ended, with how it ended. */
  readonly ended: Promise<string>;
  /** SIGTERM to its process group, then SIGKILL. Idempotent. Resolves when it has gone. */
  stop(): Promise<string>;
};

/**
 * Starts a long-lived program of the user's own without a terminal, in a process group of its own.
 * @param command a line for sh
 * @param log file for its output, created anew, 0600; throws when it can't be created
 */
export function startDaemon(command: string, log: string): Daemon {
  const out = openSync(log, 'w', 0o600);
  const [file, ...args] = withoutInherited(['/bin/sh', '-c', command]);
  const child = spawn(file, args, { cwd: homedir(), detached: true, stdio: ['ignore', out, out] });
  closeSync(out);
  const send = (name: NodeJS.Signals) => () => signal(-(child.pid ?? 0), name);
  const stopper = new Stopper([send('SIGTERM'), send('SIGKILL')]);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`could not start: ${error.message}`));
    child.on('exit', (code, name) => resolve(name === null ? `exit ${code}` : `ended by ${name}`));
  }).finally(() => stopper.done());
  return {
    ended,
    stop() {
      stopper.stop();
      return ended;
    },
  };
}
