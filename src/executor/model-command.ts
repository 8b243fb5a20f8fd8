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
  /** Signs the mark with which the command reports its cwd at its end. */
  readonly token?: string;
  /** What is said of a command that has ended by itself. */
  readonly endNote?: () => string | undefined;
  /** Nobody can type into it: a program that waits for a person is ended. */
  readonly alone?: boolean;
};

/** How long a program may wait for a person where there is none: it may have a time limit of its own. In ms. */
const ALONE_MS = 1500;

/** What a command runs in: a terminal of its own, or a pipe. */
type Child = Pick<Pty, 'pid' | 'pause' | 'resume'> & { readonly terminal?: Pty; hangUp(): void };

/** A command in a pty of its own, or over a pipe. One that can't be started resolves with `exit: null` and a note. */
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

/** Stops a command once it has waited a moment for a person. Returns how to ask why it was stopped. */
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
        // What draws a screen takes Ctrl-C for a key like any other.
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
  /** Wraps the argument vector: the kernel sandbox. */
  readonly launcher?: (argv: readonly string[]) => readonly string[];
  /** Its output goes there and not to a terminal; whose ends are this call's to close. */
  readonly pipe?: Pipe;
};

/**
 * What bash runs before the command: marks it for the watchdog, and arranges that the last thing it does is to tell its
 * cwd. An EXIT trap leaves the exit code, `exit 3` and `set -e` as they are; a command that sets its own EXIT trap or
 * ends in `exec` keeps the cwd it had. `eval "$1"` instead of pasting the text: line numbers and syntax errors are the
 * command's own.
 */
function prelude(token: string, pipe: boolean, launched: boolean, command: string): string {
  const told = `builtin printf "\\033]7331;${token};D;%s\\007" "$PWD"`;
  const plain = `case $PWD in *[[:cntrl:]]*) ;; *) ${told}${pipe ? '' : ' 2>/dev/null >/dev/tty'} ;; esac`;
  // Each file that is opened costs a kept command a question to its supervisor.
  const report = pipe && !/\bset\b/.test(command) ? plain : `{ set +x; } 2>/dev/null; ${plain}`;
  // The launcher has closed what this program has open, the user's terminal among it.
  const start = pipe && launched ? `${tagLimit} 2>&-` : `${closeInherited}; ${tagLimit} 2>/dev/null`;
  return `${start}; trap '${report}' EXIT; AISH_TUI_COMMAND=$1; shift; eval "$AISH_TUI_COMMAND"`;
}

/**
 * A command of a model: a fresh `bash -c` in a pty of its own or over a pipe, nothing carried over (EX-10); what could
 * change what runs is taken out of the environment. Nothing of it outlives this program.
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

/** Runs it at once. */
export function runOnce(options: OnceOptions): RunningCommand {
  return prepareOnce(options).begin();
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
  return byItself({ ...rest, argv: withoutInherited([shell, '-c', command]), env }).begin();
}

/** How long after its end a command's output is waited for, in ms: somebody else may have the pipe still. */
const LAST_OUTPUT_MS = 200;
/** Bytes taken in one turn of the event loop: keys wait meanwhile. */
const MAX_BYTES_PER_TURN = 512 * 1024;

type PipedOptions = ToBegin & {
  readonly pipe: Pipe;
  readonly onData: (data: Buffer) => void;
  /** Called after the last data. */
  readonly onExit: OnEnd;
};

/**
 * One child in a session of its own, without a terminal: nothing to read, and both of its outputs in one pipe, so that
 * they keep their order. The one owner of the child and the pipe.
 */
class Piped {
  /** -1 before it has begun. */
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

  /** Starts the child. Throws where that can't be; then all is given back. */
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

  /** In place of `begin`: nothing is started. */
  drop(): void {
    this.#options.pipe.drop();
    this.#output.destroy();
  }

  /** Stops reading until `resume`: the child waits when the kernel's buffer is full. */
  pause(): void {
    this.#held = true;
    this.#output.pause();
  }

  resume(): void {
    if (!this.#held) return;
    this.#held = false;
    if (!this.#turn) this.#output.resume();
  }

  /** Ends it as the end of a terminal would. Idempotent. */
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
    // What is left in the pipe is read now, whoever wanted to wait.
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
