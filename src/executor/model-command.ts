import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { Socket } from 'node:net';
import type { PreparedCommand, RunningCommand } from '../contracts/commands.ts';
import { messageOf } from '../text/errors.ts';
import { type Environment, unattendedEnvironment } from './environment.ts';
import { marked, tagLimit } from './orphans.ts';
import type { OnEnd, Pipe, ToBegin } from './pipes.ts';
import { bash, closeInherited, signal, withoutInherited } from './processes.ts';
import { Pty } from './pty.ts';
import { Run } from './running.ts';
import { MarkScanner } from './shell-integration/marks.ts';
import { sessionStopper } from './stopper.ts';

export type OwnPtyOptions = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
  readonly columns: number;
  readonly rows: number;
  /** A private directory for full-output files. */
  readonly dataDir: string;
  /** Authenticates the mark that reports the command's directory at its end. */
  readonly token?: string;
  /** Returns a note about a command that ended normally. */
  readonly endNote?: () => string | undefined;
  /** Whether no user can answer, so that a program which waits for input is ended. */
  readonly alone?: boolean;
};

/** Milliseconds a program may wait for an absent user: it may have a timeout of its own. */
const ALONE_MS = 1500;

/** Runs the command in its own terminal, or over a pipe. */
type Child = Pick<Pty, 'pid' | 'pause' | 'resume'> & { readonly terminal?: Pty; hangUp(): void };

/** Prepares a command in its own pty or over a pipe. If it can't start, the result has `exit: null` and a note. */
function byItself(options: OwnPtyOptions & { readonly pipe?: Pipe }): PreparedCommand {
  let cwd = options.cwd;
  let child: Child | undefined;
  const run = new Run(options, {
    pid: () => child?.pid ?? -1,
    slave: () => child?.terminal?.slave ?? '',
    write: (data) => child?.terminal?.write(data),
    resize: (columns, rows) => child?.terminal?.resize(columns, rows),
    pause: () => child?.pause(),
    resume: () => child?.resume(),
    interrupt: () => stopper.stop(),
    hangUp: () => child?.hangUp(),
    behind: true,
    ...(options.pipe ? { pipe: true } : {}),
  });
  const stopper = sessionStopper(() => child?.pid);
  const vain = options.alone ? endVainWait(run, () => stopper.stop()) : () => undefined;
  const scanner = new MarkScanner(
    (given) => given === options.token,
    (data) => run.feed(data),
    (mark) => {
      cwd = mark.fields.join(';');
    },
  );
  const onData = (data: Buffer) => scanner.push(data);
  const onExit = (code: number | null, why?: string) => {
    const note =
      why === undefined
        ? (vain() ?? (stopper.stopping ? 'interrupted' : options.endNote?.()))
        : `could not start: ${why}`;
    stopper.done();
    scanner.flush();
    void run.end(code, cwd, note);
  };
  const piped = options.pipe && new Piped({ ...options, pipe: options.pipe, onData, onExit });
  return {
    begin() {
      try {
        piped?.begin();
        child = piped ?? inTerminal(options, onData, onExit);
        run.begin();
      } catch (error) {
        void run.end(null, cwd, `could not start: ${messageOf(error)}`);
      }
      return run;
    },
    drop: () => piped?.drop(),
  };
}

/** Stops a command that has waited for an absent user. Returns a function that gives the reason. */
function endVainWait(run: RunningCommand, stop: () => void): () => string | undefined {
  let why: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  run.onModes(() => {
    if (!run.asks) {
      clearTimeout(timer);
      timer = undefined;
    } else
      timer ??= setTimeout(() => {
        why ??= `ended: ${run.asker ?? 'a program'} waits for a person, and nobody is here to answer it`;
        stop();
        // A full-screen program treats Ctrl-C as an ordinary key.
        if (run.fullScreen) stop();
      }, ALONE_MS);
  });
  void run.result.finally(() => clearTimeout(timer));
  return () => why;
}

function inTerminal(options: OwnPtyOptions, onData: (data: Buffer) => void, onExit: (code: number) => void): Child {
  if (!statSync(options.cwd).isDirectory()) throw new Error(`${options.cwd} is not a directory`);
  const terminal = new Pty({ ...options, onData, onExit: (code) => onExit(code) });
  return {
    terminal,
    pid: terminal.pid,
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    hangUp: () => terminal.dispose(),
  };
}

type CommandOptions = Pick<OwnPtyOptions, 'cwd' | 'columns' | 'rows' | 'dataDir' | 'endNote' | 'alone'> & {
  readonly command: string;
  /** The exported environment of the user's shell. */
  readonly env: Environment;
};

export type OnceOptions = CommandOptions & {
  /** Wraps the argument vector in the kernel sandbox. */
  readonly launcher?: (argv: readonly string[]) => readonly string[];
  /** The output goes to this pipe, not to a terminal. This call closes its ends. */
  readonly pipe?: Pipe;
};

/**
 * The bash code before the command: it marks the process for the watchdog and sets an EXIT trap that reports the
 * directory. The trap keeps the exit code, also for `exit 3` and `set -e`. A command that sets its own EXIT trap or
 * ends in `exec` keeps its starting directory. `eval "$1"` keeps line numbers and syntax errors the command's own.
 */
function prelude(token: string, pipe: boolean, launched: boolean, command: string): string {
  const told = `builtin printf "\\033]7331;${token};D;%s\\007" "$PWD"`;
  const plain = `case $PWD in *[[:cntrl:]]*) ;; *) ${told}${pipe ? '' : ' 2>/dev/null >/dev/tty'} ;; esac`;
  // Avoid opening a file: each open costs a recorded command a round trip to its supervisor.
  const report = pipe && !/\bset\b/.test(command) ? plain : `{ set +x; } 2>/dev/null; ${plain}`;
  // The launcher has already closed the descriptors inherited from this program, including the user's terminal.
  const start = pipe && launched ? `${tagLimit} 2>&-` : `${closeInherited}; ${tagLimit} 2>/dev/null`;
  return `${start}; trap '${report}' EXIT; AISH_TUI_COMMAND=$1; shift; eval "$AISH_TUI_COMMAND"`;
}

/**
 * Prepares a model's command: a fresh `bash -c` in its own pty or over a pipe, with no state from earlier commands
 * (EX-10). Variables that could change which code runs are removed. Nothing of it outlives aish-tui.
 */
export function prepareOnce({ command, launcher, env, ...rest }: OnceOptions): PreparedCommand {
  const token = randomBytes(16).toString('hex');
  const own = [
    bash,
    '--noprofile',
    '--norc',
    '-c',
    prelude(token, rest.pipe !== undefined, launcher !== undefined, command),
    'bash',
    command,
  ];
  const [file = bash, ...args] = launcher ? launcher(own) : own;
  return byItself({
    ...rest,
    argv: [file, ...args],
    env: marked(unattendedEnvironment(env)),
    token,
  });
}

/** Starts a command at once. */
export function runOnce(options: OnceOptions): RunningCommand {
  return prepareOnce(options).begin();
}

/**
 * Runs the user's background command (EX-8) in their own shell with their full environment. When aish-tui ends, it
 * closes the terminal; detached processes survive.
 */
export function runForUser({
  command,
  env,
  shell,
  ...rest
}: CommandOptions & { readonly shell: string }): RunningCommand {
  return byItself({ ...rest, argv: withoutInherited([shell, '-c', command]), env }).begin();
}

/** Milliseconds to wait for output after a command's end: another process may keep the pipe open. */
const LAST_OUTPUT_MS = 200;
/** Bytes to read per turn of the event loop, so that key presses are handled in between. */
const MAX_BYTES_PER_TURN = 512 * 1024;

type PipedOptions = ToBegin & {
  readonly pipe: Pipe;
  readonly onData: (data: Buffer) => void;
  /** Called after all output has been read. */
  readonly onExit: OnEnd;
};

/**
 * A child in its own session without a terminal. It has no input, and both outputs share one pipe to keep their
 * order. Owns the child and the pipe.
 */
class Piped {
  /** The process id; -1 before the start. */
  pid = -1;
  readonly #output: Socket;
  readonly #options: PipedOptions;
  #code: number | null | undefined;
  #why: string | undefined;
  #drained = false;
  #over = false;
  #turnBytes = 0;
  #turn: NodeJS.Immediate | undefined;
  #held = false;
  #last: NodeJS.Timeout | undefined;

  constructor(options: PipedOptions) {
    const { pipe } = options;
    this.#options = options;
    this.#output = new Socket({ fd: pipe.read, readable: true, writable: false });
    this.#output.on('data', (data) => this.#take(data));
    this.#output.on('error', () => {});
    this.#output.on('close', () => {
      this.#drained = true;
      this.#conclude();
    });
  }

  /** Starts the child. Throws on failure after releasing everything. */
  begin(): void {
    const { argv, cwd, env, pipe } = this.#options;
    try {
      if (!statSync(cwd).isDirectory()) throw new Error(`${cwd} is not a directory`);
    } catch (error) {
      this.drop();
      throw error;
    }
    try {
      this.pid = pipe.begin({ argv, cwd, env }, (code, why) => this.#ended(code, why));
    } catch (error) {
      this.#output.destroy();
      throw error;
    }
  }

  /** Call instead of `begin` to start nothing. */
  drop(): void {
    this.#options.pipe.drop();
    this.#output.destroy();
  }

  /** Stops reading until `resume`; the child blocks when the kernel's buffer is full. */
  pause(): void {
    this.#held = true;
    this.#output.pause();
  }

  resume(): void {
    if (!this.#held) return;
    this.#held = false;
    if (!this.#turn) this.#output.resume();
  }

  /** Ends the command as closing a terminal would. Idempotent. */
  hangUp(): void {
    if (!this.#over && this.pid > 0) signal(-this.pid, 'SIGHUP');
  }

  #take(data: Buffer): void {
    this.#turnBytes += data.length;
    if (this.#turnBytes >= MAX_BYTES_PER_TURN && !this.#turn) {
      this.#output.pause();
      this.#turn = setImmediate(() => {
        this.#turn = undefined;
        this.#turnBytes = 0;
        if (!this.#held) this.#output.resume();
      });
    }
    this.#options.onData(data);
  }

  #ended(code: number | null, why?: string): void {
    if (this.#code !== undefined) return;
    this.#code = code;
    this.#why = why;
    // Read the rest of the pipe now, even while paused.
    this.#held = false;
    this.#output.resume();
    this.#last = setTimeout(() => this.#output.destroy(), LAST_OUTPUT_MS);
    this.#conclude();
  }

  #conclude(): void {
    if (this.#over || this.#code === undefined || !this.#drained) return;
    this.#over = true;
    clearTimeout(this.#last);
    this.#options.onExit(this.#code, this.#why);
  }
}
