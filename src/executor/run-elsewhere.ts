import type { RunningCommand } from '../contracts/commands.ts';
import { placeOn } from '../session/place.ts';
import { messageOf } from '../text/errors.ts';
import { asCompanion } from './orphans.ts';
import { processesOf, signal } from './processes.ts';
import { Pty } from './pty.ts';
import { Run, type RunOptions } from './running.ts';
import { MarkScanner } from './shell-integration/marks.ts';
import { Stopper } from './stopper.ts';
import type { TerminalModes } from './terminal-state.ts';

export type ElsewhereOptions = Omit<RunOptions, 'background'> & {
  /** The program of this machine that stands for the command. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where the command begins, which is where its end is said to be unless it tells otherwise. */
  readonly place: string;
  /**
   * Set for what runs on a host. `token` signs the marks with which it tells its directory there, and that nothing follows;
   * `modes` are those of its terminal there.
   */
  readonly there?: { readonly host: string; readonly token: string; readonly modes?: () => Promise<TerminalModes> };
  /** What became of the command when the program has ended. `whole`: it had told that nothing follows, so nothing is lost. */
  readonly ending?: (said: {
    readonly code: number;
    readonly whole: boolean;
  }) => Promise<{ readonly exit: number | null; readonly note?: string }>;
};

/** What may be told as a directory of a host: it is shown, and told to models. */
const DIRECTORY = /^\/[^\u0000-\u001f\u007f-\u009f]{0,4095}$/;

/**
 * Runs a program here that stands for something elsewhere: a command on a host, or the connection to it. Its terminal is
 * the other one's, so Ctrl-C goes as a key; only then the program here is ended. Nothing of it outlives this program.
 */
export function runElsewhere({ argv, env, place, there, ending, ...rest }: ElsewhereOptions): RunningCommand {
  let cwd = place;
  let whole = false;
  let terminal: Pty | undefined;
  const end = (name: NodeJS.Signals) => () => {
    if (terminal) for (const pid of processesOf(terminal.pid)) signal(pid, name);
  };
  const stopper = new Stopper([() => terminal?.write('\x03'), end('SIGTERM'), end('SIGKILL')]);
  const run = new Run(rest, {
    pid: () => terminal?.pid ?? -1,
    slave: () => terminal?.slave ?? '',
    write: (data) => terminal?.write(data),
    resize: (columns, rows) => terminal?.resize(columns, rows),
    pause: () => terminal?.pause(),
    resume: () => terminal?.resume(),
    interrupt: () => stopper.stop(),
    hangUp: () => terminal?.dispose(),
    ...(there?.modes ? { modes: there.modes } : {}),
  });
  const scanner = new MarkScanner(
    (given) => given === there?.token,
    (data) => run.feed(data),
    (mark) => {
      if (mark.kind === 'E') whole = true;
      const directory = mark.fields.join(';');
      if (mark.kind === 'D' && there && DIRECTORY.test(directory)) cwd = placeOn(there.host, directory);
    },
  );
  const over = async (code: number) => {
    const stopped = stopper.stopping;
    stopper.done();
    scanner.flush();
    const { exit, note = stopped ? 'interrupted' : undefined } = (await ending?.({ code, whole })) ?? { exit: code };
    await run.end(exit, cwd, note);
  };
  try {
    terminal = new Pty({
      ...rest,
      // ssh closes by itself what it inherits.
      ...asCompanion(argv, env, there !== undefined),
      cwd: '/',
      onData: (data) => scanner.push(data),
      onExit: (code) => void over(code),
    });
    run.begin();
  } catch (error) {
    void run.end(null, place, `could not start: ${messageOf(error)}`);
  }
  return run;
}
