import { statSync } from 'node:fs';
import type { Environment } from './environment.ts';
import { MarkScanner } from './marks.ts';
import { findProcess, groupMembers, processesOf, signal } from './processes.ts';
import { Pty } from './pty.ts';
import { Run, type RunningCommand } from './running.ts';
import { Stopper } from './stop.ts';

export type OwnPtyOptions = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
  readonly cols: number;
  readonly rows: number;
  /** A private directory for full-output files. */
  readonly dataDir: string;
  /** Signs the mark with which the command tells its cwd at its end. */
  readonly token?: string;
};

/** Runs a command in a pty of its own. One that can't be started resolves with `exit: null` and a note. */
export function runInOwnPty(options: OwnPtyOptions): RunningCommand {
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
    hangUp: () => pty?.dispose(),
  });
  const stopper = new Stopper(stops(() => pty?.pid));
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
    run.begin();
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
