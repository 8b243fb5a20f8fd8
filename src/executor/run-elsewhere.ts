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

/** A terminal of this machine for a program that stands for something elsewhere. */
export type ElsewhereTerminal = {
  /** The program has ended, and nothing can be run by it any more. */
  readonly over: boolean;
  /** Resolves then. */
  readonly ended: Promise<void>;
  /** What runs by it, from its first output on: once. */
  run(options: RunElsewhereOptions): RunningCommand;
  /** Ends it where nothing was run by it yet. Idempotent. */
  end(): void;
};

export type OpenElsewhereOptions = Omit<RunOptions, 'columns' | 'rows'> & {
  /** The program of this machine that stands for the command. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The program closes by itself what it inherits, as ssh does. */
  readonly closes?: boolean;
  /** Asked when it starts, and again when something is run by it. */
  readonly size: () => Pick<RunOptions, 'columns' | 'rows'>;
};

export type RunElsewhereOptions = {
  /** Where the command begins, which is where its end is said to be unless it tells otherwise. */
  readonly place: string;
  /** Set for what runs on a host. */
  readonly host?: string;
  /** Signs the marks with which it tells its directory there, and that nothing follows. */
  readonly token?: string;
  /** Those of its terminal there. */
  readonly modes?: () => Promise<TerminalModes>;
  /**
   * What became of the command when the program has ended, or the program that runs it instead: asked again, where
   * somebody has asked for an end meanwhile. `whole`: it had told that nothing follows, so nothing is lost.
   */
  readonly ending?: (said: {
    readonly code: number;
    readonly whole: boolean;
  }) => Promise<Ended | { readonly instead: readonly string[] }>;
};

type Ended = { readonly exit: number | null; readonly note?: string; readonly began?: false };

/** What may be told as a directory of a host: it is shown, and told to models. */
const DIRECTORY = /^\/[^\u0000-\u001f\u007f-\u009f]{0,4095}$/;

/** Bytes that a program may print before anything is run by it: one that prints more is of no use. */
const MAX_EARLY_BYTES = 65_536;

/** Who hears of a terminal's program. */
type Listener = { readonly data: (data: Buffer) => void; readonly exit: (code: number) => void };

/** Starts the program, before it is known what it is for: what it prints is kept until then. Never throws. */
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
 * Runs a program here that stands for something elsewhere: a command on a host, or the connection to it. Its terminal
 * is the other one's, so Ctrl-C goes as a key; only then the program here is ended. Nothing of it outlives this
 * program.
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

/**
 * What was told of a command that runs elsewhere, when it was over. `exit` null: its code is not known. `began: false`:
 * it did not run.
 */
export type Reported = {
  readonly exit: number | null;
  readonly output?: string;
  readonly note?: string;
  readonly began?: false;
};

/**
 * A command that has no process here: what carried it tells all of its output and its end at once. There is nothing to
 * type for it.
 * @param place where it ran
 * @param report tells it; its signal fires when the command is to end, and what it tells counts all the same
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
