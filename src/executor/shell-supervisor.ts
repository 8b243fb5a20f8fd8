import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { toError } from '../text/errors.ts';
import { type Environment, userEnvironment } from './environment.ts';
import { bash, signal } from './processes.ts';
import { bashIntegration } from './shell-integration/bash.ts';
import type { ShellIntegration } from './shell-integration/integration.ts';
import { zshIntegration } from './shell-integration/zsh.ts';
import { type ShellEvents, ShellProcess, type ShellState } from './shell-process.ts';

/** A startup file that reaches no prompt in this time (`exec fish` in it) is left out at the next start. */
const STARTUP_TIMEOUT_MS = 10_000;
/** A shell that ends sooner than this, this often in a row, is not started again. */
const MIN_LIFE_MS = 1000;
const MAX_RESTARTS = 3;

/** The shells that can be driven, by the name of their program. */
const INTEGRATIONS: Readonly<Record<string, ShellIntegration>> = { bash: bashIntegration, zsh: zshIntegration };

/** `restarted`: another one is being started. `message`: one line for the user. */
export type ShellEnd = { readonly code: number; readonly restarted: boolean; readonly message: string };

export type SupervisorOptions = {
  /** Path of the shell's program; bash runs where that can't be driven or is not there. */
  readonly shell: string;
  readonly env: Environment;
  /** Asked at every start. */
  readonly place: () => { readonly cwd: string; readonly columns: number; readonly rows: number };
  /** A command of the user's runs: if the shell ends then, that is not a failure. */
  readonly commandRuns: () => boolean;
};

export type SupervisorEvents = Omit<ShellEvents, 'onExit'> & { readonly onExit: (end: ShellEnd) => void };

/** Keeps a shell running: starts one, and another when it ends, without the user's startup file if that has ended it. */
export class ShellSupervisor {
  /** The program that runs. */
  readonly program: string;
  readonly integration: ShellIntegration;
  readonly #options: SupervisorOptions;
  readonly #events: SupervisorEvents;
  #process: ShellProcess | undefined;
  #state: ShellState | undefined;
  #startup: { timer: NodeJS.Timeout; done: () => void; failed: (error: Error) => void } | undefined;
  #startedAt = 0;
  #shortLives = 0;
  #personal = true;
  #closing = false;

  constructor(options: SupervisorOptions, events: SupervisorEvents) {
    this.#options = options;
    this.#events = events;
    const wanted = existsSync(options.shell) ? INTEGRATIONS[basename(options.shell)] : undefined;
    this.program = wanted ? options.shell : bash;
    this.integration = wanted ?? bashIntegration;
  }

  /** The one that runs now; undefined between two. */
  get process(): ShellProcess | undefined {
    return this.#process;
  }

  /** It has not come to its first prompt yet. */
  get starting(): boolean {
    return this.#startup !== undefined;
  }

  /** The state reported at the last prompt, even of a shell that has ended. */
  get state(): ShellState {
    this.#state ??= this.#process?.state() ?? { words: new Set(), env: {} };
    return this.#state;
  }

  /** Resolves at the first prompt. Rejects where no shell can be run at all. */
  async start(): Promise<void> {
    this.#startedAt = Date.now();
    const { env, place } = this.#options;
    const { cwd, columns, rows } = place();
    const process = await ShellProcess.start(
      {
        program: this.program,
        integration: this.integration,
        personal: this.#personal,
        cwd: existsSync(cwd) ? cwd : '/',
        env: userEnvironment(env),
        columns,
        rows,
      },
      { ...this.#events, onReady: (at) => this.#atPrompt(at), onExit: (code) => this.#exited(code) },
    );
    this.#process = process;
    if (this.#closing) {
      await process.dispose();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      // Killing it leads to `#exited`, which starts it again without the startup file.
      const timer = setTimeout(() => signal(process.pty.pid, 'SIGKILL'), STARTUP_TIMEOUT_MS);
      this.#startup = { timer, done: resolve, failed: reject };
    });
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

  #exited(code: number): void {
    if (this.#closing) return;
    const startup = this.#endStartup();
    this.#state = this.state;
    this.#process = undefined;
    if (startup) this.#personal = false;
    const tooSoon = !this.#options.commandRuns() && Date.now() - this.#startedAt < MIN_LIFE_MS;
    this.#shortLives = tooSoon ? this.#shortLives + 1 : 0;
    const restarted = this.#shortLives < MAX_RESTARTS;
    const why = startup ? 'without its startup file, which ended it' : 'in its place';
    const message = restarted
      ? `The shell ended (exit ${code}); a new one was started ${why}.`
      : `The shell ended (exit ${code}) repeatedly and was not restarted; check its startup file and start aish-tui again.`;
    this.#events.onExit({ code, restarted, message });
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
