import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, writeFileSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { shellQuote } from '../text/shell.ts';
import type { Fact, Question } from './completion/complete.ts';
import { endCompleter, readAnswer } from './completion/shell-answers.ts';
import {
  type DrivenShell,
  directoryNow,
  type ShellEvents,
  type ShellProcessOptions,
  type ShellState,
} from './driven-shell.ts';
import { parseEnvironment } from './environment.ts';
import { PrivateDirectory } from './private-directory.ts';
import { withoutInherited } from './processes.ts';
import { Pty } from './pty.ts';
import type { Line, ShellIntegration } from './shell-integration/integration.ts';
import { type Mark, MarkScanner } from './shell-integration/marks.ts';

/** Milliseconds to save the history before the terminal is closed anyway, and then for the end. */
const LEAVE_TIMEOUT_MS = 300;
const END_TIMEOUT_MS = 1000;

/** One interactive shell with its terminal, command pipe and private directory, which have the same lifetime. */
export class PipeShell implements DrivenShell {
  readonly #events: ShellEvents;
  readonly #directory: PrivateDirectory;
  readonly #integration: ShellIntegration;
  readonly #pipe: CommandPipe;
  readonly #pty: Pty;
  readonly #scanner: MarkScanner;
  #promptToken: string;
  readonly #startupFiles: string[];
  #lineToken = '';
  /** While the shell fetches a line, output comes from its line editor and is dropped. */
  #phase: 'idle' | 'fetching' | 'command' = 'idle';
  #closing: NodeJS.Timeout | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #questions = 0;
  /** The answer files being waited for. */
  readonly #asked = new Set<string>();
  #words = '';
  #env = '';

  private constructor(
    integration: ShellIntegration,
    options: ShellProcessOptions,
    events: ShellEvents,
    directory: PrivateDirectory,
    pipe: CommandPipe,
  ) {
    this.#events = events;
    this.#directory = directory;
    this.#pipe = pipe;
    this.#promptToken = newToken();
    this.#integration = integration;
    const { env, personal } = options;
    const files = this.#integration.files({ directory: directory.path, token: this.#promptToken, env, personal });
    this.#startupFiles = Object.keys(files);
    for (const [name, text] of Object.entries(files)) writeFileSync(directory.file(name), text, { mode: 0o600 });
    this.#scanner = new MarkScanner(
      (token) => token === this.#lineToken || token === this.#promptToken,
      (data) => {
        if (this.#phase === 'command') events.onOutput(data);
        else if (this.#phase === 'idle') events.onIdle(data);
      },
      (mark) => this.#obey(mark),
    );
    const launch = `${this.#integration.launch} <${shellQuote(directory.file('lines'))}`;
    this.#pty = new Pty({
      argv: withoutInherited(['/bin/sh', '-c', launch, options.program, directory.path]),
      cwd: options.cwd,
      env: this.#integration.env(env, directory.path),
      columns: options.columns,
      rows: options.rows,
      onData: (data) => this.#scanner.push(data),
      onExit: (code, signalled) => {
        this.#scanner.flush();
        this.#clean();
        this.#ended.resolve();
        events.onExit(code, signalled);
      },
    });
  }

  /** Starts the shell; `onReady` follows with its first prompt. */
  static async start(
    integration: ShellIntegration,
    options: ShellProcessOptions,
    events: ShellEvents,
  ): Promise<PipeShell> {
    const directory = new PrivateDirectory('shell');
    let pipe: CommandPipe | undefined;
    try {
      pipe = await CommandPipe.create(directory.file('lines'));
      return new PipeShell(integration, options, events, directory, pipe);
    } catch (error) {
      pipe?.close();
      directory.remove();
      throw error;
    }
  }

  /** Each question causes a new prompt, followed by `onReady`. */
  get promptsAfterQuestion(): boolean {
    return this.#integration.completer.prompts;
  }

  get pty(): Pty {
    return this.#pty;
  }

  get remembersExits(): boolean {
    return this.#integration.remembersExits;
  }

  write(data: string): void {
    this.#pty.write(data);
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
  }

  /** The state as of the last prompt. */
  state(): ShellState {
    return {
      words: new Set(this.#words.split('\n')),
      aliases: new Set(),
      abbreviations: {},
      vi: false,
      searches: false,
      prompt: '',
      env: parseEnvironment(this.#env),
    };
  }

  /** Runs a line, one at a time. `onStart` and `onEnd` follow. */
  run(line: Omit<Line, 'token'>): void {
    this.#lineToken = newToken();
    this.#pipe.write(this.#integration.line({ ...line, token: this.#lineToken }));
  }

  /** Asks a fork of the shell for completions; only at a prompt. Undefined if it does not answer in time. */
  async complete(question: Question, signal: AbortSignal): Promise<readonly Fact[] | undefined> {
    const { code, arguments: argumentsOf, start } = this.#integration.completer;
    const file = (name: string) => this.#directory.file(name);
    this.#questions += 1;
    const answer = `answer-${this.#questions}`;
    try {
      if (this.#questions === 1) writeFileSync(file('completer'), code, { mode: 0o600 });
      writeFileSync(file(answer), '', { mode: 0o600 });
    } catch {
      return undefined;
    }
    this.#pipe.write(start([file(answer), ...argumentsOf(question, file('dump'))]));
    const { facts, over } = readAnswer(file(answer), signal);
    this.#asked.add(file(answer));
    void over.then(() => {
      this.#asked.delete(file(answer));
      this.#directory.discard(answer);
    });
    return facts;
  }

  /** Makes sure that a command's end is reported even if every hook was lost. */
  askForEnd(): void {
    this.#pipe.write(this.#integration.tell);
  }

  /**
   * Closes the terminal after saving the history: bash saves none if it is hung up inside a prompt hook.
   * Resolves when the shell has ended and its directory is removed, or when it does not end in time.
   */
  dispose(): Promise<void> {
    if (this.#phase === 'command') this.#hangUp();
    else {
      this.#pipe.write(this.#integration.leave);
      this.#closing ??= setTimeout(() => this.#hangUp(), LEAVE_TIMEOUT_MS);
    }
    const patience = setTimeout(() => this.#ended.resolve(), LEAVE_TIMEOUT_MS + END_TIMEOUT_MS);
    return this.#ended.promise.finally(() => clearTimeout(patience));
  }

  #obey(mark: Mark): void {
    switch (mark.kind) {
      case 'Q':
        if (mark.token === this.#lineToken && this.#phase === 'idle') this.#phase = 'fetching';
        return;
      case 'C':
        if (mark.token !== this.#lineToken || this.#phase !== 'fetching') return;
        this.#phase = 'command';
        this.#events.onStart();
        return;
      case 'D': {
        if (mark.token !== this.#lineToken || this.#phase !== 'command') return;
        this.#phase = 'idle';
        // Output from here on is authenticated by the same token, until the next line brings a new one.
        this.#promptToken = this.#lineToken;
        const [exit, ...directory] = mark.fields;
        this.#events.onEnd(Number(exit), directoryNow(this.#pty.pid, directory.join(';')));
        return;
      }
      case 'B':
        this.#hangUp();
        return;
      case 'R': {
        if (this.#phase === 'command') return;
        const refused = this.#phase === 'fetching';
        this.#phase = 'idle';
        // The shell has read its startup files and holds its end of the pipe.
        for (const name of this.#startupFiles.splice(0)) this.#directory.discard(name);
        this.#words = this.#directory.take('words') ?? this.#words;
        this.#env = this.#directory.take('env') ?? this.#env;
        const cwd = directoryNow(this.#pty.pid, mark.fields.join(';'));
        // A new prompt, but the fetched line never started: the shell rejected it.
        if (refused) this.#events.onEnd(2, cwd);
        this.#events.onReady(cwd);
      }
    }
  }

  /** A bash that is hung up between two commands may keep waiting for a line: the end of its input wakes it. */
  #hangUp(): void {
    this.#pty.dispose();
    this.#pipe.close();
  }

  #clean(): void {
    clearTimeout(this.#closing);
    this.#pipe.close();
    // A completer has a terminal of its own and would not notice the end of its shell.
    for (const answer of this.#asked) endCompleter(answer);
    this.#directory.remove();
  }
}

function newToken(): string {
  return randomBytes(16).toString('hex');
}

const RETRY_MS = 5;

/** The writing end of the FIFO from which a shell reads its command lines. */
class CommandPipe {
  readonly #fd: number;
  #waiting: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Creates the FIFO at `path`. Rejects on a file system without FIFOs. */
  static async create(path: string): Promise<CommandPipe> {
    await promisify(execFile)('mkfifo', ['-m', '600', path]);
    // Opened for reading and writing: opening does not wait for a reader, and a reader's end does not break the pipe.
    return new CommandPipe(openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
  }

  write(text: string): void {
    this.#waiting = Buffer.concat([this.#waiting, Buffer.from(text)]);
    this.#flush();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    closeSync(this.#fd);
  }

  #flush(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    try {
      while (this.#waiting.length > 0) this.#waiting = this.#waiting.subarray(writeSync(this.#fd, this.#waiting));
    } catch {
      // The pipe is full (EAGAIN); the shell reads on after running what it has.
      this.#timer = setTimeout(() => this.#flush(), RETRY_MS);
    }
  }
}
