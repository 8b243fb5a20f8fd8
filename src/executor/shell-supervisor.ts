import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ShellThere } from '../contracts/machine.ts';
import { toError } from '../text/errors.ts';
import { type DrivenShell, newToken, type Seat, type ShellEvents, type ShellState } from './driven-shell.ts';
import { EditorShell } from './editor-shell.ts';
import { type Environment, userEnvironment } from './environment.ts';
import { PipeShell } from './pipe-shell.ts';
import { bash, signal } from './processes.ts';
import { bashEditor } from './shell-integration/bash.ts';
import { bashIntegration } from './shell-integration/bash-pipe.ts';
import { fishEditor } from './shell-integration/fish.ts';
import type { EditorIntegration } from './shell-integration/integration.ts';
import { plainSh } from './shell-integration/plain-sh.ts';
import { zshEditor } from './shell-integration/zsh.ts';
import { anyoneReads, waitsForLine } from './terminal-state.ts';

/** A startup file that reaches no prompt in this time is left out at the next start; slow ones have longer. */
const STARTUP_TIMEOUT_MS = 10_000;
const SLOW_STARTUP_TIMEOUT_MS = 60_000;
/** A shell that ends sooner than this, this often in a row, is not started again. */
const MIN_LIFE_MS = 1000;
const MAX_RESTARTS = 3;

/** The shells that can be driven, by the name of their program. */
const INTEGRATIONS: Readonly<Record<string, EditorIntegration>> = {
  bash: bashEditor,
  zsh: zshEditor,
  fish: fishEditor,
};
/** Here bash is run in their place. */
const ON_HOSTS: typeof INTEGRATIONS = { ...INTEGRATIONS, dash: plainSh, ash: plainSh, sh: plainSh };

/**
 * `restarted`: another one is being started. `left`: it was ended as a user ends it. `message`: one line for the user.
 */
export type ShellEnd = {
  readonly code: number;
  readonly restarted: boolean;
  readonly left: boolean;
  readonly message: string;
  /** It was on a host, and the connection is gone. */
  readonly lost?: true;
};

/** What is said of a command that the shell's end has cut off. */
export function noteOnEnd({ lost, restarted }: ShellEnd): string {
  if (lost) return 'the connection was lost; what it did since is not known';
  return restarted ? 'the shell ended; a new one was started' : 'the shell ended';
}

export type SupervisorOptions = {
  /** It runs on a host: absent, here. */
  readonly there?: ShellThere | undefined;
  /** Path of the shell's program; bash runs where that can't be driven or is not there. */
  readonly shell: string;
  readonly env: Environment;
  /** Asked at every start. */
  readonly place: () => { readonly cwd: string; readonly columns: number; readonly rows: number };
  /** A command of the user's runs: if the shell ends then, that is not a failure. */
  readonly commandRuns: () => boolean;
};

export type SupervisorEvents = Omit<ShellEvents, 'onExit' | 'onUnable'> & {
  readonly onExit: (end: ShellEnd) => void;
  /** It is not driven through its line editor: one line for the user. */
  readonly onNotice: (text: string) => void;
};

/**
 * Keeps a shell running: starts one, and another when it ends, without the user's startup file if that has ended it.
 */
export class ShellSupervisor {
  /** The program that runs. */
  readonly program: string;
  /** Undefined where lines go through a pipe. */
  #integration: EditorIntegration | undefined;
  readonly #options: SupervisorOptions;
  readonly #events: SupervisorEvents;
  #process: DrivenShell | undefined;
  #state: ShellState | undefined;
  /** Why a startup file was given up. */
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

  /** The one that runs now; undefined between two. */
  get process(): DrivenShell | undefined {
    return this.#process;
  }

  /** It has not come to its first prompt yet. */
  get starting(): boolean {
    return this.#startup !== undefined;
  }

  /** The state reported at the last prompt, even of a shell that has ended. */
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

  /** Resolves at the first prompt. Rejects where no shell can be run at all. */
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
    const process = this.#integration
      ? new EditorShell(this.#integration, seat ? { ...options, seat } : options, events)
      : await PipeShell.start(bashIntegration, options, events);
    this.#process = process;
    if (this.#closing) {
      await process.dispose();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      // Killing it leads to `#exited`, which starts it again without the startup file.
      const end = (why: string) => {
        this.#tooLong = why;
        signal(process.pty.pid, 'SIGKILL');
      };
      const tooSlow = () => end(`reached no prompt in ${SLOW_STARTUP_TIMEOUT_MS / 1000} s`);
      const look = () => {
        const { pid, slave } = process.pty;
        // On a host nobody sees who reads. `exec fish` in it waits in a line editor.
        const asks = !seat && (anyoneReads(pid, slave, true) || waitsForLine(pid, slave) === true);
        if (asks || seat) return end('waits for input');
        startup.timer = setTimeout(tooSlow, SLOW_STARTUP_TIMEOUT_MS - STARTUP_TIMEOUT_MS);
      };
      const startup = { timer: setTimeout(look, STARTUP_TIMEOUT_MS), done: resolve, failed: reject };
      this.#startup = startup;
    });
  }

  /** Lays everything down on the host that the shell needs to start. */
  async #seatOn(there: ShellThere): Promise<Seat> {
    const integration = this.#integration;
    if (!integration) throw new Error(`the shell of ${there.host} can't be driven: ${there.program}`);
    const [files, token] = [await there.files(), newToken()];
    const startup = integration.files({ directory: files.path, token, env: there.env, personal: this.#personal });
    await Promise.all(Object.entries(startup).map(async ([name, text]) => files.write(name, text)));
    const launch = await there.starts(integration.launch, files, integration.env({}, files.path));
    return { there, files, token, launch };
  }

  /** Ends the shell as closing its terminal would; resolves when it is gone. */
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

  /** An old bash, or one with an editor of its own: it ends itself, and is started in the other way. */
  #driveByPipe(why: string): void {
    this.#integration = undefined;
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
      // Nothing there is started again by itself.
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

// What is said of the user's shell before it runs (`doctor`).

/** The oldest versions that are driven through their own line editor. */
const OLDEST: Readonly<Record<string, readonly [major: number, minor: number]>> = {
  bash: [4, 4],
  zsh: [5, 8],
  fish: [3, 6],
};

type ShellFacts = { readonly good: boolean; readonly text: string };

/** Runs the shell's program for its version. @param home for the startup file, where ble.sh is looked for */
export function describeShell(shell: string | undefined, home: string | undefined): ShellFacts {
  if (shell === undefined || shell === '') return { good: false, text: 'SHELL is not set; bash is used' };
  const name = basename(shell);
  const oldest = OLDEST[name];
  if (!existsSync(shell)) return { good: false, text: `${shell} is not there; bash is used` };
  if (!oldest) return { good: false, text: `${shell} can't be driven; bash is used` };
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

function usesBle(home: string | undefined): boolean {
  try {
    return home !== undefined && /\bble(?:\.sh|-attach)\b/.test(readFileSync(join(home, '.bashrc'), 'utf8'));
  } catch {
    return false;
  }
}
