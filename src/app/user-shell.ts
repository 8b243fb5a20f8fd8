/** The user's own shell, as this session starts it. */
import { startUserShell, type UserShell } from '../executor/index.ts';
import type { Ground } from './environment.ts';
import { processEnvironment } from './process-environment.ts';

type ShellEars = { say(text: string): void; moved(cwd: string): void };

/** Starts in the background: the first frame does not wait for rc files. */
export function bringUpShell({ options, config }: Ground, dataDir: string, ears: ShellEars): Promise<UserShell> {
  const env = processEnvironment();
  const shell = startUserShell({
    ...(config.shell === undefined ? {} : { shell: config.shell }),
    cwd: process.cwd(),
    env,
    columns: options.columns,
    rows: options.rows,
    dataDir,
    onExit: ({ message }) => ears.say(message),
    onMove: (cwd) => ears.moved(cwd),
    onIdleOutput: (text) => ears.say(text.trimEnd()),
  });
  // Whoever uses it is told; until then a failure is no unhandled one.
  shell.catch(() => {});
  return shell;
}
