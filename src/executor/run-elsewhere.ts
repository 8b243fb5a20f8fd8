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

/** A local terminal for a program that represents a remote command or connection. */
export type ElsewhereTerminal = {
  /** The program has ended and can't run anything any more. */
  readonly over: boolean;
  /** Resolves when `over` becomes true. */
  readonly ended: Promise<void>;
  /** Runs a command through it, with all its output from the start. Call once. */
  run(options: RunElsewhereOptions): RunningCommand;
  /** Ends it if nothing runs through it yet. Idempotent. */
  end(): void;
};

export type OpenElsewhereOptions = Omit<RunOptions, 'columns' | 'rows'> & {
  /** The local program that represents the command. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The program closes inherited descriptors itself, as ssh does. */
  readonly closes?: boolean;
  /** Called at the start, and again when a command runs through this connection. */
  readonly size: () => Pick<RunOptions, 'columns' | 'rows'>;
};

export type RunElsewhereOptions = {
  /** The command's starting place, which is also its end unless reported otherwise. */
  readonly place: string;
  /** Set for a command on a host. */
  readonly host?: string;
  /** Authenticates the marks that report its remote directory and the end of its output. */
  readonly token?: string;
  /** Returns the modes of its remote terminal. */
  readonly modes?: () => Promise<TerminalModes>;
  /**
   * Called when the local program has ended. Returns how the command ended, or a program to run instead. Called again
   * if somebody has requested an end since then. `whole`: the end mark arrived, so no output is lost.
   */
  readonly ending?: (said: {
    readonly code: number;
    readonly whole: boolean;
  }) => Promise<Ended | { readonly instead: readonly string[] }>;
};

type Ended = { readonly exit: number | null; readonly note?: string; readonly began?: false };

/** A valid remote directory: it is shown to users and models. */
const DIRECTORY = /^\/[^\u0000-\u001f\u007f-\u009f]{0,4095}$/;

/** Bytes the program may print before a command runs through it; more means that it is unusable. */
const MAX_EARLY_BYTES = 65_536;

/** The receivers of a terminal program's output and end. */
type Listener = { readonly data: (data: Buffer) => void; readonly exit: (code: number) => void };

/** Starts the program before its use is known; its output is kept until then. Never throws. */
export function openElsewhere({ argv, env, closes = false, size, ...kept }: OpenElsewhereOptions): ElsewhereTerminal {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const early: Buffer[] = [];
  let earlyBytes = 0;
  let exit: number | undefined;
  let failure: string | undefined;
  let terminal: Pty | undefined;
  let listener: Listener = {
    data(data) {
      early.push(data);
      earlyBytes += data.length;
      if (earlyBytes > MAX_EARLY_BYTES) terminal?.dispose();
    },
    exit() {},
  };
  const start = (words: readonly string[]) => {
    try {
      terminal = new Pty({
        ...asCompanion(words, env, closes),
        ...size(),
        cwd: '/',
        onData: (data) => listener.data(data),
        onExit(code) {
          exit = code;
          listener.exit(code);
          resolve();
        },
      });
    } catch (error) {
      failure = messageOf(error);
      resolve();
    }
    return failure === undefined;
  };
  start(argv);
  return {
    ended,
    get over() {
      return exit !== undefined || failure !== undefined;
    },
    run(options) {
      const { columns, rows } = size();
      terminal?.resize(columns, rows);
      const [run, hears] = runIn({ terminal: () => terminal, start }, { ...kept, columns, rows }, options);
      if (failure !== undefined) void run.end(null, options.place, `could not start: ${failure}`, false);
      else run.begin();
      listener = hears;
      for (const data of early.splice(0)) hears.data(data);
      if (exit !== undefined) hears.exit(exit);
      return run;
    },
    end: () => terminal?.dispose(),
  };
}

/**
 * Runs a local program that represents a remote command or connection. Their terminals are connected, so Ctrl-C is
 * sent as a key first; only then is the local program ended. Nothing of it outlives aish-tui.
 */
export function runElsewhere(options: OpenElsewhereOptions & RunElsewhereOptions): RunningCommand {
  return openElsewhere(options).run(options);
}

function runIn(
  { terminal, start }: { terminal(): Pty | undefined; start(argv: readonly string[]): boolean },
  options: RunOptions,
  { place, host, token, modes, ending }: RunElsewhereOptions,
): readonly [Run, Listener] {
  let cwd = place;
  let whole = false;
  let unwanted = false;
  const end = (name: NodeJS.Signals) => () => {
    const pid = terminal()?.pid;
    if (pid !== undefined) for (const member of processesOf(pid)) signal(member, name);
  };
  const stopper = new Stopper([() => terminal()?.write('\x03'), end('SIGTERM'), end('SIGKILL')]);
  const run = new Run(options, {
    pid: () => terminal()?.pid ?? -1,
    slave: () => terminal()?.slave ?? '',
    write: (data) => terminal()?.write(data),
    resize: (columns, rows) => terminal()?.resize(columns, rows),
    pause: () => terminal()?.pause(),
    resume: () => terminal()?.resume(),
    interrupt() {
      unwanted = true;
      stopper.stop();
    },
    hangUp() {
      unwanted = true;
      terminal()?.dispose();
    },
    ...(modes ? { modes } : {}),
  });
  const scanner = new MarkScanner(
    (given) => given === token,
    (data) => run.feed(data),
    (mark) => {
      if (mark.kind === 'E') whole = true;
      const directory = mark.fields.join(';');
      if (mark.kind === 'D' && host !== undefined && DIRECTORY.test(directory)) cwd = placeOn(host, directory);
    },
  );
  const over = async (code: number): Promise<void> => {
    const stopped = stopper.stopping;
    stopper.done();
    scanner.flush();
    const byItself: Ended = { exit: code };
    const end = (await ending?.({ code, whole })) ?? byItself;
    if ('instead' in end) {
      if (unwanted || !start(end.instead)) return over(code);
      return;
    }
    const { exit, note = stopped ? 'interrupted' : undefined, began } = end;
    await run.end(exit, cwd, note, began);
  };
  return [run, { data: (data) => scanner.push(data), exit: (code) => void over(code) }];
}

/** The report on a remote command after its end. `exit` null: the code is unknown. `began: false`: it did not run. */
export type Reported = {
  readonly exit: number | null;
  readonly output?: string;
  readonly note?: string;
  readonly began?: false;
};

/**
 * A command without a local process: its carrier reports all output and the end at once. It accepts no input.
 * @param place where it ran
 * @param report fetches the report; its signal aborts when the command should end, and the report still counts
 */
export function runReported(
  options: RunOptions,
  place: string,
  report: (ending: AbortSignal) => Promise<Reported>,
): RunningCommand {
  const ending = new AbortController();
  const end = () => ending.abort();
  const nothing = () => {};
  const run = new Run(options, {
    ...{ pid: () => -1, slave: () => '', pipe: true, interrupt: end, hangUp: end },
    ...{ write: nothing, resize: nothing, pause: nothing, resume: nothing },
  });
  run.begin();
  void report(ending.signal)
    .catch((error: unknown): Reported => ({ exit: null, note: messageOf(error) }))
    .then(({ exit, output = '', note, began }) => {
      if (output !== '') run.feed(Buffer.from(output));
      return run.end(exit, place, note, began);
    });
  return run;
}
