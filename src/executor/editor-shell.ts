import type { ShellFiles } from '../contracts/machine.ts';
import { directoryAt } from '../session/place.ts';
import { messageOf } from '../text/errors.ts';
import type { Fact, Question } from './completion/complete.ts';
import { COMPLETER_TIMEOUT_MS, completeRemoteFiles, ForkQuestions } from './completion/shell-answers.ts';

import {
  directoryNow,
  newToken,
  remotePlace,
  type Seat,
  type ShellEvents,
  type ShellProcessOptions,
  type ShellState,
  type TerminalSize,
} from './driven-shell.ts';
import { parseEnvironment } from './environment.ts';
import { PrivateDirectory } from './private-directory.ts';
import { commandLineOf, withoutInherited } from './processes.ts';
import { PromptStream, promptRow } from './prompt-stream.ts';
import { Pty } from './pty.ts';
import { parseAbbreviations } from './shell-integration/fish.ts';
import { type EditorIntegration, FLAG, type HandOver, type Line } from './shell-integration/integration.ts';
import type { Mark } from './shell-integration/marks.ts';
import { seesReaders, waitsForLine } from './terminal-state.ts';

/** Milliseconds to wait for the answer to one of our key sequences. */
const ANSWER_TIMEOUT_MS = 1000;
const FAR_ANSWER_TIMEOUT_MS = 5000;
/** Milliseconds to save the history before the terminal is closed anyway. */
const LEAVE_TIMEOUT_MS = 300;
/** Milliseconds for the shell to end once its terminal is closed. */
const END_TIMEOUT_MS = 1000;
/**
 * After this silence, in ms, the program checks whether a shell waits without a mark, and repeats the check at this
 * interval.
 */
const SILENCE_MS = 150;
const MAX_SILENCE_MS = 2000;

/** One interactive shell, controlled through its own line editor (see `EditorIntegration`). */
export class EditorShell {
  readonly remembersExits: boolean;
  readonly pty: Pty;
  readonly #events: ShellEvents;
  readonly #directory: ShellFiles;
  readonly seat: Seat | undefined;
  readonly #integration: EditorIntegration;
  readonly #stream: PromptStream;
  readonly #forks: ForkQuestions | undefined;
  readonly #token: string;
  readonly #startupFiles: string[];
  readonly #ended = Promise.withResolvers<void>();
  readonly #asked = new AskedKeys((keys) => this.#press(keys));
  readonly #reported: ReportedState;
  #flags = '';
  #prompt = '';
  #cwd: string;
  #program: string | undefined;
  /** A new size that the shell does not know yet. */
  #size: TerminalSize | undefined;
  /** Keys were sent that the command may not have read. */
  #keysSent = false;
  #typed = '';
  #rest = Promise.withResolvers<void>();
  #unsaved = false;
  #hiding = false;
  /** How many prompts there have been. */
  #prompts = 0;
  /** Work at a prompt that must finish before the next line. */
  #settled: Promise<void> = Promise.resolve();
  #closing = false;
  #gone = false;
  #silence: NodeJS.Timeout | undefined;
  #silenceMs = SILENCE_MS;
  readonly #press = (keys: string) => (this.#integration.fed ? this.#directory.feed?.(keys) : this.pty.write(keys));

  constructor(integration: EditorIntegration, options: ShellProcessOptions, events: ShellEvents) {
    this.#events = events;
    this.#integration = integration;
    this.seat = options.seat;
    this.#token = options.seat?.token ?? newToken();
    const own = options.seat ? undefined : new PrivateDirectory('shell');
    this.#directory = own ?? (options.seat as Seat).files;
    this.#forks = own && new ForkQuestions(own);
    this.#reported = new ReportedState(this.#directory);
    this.#cwd = options.cwd;
    this.remembersExits = integration.remembersExits;
    const directory = this.#directory.path;
    const files = integration.files({ ...options, directory, token: this.#token });
    this.#startupFiles = Object.keys(files);
    this.#stream = new PromptStream(
      {
        token: this.#token,
        echoOver: integration.echoOver,
        promptBegins: integration.promptBegins,
        // On a host only the shell’s mark shows that it waits.
        waits: () => (this.seat ? true : this.#waits()),
        typedAhead: () => this.#keysSent,
        asked: () => this.#asked.any,
      },
      {
        onIdle: (data) => {
          // The editor echoes typed-ahead text when it reads it.
          if (!this.#keysSent) events.onIdle(data);
        },
        onOutput: (data) => {
          this.#watch();
          events.onOutput(data);
        },
        onStart: () => {
          this.#watch();
          events.onStart();
        },
        onEnd: (exit, cwd) => this.#lineEnded(exit, cwd),
        onReady: (prompt) => {
          // If the user's own search is interrupted, it ends with a new prompt.
          this.#asked.give('G', undefined);
          if (prompt) this.#prompt = promptRow(prompt);
          this.#settled = this.#atPrompt();
        },
        onDoubt: () => void this.#doubted(),
        onRest: () => {
          events.onRest();
          if (integration.clearsRest) this.#stream.notRun();
          else this.pty.write('\x03');
        },
        onAnswer: (mark) => this.#answered(mark),
      },
    );
    try {
      if (own) for (const [name, text] of Object.entries(files)) own.write(name, text);
      const local = () => ({
        argv: withoutInherited(['/bin/sh', '-c', integration.launch, options.program, directory]),
        env: integration.env(options.env, directory),
      });
      this.pty = new Pty({
        ...(options.seat?.launch ?? local()),
        cwd: options.seat ? '/' : options.cwd,
        columns: options.columns,
        rows: options.rows,
        onData: (data) => this.#stream.push(data),
        onExit: (code, signalled) => this.#exited(code, signalled),
      });
    } catch (error) {
      this.#directory.remove();
      throw error;
    }
  }

  state(): ShellState {
    return this.#reported.state(this.#flags, this.#prompt);
  }

  run(line: Line): void {
    void this.#run(line);
  }

  async complete(question: Question, signal: AbortSignal): Promise<readonly Fact[] | undefined> {
    const { completer } = this.#integration;
    if (completer && 'ask' in completer) {
      const { exit, output } = await this.#own(completer.ask(question), COMPLETER_TIMEOUT_MS);
      return exit === 0 && !signal.aborted ? completer.facts(output.toString('utf8')) : undefined;
    }
    if (this.seat) return completeRemoteFiles(this.seat.there, question, directoryAt(this.#cwd));
    return completer && this.#forks?.ask(completer, question, signal, this.#press);
  }

  async search(line: string, size: TerminalSize, onData: (data: Buffer) => void): Promise<string | undefined> {
    await this.#settled;
    if (this.#stream.phase !== 'ready') return undefined;
    this.pty.resize(size.columns, size.rows);
    this.#stream.lent = onData;
    const found = await this.#ask('G', await this.#handOver(this.#integration.search(line)), Number.POSITIVE_INFINITY);
    this.#stream.lent = undefined;
    this.#directory.discard('line');
    const left = (await this.#directory.take('found'))?.trimEnd();
    return found ? left : undefined;
  }

  write(data: string): void {
    if (this.#stream.phase === 'command') this.#keysSent = true;
    this.pty.write(data);
  }

  async takeTyped(): Promise<string> {
    if (this.#stream.phase === 'command') return '';
    await this.#rest.promise;
    const typed = this.#typed;
    this.#typed = '';
    return typed;
  }

  resize(columns: number, rows: number): void {
    // Without a prompt nobody would see the redrawn line.
    if (this.#stream.phase === 'command' || this.#stream.lent) this.pty.resize(columns, rows);
    else this.#size = { columns, rows };
  }

  /** Checks whether the shell waits without having reported its prompt. */
  askForEnd(): void {
    if (this.#integration.fed) this.#press(this.#integration.keys.repair);
    this.#silenceMs = SILENCE_MS;
    void this.#lookForPrompt();
  }

  async dispose(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      await Promise.race([this.#settled, new Promise((resolve) => setTimeout(resolve, LEAVE_TIMEOUT_MS).unref())]);
      if (this.#stream.phase === 'ready' && this.#unsaved) await this.#own(this.#integration.code.save ?? '');
      this.pty.dispose();
      // A bash that is hung up between two lines waits until its input wakes it.
      if (this.#integration.fed) this.#press('\n');
    }
    const patience = setTimeout(() => this.#ended.resolve(), END_TIMEOUT_MS);
    return this.#ended.promise.finally(() => clearTimeout(patience));
  }

  async #run({ text, keep, hidden, remember }: Line): Promise<void> {
    if (this.#size) {
      this.pty.resize(this.#size.columns, this.#size.rows);
      this.#size = undefined;
    }
    const { code, line } = this.#integration;
    if (hidden) {
      this.#events.onStart();
      const { exit, output } = await this.#own(text);
      this.#events.onOutput(output);
      this.#events.onEnd(exit, this.#cwd);
      this.#settled = this.#atPrompt();
      return;
    }
    const before = [
      ...(remember.length > 0 && code.remember ? [code.remember(remember)] : []),
      ...(!keep && !this.#flags.includes(FLAG.ignoresBlank) && code.hide ? [code.hide] : []),
    ];
    this.#hiding = !keep && before.length > 0;
    if (before.length > 0) await this.#own(before.join('\n'));
    this.#unsaved = keep || remember.length > 0;
    // A leading blank keeps the line out of every shell's history.
    const put = this.#handOver(line((keep || text.startsWith(' ') ? '' : ' ') + text.replaceAll('\0', '')));
    const keys = typeof put === 'string' ? put : await put;
    this.#keysSent = false;
    this.#typed = '';
    this.#rest.resolve();
    this.#rest = Promise.withResolvers();
    this.#stream.sent();
    this.#press(keys);
    this.#watch();
  }

  /** Returns the keys after writing their file; synchronously for a local shell. */
  #handOver({ keys, file }: HandOver): string | Promise<string> {
    return (file === undefined ? undefined : this.#directory.write('line', file)?.then(() => keys)) ?? keys;
  }

  /** Runs our own code in the shell at its prompt, with no visible trace. */
  async #own(code: string, patience?: number): Promise<{ readonly exit: number; readonly output: Buffer }> {
    // An unreachable host counts as an ended shell.
    if (this.#gone || (await this.#directory.write('own', code)?.catch(messageOf)) !== undefined)
      return { exit: 1, output: Buffer.alloc(0) };
    const mark = await this.#ask('O', this.#integration.keys.own, patience);
    const output = Buffer.from((await this.#directory.take('told')) ?? '');
    this.#directory.discard('own');
    return { exit: Number(mark?.fields[0] ?? 1), output };
  }

  /** Sends one of our key sequences and waits for its mark; undefined if none comes. */
  #ask(
    kind: string,
    keys: string,
    patience = this.seat ? FAR_ANSWER_TIMEOUT_MS : ANSWER_TIMEOUT_MS,
  ): Promise<Mark | undefined> {
    return this.#asked.ask(kind, keys, patience);
  }

  #answered(mark: Mark): void {
    if (mark.kind === 'U') this.#events.onUnable(mark.fields.join(';'));
    // This text has left the shell’s editor, so it is kept for the user, whichever prompt asked for it.
    if (mark.kind === 'L') this.#typed += mark.fields.join(';');
    if (mark.kind === 'W') this.#typed += `${mark.fields.join(';')}\n`;
    this.#asked.give(mark.kind, mark);
  }

  #lineEnded(exit: number, cwd: string | undefined): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    this.#directory.discard('line');
    this.#cwd = this.seat ? (remotePlace(this.seat, cwd) ?? this.#cwd) : directoryNow(this.pty.pid, cwd);
    this.#events.onEnd(exit, this.#cwd);
  }

  /** Runs after each prompt: takes typed-ahead text, asks for the state, saves the history. */
  async #atPrompt(): Promise<void> {
    const { keys } = this.#integration;
    this.#prompts += 1;
    const prompt = this.#prompts;
    const isOver = () => prompt !== this.#prompts || this.#stream.phase !== 'ready';
    this.#program ??= commandLineOf(this.pty.pid);
    for (const name of this.#startupFiles.splice(0)) this.#directory.discard(name);
    if (this.#stream.stuck && keys.reset !== undefined) return this.#press(keys.reset);
    const typed = this.#keysSent ? await this.#takeTyped(isOver) : 'nothing';
    if (isOver()) return;
    this.#rest.resolve();
    const state = this.#stream.traces || (await this.#askState());
    if (isOver()) return;
    // Unread replies of the terminal may have put the editor in a mode, such as a search, in which it misreads our
    // keys: cancel that mode.
    if (!typed && !state) return this.pty.write('\x03');
    if (this.#flags.includes(FLAG.unhooked) && keys.hook !== undefined) this.#press(keys.hook);
    if (this.#flags.includes(FLAG.stale)) {
      this.#flags = '';
      this.#press(keys.repair);
      return;
    }
    if (!(await this.#keep(isOver))) return;
    if (!this.#gone && !this.#closing) this.#events.onReady(this.#cwd);
  }

  /** Asks for typed-ahead text; undefined if the editor does not answer, or the prompt has ended. */
  async #takeTyped(isOver: () => boolean): Promise<Mark | undefined> {
    // If the text contained a complete line, that line's mark may already have arrived.
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver()) return undefined;
    const typed = await this.#ask('L', this.#integration.keys.show);
    if (!isOver()) this.#keysSent = false;
    return typed;
  }

  /** Makes the shell save its history; false if the prompt has ended meanwhile. */
  async #keep(isOver: () => boolean): Promise<boolean> {
    const { code } = this.#integration;
    const traced = this.#flags.includes(FLAG.traced) || this.#stream.traces;
    const own = [
      ...(this.#hiding && code.unhide ? [code.unhide] : []),
      ...(code.save && this.#unsaved && !traced ? [code.save] : []),
    ];
    if (own.length > 0) await this.#own(own.join('\n'));
    if (isOver()) return false;
    if (own.length > 0) this.#hiding = false;
    if (!traced) this.#unsaved = false;
    return true;
  }

  async #askState(): Promise<Mark | undefined> {
    const state = await this.#ask('S', this.#integration.keys.state);
    if (!state) return undefined;
    this.#flags = state.fields[0] ?? '';
    await this.#reported.take();
    return state;
  }

  /** During a command: a silent shell in the foreground may be at a prompt whose marks were lost. */
  #watch(): void {
    this.#silenceMs = SILENCE_MS;
    if (this.#silence) this.#silence.refresh();
    else this.#silence = setTimeout(() => void this.#lookForPrompt(), this.#silenceMs).unref();
  }

  async #lookForPrompt(): Promise<void> {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    const { phase, settling, editing } = this.#stream;
    if (this.#gone || this.#closing || settling || (phase !== 'command' && phase !== 'sent')) return;
    // The shell's own `read` waits for keys too, so require an open editor. bash polls only in its editor.
    const asks = editing || (!this.seat && this.#integration.pollsInEditorOnly === true);
    this.#silenceMs = Math.min(this.#silenceMs * 2, MAX_SILENCE_MS);
    this.#silence = setTimeout(() => void this.#lookForPrompt(), this.#silenceMs).unref();
    if (asks) await this.#askForPrompt();
  }

  async #askForPrompt(): Promise<void> {
    const prompts = this.#prompts;
    if (!(await this.#isInFront()) || prompts !== this.#prompts) return;
    const [flags = '', serial, exit] = (await this.#askState())?.fields ?? [];
    if (flags.includes(FLAG.unmarked)) {
      this.#stream.promptUnmarked();
      this.#press(this.#integration.keys.repair);
    } else if (serial !== undefined) this.#stream.promptUnseen(serial, Number(exit));
  }

  /** The shell opened its editor without a mark: either its prompt has lost the marks, or a `read -e` runs. */
  async #doubted(): Promise<void> {
    // If it is unknown which process reads the terminal, only marks count.
    if (!this.seat && !this.#integration.fed && seesReaders) await this.#askForPrompt();
    this.#stream.decided();
  }

  /** Returns whether the shell itself has the terminal and waits. Another program would get our keys as input. */
  async #isInFront(): Promise<boolean> {
    if (this.seat) return this.seat.there.isInFront(this.seat.files);
    return this.#waits() === true && commandLineOf(this.pty.pid) === this.#program;
  }

  #waits(): boolean | undefined {
    return waitsForLine(this.pty.pid, this.pty.slave, this.#integration.fed !== true);
  }

  #exited(code: number, signalled: boolean): void {
    this.#gone = true;
    clearTimeout(this.#silence);
    this.#stream.flush();
    this.#asked.end();
    this.#rest.resolve();
    this.#forks?.dispose();
    this.#directory.remove();
    this.#ended.resolve();
    this.#events.onExit(code, signalled);
  }
}

/** Our key sequences that the shell has not answered yet. */
class AskedKeys {
  readonly #press: (keys: string) => void;
  readonly #waiting = new Map<string, (mark: Mark | undefined) => void>();

  /** @param press sends the keys */
  constructor(press: (keys: string) => void) {
    this.#press = press;
  }

  get any(): boolean {
    return this.#waiting.size > 0;
  }

  /** Sends keys and waits this many ms for their mark; undefined if none comes. */
  ask(kind: string, keys: string, patience: number): Promise<Mark | undefined> {
    return new Promise((resolve) => {
      const done = (mark: Mark | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(kind);
        resolve(mark);
      };
      const timer = Number.isFinite(patience) ? setTimeout(() => done(undefined), patience) : undefined;
      this.give(kind, undefined);
      this.#waiting.set(kind, done);
      this.#press(keys);
    });
  }

  /** Answers the request that waits for this kind of mark; undefined: none will come. */
  give(kind: string, mark: Mark | undefined): void {
    this.#waiting.get(kind)?.(mark);
  }

  /** Ends all waiting: no more marks will come. */
  end(): void {
    for (const answer of this.#waiting.values()) answer(undefined);
  }
}

const FILES = ['words', 'env', 'history', 'abbreviations', 'bindings'] as const;

/** The state that a shell writes to files in its directory at each prompt. */
class ReportedState {
  readonly #directory: ShellFiles;
  #texts: Readonly<Record<(typeof FILES)[number], string>> = {
    words: '',
    env: '',
    history: '',
    abbreviations: '',
    bindings: '',
  };

  constructor(directory: ShellFiles) {
    this.#directory = directory;
  }

  /** Reads the files; a missing file means no change. */
  async take(): Promise<void> {
    const texts = FILES.map(async (name) => [name, (await this.#directory.take(name)) ?? this.#texts[name]] as const);
    this.#texts = { ...this.#texts, ...Object.fromEntries(await Promise.all(texts)) };
  }

  /**
   * @param flags from its last mark S
   * @param prompt the last row of its prompt
   */
  state(flags: string, prompt: string): ShellState {
    const texts = this.#texts;
    const history = texts.history.startsWith('/') ? { history: texts.history } : {};
    const [aliases = '', others = ''] = texts.words.split(/(?<=^|\n)\n/, 2);
    return {
      words: new Set([...aliases.split('\n'), ...others.split('\n')]),
      aliases: new Set(aliases.split('\n')),
      abbreviations: parseAbbreviations(texts.abbreviations),
      prompt,
      vi: flags.includes(FLAG.vi),
      searches: flags.includes(FLAG.searches) || texts.bindings.includes('"\\C-r": '),
      env: parseEnvironment(texts.env),
      ...history,
    };
  }
}
