import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { RemoteShell } from '../contracts/machine.ts';
import { toError } from '../text/errors.ts';
import { newToken, type Seat, type ShellEvents, type ShellState } from './driven-shell.ts';
import { EditorShell } from './editor-shell.ts';
import { type Environment, userEnvironment } from './environment.ts';
import { bash, signal } from './processes.ts';
import { bashEditor } from './shell-integration/bash.ts';
import { fishEditor } from './shell-integration/fish.ts';
import type { EditorIntegration } from './shell-integration/integration.ts';
import { plainBash, plainSh } from './shell-integration/plain-sh.ts';
import { zshEditor } from './shell-integration/zsh.ts';
import { anyoneReads, waitsForLine } from './terminal-state.ts';

/** If a startup file reaches no prompt in this many ms, the next start skips it; some slow ones get longer. */
const STARTUP_TIMEOUT_MS = 10_000;
const SLOW_STARTUP_TIMEOUT_MS = 60_000;
/** A shell that ends sooner than this, this many times in a row, is not restarted. */
const MIN_LIFE_MS = 1000;
const MAX_RESTARTS = 3;

/** The supported shells by program name. */
const INTEGRATIONS: Readonly<Record<string, EditorIntegration>> = {
  bash: bashEditor,
  zsh: zshEditor,
  fish: fishEditor,
};
/** The shells supported on hosts, including plain ones, in whose place bash runs on this machine. */
const ON_HOSTS: typeof INTEGRATIONS = { ...INTEGRATIONS, dash: plainSh, ash: plainSh, sh: plainSh };

/** `restarted`: a new shell starts. `left`: the user ended it. `message`: one line for the user. */
export type ShellEnd = {
  readonly code: number;
  readonly restarted: boolean;
  readonly left: boolean;
  readonly message: string;
  /** The shell was on a host whose connection was lost. */
  readonly lost?: true;
};

/** The note for a command that the end of its shell interrupted. */
export function noteOnEnd({ lost, restarted }: ShellEnd): string {
  if (lost) return 'the connection was lost; what it did since is not known';
  return restarted ? 'the shell ended; a new one was started' : 'the shell ended';
}

export type SupervisorOptions = {
  /** The host it runs on; absent: this machine. */
  readonly there?: RemoteShell | undefined;
  /** The path of the shell's program; bash runs if it is missing or unsupported. */
  readonly shell: string;
  readonly env: Environment;
  /** Returns the place of the next shell; called at every start. */
  readonly place: () => { readonly cwd: string; readonly columns: number; readonly rows: number };
  /** A command of the user's runs: if the shell ends then, that is not a failure. */
  readonly commandRuns: () => boolean;
};

export type SupervisorEvents = Omit<ShellEvents, 'onExit' | 'onUnable'> & {
  readonly onExit: (end: ShellEnd) => void;
  /** The shell can't be controlled through its line editor: one line for the user. */
  readonly onNotice: (text: string) => void;
};

/** Keeps a shell running: restarts it when it ends, without the user's startup file if that caused the end. */
export class ShellSupervisor {
  /** The program that is running. */
  readonly program: string;
  #integration: EditorIntegration | undefined;
  readonly #options: SupervisorOptions;
  readonly #events: SupervisorEvents;
  #process: EditorShell | undefined;
  #state: ShellState | undefined;
  /** Why the startup file was skipped. */
  #tooLong: string | undefined;
  #startup: { timer: NodeJS.Timeout; done: () => void; failed: (error: Error) => void } | undefined;
  #startedAt = 0;
  #shortLives = 0;
  #personal = true;
  #closing = false;
  #switches = false;

  constructor(options: SupervisorOptions, events: SupervisorEvents) {
    this.#options = options;
    this.#events = events;
    const { there, shell } = options;
    const here = existsSync(shell) ? INTEGRATIONS[basename(shell)] : undefined;
    const wanted = there ? ON_HOSTS[basename(there.program)] : here;
    this.program = there?.program ?? (wanted ? shell : bash);
    this.#integration = wanted ?? (there ? undefined : bashEditor);
  }

  /** The current shell; undefined between two. */
  get process(): EditorShell | undefined {
    return this.#process;
  }

  /** The shell has not reached its first prompt yet. */
  get starting(): boolean {
    return this.#startup !== undefined;
  }

  /** The state reported at the last prompt, also after the shell's end. */
  get state(): ShellState {
    this.#state ??= this.#process?.state() ?? {
      words: new Set(),
      aliases: new Set(),
      abbreviations: {},
      vi: false,
      searches: false,
      prompt: '',
      env: {},
    };
    return this.#state;
  }

  /** Resolves at the first prompt. Rejects if no shell can run at all. */
  async start(): Promise<void> {
    this.#startedAt = Date.now();
    const { env, place } = this.#options;
    const { cwd, columns, rows } = place();
    const options = {
      program: this.program,
      personal: this.#personal,
      cwd: this.#options.there || existsSync(cwd) ? cwd : '/',
      env: userEnvironment(env),
      columns,
      rows,
    };
    const events: ShellEvents = {
      ...this.#events,
      onReady: (at) => this.#atPrompt(at),
      onUnable: (why) => this.#driveByPipe(why),
      onExit: (code, signalled) => this.#exited(code, signalled),
    };
    const { there } = this.#options;
    const seat = there && (await this.#seatOn(there));
    const process = new EditorShell(this.#integration ?? bashEditor, seat ? { ...options, seat } : options, events);
    this.#process = process;
    if (this.#closing) {
      await process.dispose();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      // Killing it leads to `#exited`, which restarts it without the startup file.
      const end = (why: string) => {
        this.#tooLong = why;
        signal(process.pty.pid, 'SIGKILL');
      };
      const tooSlow = () => end(`reached no prompt in ${SLOW_STARTUP_TIMEOUT_MS / 1000} s`);
      const look = () => {
        const { pid, slave } = process.pty;
        // On a host it is unknown which process reads. After `exec fish` in a startup file, fish waits in its line
        // editor.
        const asks = !seat && (anyoneReads(pid, slave, true) || waitsForLine(pid, slave) === true);
        if (asks || seat) return end('waits for input');
        startup.timer = setTimeout(tooSlow, SLOW_STARTUP_TIMEOUT_MS - STARTUP_TIMEOUT_MS);
      };
      const startup = { timer: setTimeout(look, STARTUP_TIMEOUT_MS), done: resolve, failed: reject };
      this.#startup = startup;
    });
  }

  /** Writes to the host everything that the shell needs to start. */
  async #seatOn(there: RemoteShell): Promise<Seat> {
    const integration = this.#integration;
    if (!integration) throw new Error(`the shell of ${there.host} is not supported: ${there.program}`);
    const [files, token] = [await there.files(), newToken()];
    const startup = integration.files({ directory: files.path, token, env: there.env, personal: this.#personal });
    await Promise.all(Object.entries(startup).map(async ([name, text]) => files.write(name, text)));
    const launch = await there.starts(integration.launch, files, integration.env({}, files.path));
    return { there, files, token, launch };
  }

  /** Ends the shell as closing its terminal would; resolves at its end. */
  async dispose(): Promise<void> {
    this.#closing = true;
    this.#endStartup()?.failed(new Error('The shell was closed before its first prompt.'));
    await this.#process?.dispose();
  }

  #endStartup() {
    const startup = this.#startup;
    this.#startup = undefined;
    clearTimeout(startup?.timer);
    return startup;
  }

  #atPrompt(cwd: string): void {
    this.#state = undefined;
    this.#endStartup()?.done();
    this.#events.onReady(cwd);
  }

  /** Restarts an old bash, or one with another line editor, as a shell fed by a pipe. */
  #driveByPipe(why: string): void {
    this.#integration = plainBash;
    this.#switches = true;
    this.#events.onNotice(
      `${why}: lines go to the shell through a pipe; what it does with them is as good as that allows`,
    );
  }

  #exited(code: number, signalled: boolean): void {
    if (this.#closing) return;
    if (this.#switches) {
      this.#switches = false;
      const waiting = this.#endStartup();
      this.start().then(
        () => waiting?.done(),
        (error: unknown) => waiting?.failed(toError(error)),
      );
      return;
    }
    const startup = this.#endStartup();
    this.#state = this.state;
    this.#process = undefined;
    const { there } = this.#options;
    if (there) {
      // A shell on a host is not restarted automatically.
      if (startup) {
        startup.failed(new Error(`the shell on ${there.host} ended before its first prompt (exit ${code})`));
        return;
      }
      void there.isLost(code).then((lost) => {
        const why = lost
          ? `the connection to ${there.host} was lost`
          : `the shell on ${there.host} ended (exit ${code})`;
        this.#events.onExit({ code, restarted: false, left: !lost, message: why, ...(lost ? { lost } : {}) });
      });
      return;
    }
    if (!startup && !signalled) {
      this.#events.onExit({ code, restarted: false, left: true, message: `The shell ended (exit ${code}).` });
      return;
    }
    if (startup) this.#personal = false;
    const tooSoon = !this.#options.commandRuns() && Date.now() - this.#startedAt < MIN_LIFE_MS;
    this.#shortLives = tooSoon ? this.#shortLives + 1 : 0;
    const restarted = this.#shortLives < MAX_RESTARTS;
    const why = startup ? 'without its startup file, which ended it' : 'in its place';
    const slow = this.#tooLong;
    this.#tooLong = undefined;
    const message = restarted
      ? slow === undefined
        ? `The shell ended (exit ${code}); a new one was started ${why}.`
        : `The startup file of the shell ${slow}: the shell was started again without it.`
      : `The shell ended (exit ${code}) repeatedly and was not restarted; check its startup file and start aish-tui again.`;
    this.#events.onExit({ code, restarted, left: false, message });
    if (!restarted) {
      startup?.failed(new Error(message));
      return;
    }
    this.start().then(
      () => startup?.done(),
      (error: unknown) => startup?.failed(toError(error)),
    );
  }
}

// Facts about the user's shell without starting it (`doctor`).

/** The oldest versions that can be controlled through their line editor. */
const OLDEST: Readonly<Record<string, readonly [major: number, minor: number]>> = {
  bash: [4, 4],
  zsh: [5, 8],
  fish: [3, 6],
};

type ShellFacts = { readonly good: boolean; readonly text: string };

/**
 * Asks the shell's program for its version.
 * @param home for the startup file, which may load ble.sh
 */
export function describeShell(shell: string | undefined, home: string | undefined): ShellFacts {
  if (shell === undefined || shell === '') return { good: false, text: 'SHELL is not set; bash is used' };
  const name = basename(shell);
  const oldest = OLDEST[name];
  if (!existsSync(shell)) return { good: false, text: `${shell} is not there; bash is used` };
  if (!oldest) return { good: false, text: `${shell} is not supported; bash is used` };
  const { stdout } = spawnSync(shell, ['--version'], { encoding: 'utf8', timeout: 2000 });
  const [version = '', major = '0', minor = '0'] = /(\d+)\.(\d+)(?:\.\d+)?/.exec(stdout ?? '') ?? [];
  const known = `${shell} ${version}`;
  const isOld = Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]);
  if (isOld && name === 'bash')
    return { good: true, text: `${known}: lines go to it through a pipe (older than ${oldest.join('.')})` };
  if (isOld) return { good: false, text: `${known} is older than ${oldest.join('.')}, which is needed` };
  if (name === 'bash' && usesBle(home))
    return { good: true, text: `${known} with ble.sh: lines go to it through a pipe` };
  return { good: true, text: `${known}: lines go to its own line editor` };
}

/** Returns the shell's name and version, as `bash 5.2`; only the name where it reports no version. */
export async function shellName(program: string): Promise<string> {
  const stdout = await new Promise<string>((resolve) => {
    execFile(program, ['--version'], { timeout: 2000 }, (_error, out) => resolve(out));
  });
  const [version = ''] = /\d+\.\d+/.exec(stdout) ?? [];
  return `${basename(program)} ${version}`.trimEnd();
}

function usesBle(home: string | undefined): boolean {
  try {
    return home !== undefined && /\bble(?:\.sh|-attach)\b/.test(readFileSync(join(home, '.bashrc'), 'utf8'));
  } catch {
    return false;
  }
}
