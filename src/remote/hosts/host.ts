/** One host, with the same interface as this machine while connected. */
import { randomBytes } from 'node:crypto';
import type { Confinement, RunningCommand } from '../../contracts/commands.ts';
import type { Machine } from '../../contracts/machine.ts';
import { directoryAt } from '../../session/place.ts';
import {
  askEnd,
  type Behind,
  clean,
  type End,
  hangUp,
  layDown,
  layDownAgain,
  leaderOf,
  readEnd,
  restsAt,
  startOf,
  waitOf,
  wakeUnlaid,
} from './commands.ts';
import type { Connection, HostFacts } from './connection.ts';
import { absentHost, hostFiles, hostProcesses, lacksSandbox } from './files.ts';

import { type LauncherKit, type RemoteKeep, RemoteSandbox, type RemoteTrial } from './launcher.ts';

import { type RemoteModes, readRemoteModes, terminalOf } from './remote-shell.ts';

/** A command whose end was not seen; the next connection asks for it. `command`: its name in messages. */
export type Unsettled = { readonly folder: string; readonly name: string; readonly command: string };

/** How a command is wrapped on the host, and who learns of its end. */
type How = {
  readonly behind?: Behind | undefined;
  readonly called: string;
  readonly ended?: ((began: boolean, running?: RunningCommand) => void) | undefined;
};

/** `end`: call it when the command has ended, right after its result if it ran. */
export type ActiveRemoteKeep = RemoteKeep & { end(began: boolean, running?: RunningCommand): void };

export type HostOptions = {
  /** Starts a local program that opens a session on the host. Never throws. */
  readonly session: (argv: readonly [string, ...string[]]) => SessionHere;
  /** During a command, open the session of the next one in advance. */
  readonly ahead?: boolean;
  /** Whether the user allows sending secrets to the host. */
  readonly trusted: () => boolean;
  readonly kit: LauncherKit;
  /** Called before a command's result if its end can't be determined. */
  readonly onUnsettled?: (host: string) => void;
  /**
   * Makes room to record what a command in Unrestricted or Project changes on the host. Undefined: nothing is recorded,
   * and Project is unavailable. In Project the tree is the project's. Never rejects.
   */
  readonly keep?: (
    host: string,
    command: string,
    place: string,
    mode: Confinement,
  ) => Promise<ActiveRemoteKeep | undefined>;
};

/** Exit codes from here on may be ssh's own, or the launcher's. */
const SIGNAL_CODE = 128;
const SETUP_CODE = 124;

const KEPT = { unrestricted: 'kept', project: 'project' } as const;

type Environment = Readonly<Record<string, string>>;

export class Host {
  readonly connection: Connection;
  readonly #options: HostOptions;
  #serial = 0;
  readonly #id = randomBytes(4).toString('hex');
  #unsettled: Unsettled[] = [];
  #sandbox: RemoteSandbox | undefined;
  readonly #ahead: SessionAhead;

  constructor(connection: Connection, options: HostOptions) {
    this.connection = connection;
    this.#options = options;
    this.#ahead = new SessionAhead(connection, (folder) => {
      const name = this.#nextName();
      return { name, session: this.#open(waitOf(folder, name)) };
    });
  }

  get machine(): Machine {
    const { facts, host, state } = this.connection;
    if (!facts || state !== 'open') return absentHost(host);
    const ask = (code: string) => this.connection.ask(code);
    return {
      host,
      home: facts.home,
      spawn: (command, options) => this.#spawn(facts, command, options),
      lacks: (mode) => this.#sandbox?.lacks(mode) ?? (this.#sandbox ? undefined : lacksSandbox(host, mode)),
      files: hostFiles(ask),
      processes: (ids, names) => hostProcesses(ask, ids, names),
    };
  }

  /** The launcher on the host; undefined without one, or without a connection. */
  get sandbox(): RemoteSandbox | undefined {
    return this.connection.state === 'open' ? this.#sandbox : undefined;
  }

  /**
   * Installs the launcher with the user's consent and tests it. Returns a line with the reason if it can't be used.
   * Never rejects.
   */
  async putLauncher(): Promise<string | undefined> {
    this.#sandbox = undefined;
    const sandbox = await RemoteSandbox.open(this.connection, this.#options.kit);
    if ('why' in sandbox) return sandbox.why;
    this.#sandbox = sandbox;
    return sandbox.lacks('restricted');
  }

  /** Asks how the commands ended whose end was not seen; one line for each. Runs nothing again. */
  async settle(): Promise<readonly string[]> {
    const { facts, host } = this.connection;
    if (!facts) return [];
    // Ask in each folder separately: a folder created later knows nothing of an earlier command.
    const lines: string[] = [];
    for (const { folder, name, command } of this.#unsettled.splice(0)) {
      const end = readEnd((await this.connection.ask(askEnd(folder, name)))?.text);
      if (end.kind === 'unknown') await this.connection.ask(hangUp(name));
      lines.push(`${host}: ${command} ${ENDS[end.kind](end)}`);
    }
    return lines;
  }

  async #spawn(facts: HostFacts, command: string, options: Parameters<Machine['spawn']>[1]): Promise<RunningCommand> {
    const { cwd: place, mode, signal, env = {} } = options;
    const { host } = this.connection;
    const sandbox = this.#sandbox;
    // Fail closed: a command judged for a narrower mode never runs without its sandbox.
    const why = sandbox ? sandbox.lacks(mode) : lacksSandbox(host, mode);
    if (why !== undefined) throw new Error(why);
    const directory = directoryAt(place);
    const keeps = sandbox && mode !== 'restricted';
    const kept = keeps ? await this.#options.keep?.(host, command, place, mode) : undefined;
    if (mode === 'project' && !kept) throw new Error(`${host} has no project here in which changes can be undone`);
    const behind =
      mode === 'restricted' ? sandbox?.restricted(directory) : kept && sandbox?.[KEPT[mode]](directory, kept);
    if (mode !== 'unrestricted' && !behind) throw new Error(`there is no sandbox on ${host}`);
    const ended = kept && ((began: boolean, of?: RunningCommand) => kept.end(began, of));
    return this.#start(facts, command, { place, signal, env }, { behind, ended, called: command });
  }

  /** Starts a model's command there in a trial. Rejects without a launcher or connection. */
  async try(
    command: string,
    { trial, ...where }: { place: string; signal: AbortSignal; env: Environment; trial: RemoteTrial },
  ): Promise<RunningCommand> {
    const { sandbox } = this;
    const { facts, host } = this.connection;
    if (!sandbox || !facts) throw new Error(`nothing can be tried on ${host}`);
    const behind = sandbox.trial(directoryAt(where.place), trial);
    return this.#start(facts, command, where, { behind, called: `the trial of ${command}` });
  }

  async #start(
    facts: HostFacts,
    command: string,
    { place, signal, env }: { place: string; signal: AbortSignal; env: Environment },
    { behind, called, ended }: How,
  ): Promise<RunningCommand> {
    const { host } = this.connection;
    const directory = directoryAt(place);
    let give = () => {};
    try {
      if (Object.keys(env).length > 0 && !this.#options.trusted())
        throw new Error(`it holds secrets of this machine, which go to ${host} only after :host trust ${host}`);
      signal.throwIfAborted();
      const ahead = this.#ahead.take();
      give = ahead?.give ?? (await this.connection.slots.take());
      signal.throwIfAborted();
      let name = ahead?.name ?? this.#nextName();
      const token = randomBytes(16).toString('hex');
      const order = {
        command,
        directory,
        token,
        env,
        bash: facts.bash,
        ...(behind ? { behind } : {}),
      };
      const laid = this.connection.ask(layDown(facts.folder, name, order));
      let began = true;
      let mayAgain = ahead !== undefined;
      const ending = async (said: Said): Promise<Ending | Instead> => {
        const end = await this.#endingOf(
          { folder: facts.folder, name, command: called },
          said,
          behind ? SETUP_CODE : SIGNAL_CODE,
        );
        began = end.began !== false;
        const again = mayAgain && !began && (await laid)?.exit === 0 && !signal.aborted;
        mayAgain = false;
        if (!again) return end;
        // A waiting session may have died long ago: then open a new one, once.
        const before = name;
        give();
        give = await this.connection.slots.take();
        name = this.#nextName();
        const anew = await this.connection.ask(layDownAgain(facts.folder, before, name, order));
        return anew?.exit === 0 ? { instead: this.connection.session(startOf(facts.folder, name), true) } : end;
      };
      const modes = () =>
        readRemoteModes((code) => this.connection.ask(code), terminalOf(leaderOf(facts.folder, name)));
      const session = ahead?.session ?? this.#open(startOf(facts.folder, name));
      const running = session.run({ place, host, token, modes, ending });
      // A command that was not stored does not start, and its record says so. No answer proves nothing: it may
      // already run. If it never arrives, its session gives up by itself.
      void laid.then((answer) => {
        if (!answer) void this.connection.ask(wakeUnlaid(facts.folder, name));
        else if (answer.exit !== 0) running.hangUp();
      });
      void running.result.then(() => {
        give();
        ended?.(began, running);
        if (this.#options.ahead) this.#ahead.prepare();
      });
      return running;
    } catch (error) {
      give();
      ended?.(false);
      throw error;
    }
  }

  /** Ends the connection and removes its files on the host, if that still answers. */
  async close(): Promise<void> {
    await this.#ahead.rests();
    await this.connection.close();
  }

  #nextName(): string {
    this.#serial += 1;
    return `op-${this.#id}-${this.#serial}`;
  }

  /** Opens a session with a terminal there that runs this code. */
  #open(code: string): SessionHere {
    return this.#options.session(this.connection.session(code, true));
  }

  /**
   * An exit code counts only if neither ssh nor the launcher uses it, and only after all output: the server sends the
   * code at once, and output may still be in transit when the connection breaks. Otherwise ask the host's record.
   */
  async #endingOf(unsettled: Unsettled, { code, whole }: Said, own: number): Promise<Ending> {
    const { connection } = this;
    const { folder, name } = unsettled;
    const answer = whole && code < own ? { text: `${code}` } : await connection.ask(askEnd(folder, name));
    const end = readEnd(answer?.text);
    if (end.kind === 'ended') {
      void connection.ask(clean(folder, name, true));
      return { exit: end.exit, ...(whole ? {} : { note: 'the connection broke at its end: output may be missing' }) };
    }
    // Only the host's record counts: without its answer nothing is known.
    if (answer) {
      if (end.kind === 'unknown') void connection.ask(hangUp(name));
      void connection.ask(clean(folder, name, end.kind !== 'never began'));
      const why = end.kind === 'never began' && end.why !== undefined ? `: ${end.why}` : '';
      return end.kind === 'never began'
        ? { exit: null, note: `it never began${why}`, began: false }
        : { exit: null, note: 'it was ended there' };
    }
    this.#unsettled.push(unsettled);
    const { host } = connection;
    this.#options.onUnsettled?.(host);
    return {
      exit: null,
      note: `the connection to ${host} was lost; the next :host ${host} finds out how the command ended`,
    };
  }
}

const ENDS: Readonly<Record<End['kind'], (end: End) => string>> = {
  ended: (end) => `had ended with exit ${end.kind === 'ended' ? end.exit : 0}`,
  'never began': () => 'never began',
  unknown: () => 'began, and left no word of its end: it was cut off, or runs on',
};

// The session of the next command, opened in advance: starting a client, opening a session and a login shell there
// take longer than most commands. It waits at a pipe until its own command is stored.

/** How a command ended, as far as known. `began: false`: it did not run, and will not. */
type Ending = { readonly exit: number | null; readonly note?: string; readonly began?: false };

/** The command has not run, and this local program may run it. */
type Instead = { readonly instead: readonly string[] };

/** How the local program ended. `whole`: the mark after all output has arrived. */
type Said = { readonly code: number; readonly whole: boolean };

/** A local program in a terminal that keeps a session on the host open. */
type SessionHere = {
  /** Whether it has ended and can’t run anything any more. */
  readonly over: boolean;
  /** Resolves when `over` becomes true. */
  readonly ended: Promise<void>;
  /** Ends it if nothing runs through it yet. Idempotent. */
  end(): void;
  /** Runs a command through it, with all its output from the start. Call once. */
  run(options: {
    /** The host on which the command runs. */
    readonly place: string;
    readonly host: string;
    /**
     * Authenticates the marks that report its directory there and the end of its output, so that printed text can't
     * imitate them. The command itself can read it (see `Order`).
     */
    readonly token: string;
    /** Returns the modes of the command's terminal on the host. */
    readonly modes: () => Promise<RemoteModes>;
    /**
     * Called when the program has ended: returns how the command ended, or a program to start instead. If the user has
     * requested an end by then, that program is not started, and this function is called again.
     */
    readonly ending: (said: Said) => Promise<Ending | Instead>;
  }): RunningCommand;
};

type Opened = {
  /** The command's name on the host. */
  readonly name: string;
  readonly session: SessionHere;
  /** Releases its slot. Idempotent. */
  readonly give: () => void;
};

class SessionAhead {
  readonly #connection: Connection;
  readonly #open: (folder: string) => Pick<Opened, 'name' | 'session'>;
  #waiting: (Opened & { readonly socket: string }) | undefined;

  /** @param open opens a session that waits for a command stored in the host's folder */
  constructor(connection: Connection, open: (folder: string) => Pick<Opened, 'name' | 'session'>) {
    this.#connection = connection;
    this.#open = open;
  }

  /** Opens a session unless one waits or no slot is free. */
  prepare(): void {
    const { slots, socket, state, facts } = this.#connection;
    if (this.#usable() || state !== 'open' || !facts) return;
    const give = slots.spare(() => this.end());
    if (!give) return;
    const opened = this.#open(facts.folder);
    void opened.session.ended.then(give);
    this.#waiting = { ...opened, give, socket };
  }

  /** Returns the waiting session to the first caller. */
  take(): Opened | undefined {
    const opened = this.#usable();
    this.#waiting = undefined;
    return opened;
  }

  /**
   * Resolves when the waiting session is ready, or will not be soon: its startup files may not tolerate an
   * interruption.
   */
  async rests(): Promise<void> {
    const waiting = this.#usable();
    if (waiting) await this.#connection.ask(restsAt(this.#connection.facts?.folder ?? '', waiting.name));
  }

  /** Ends the session. Idempotent. */
  end(): void {
    this.#waiting?.session.end();
    this.#waiting = undefined;
  }

  /** A session of an earlier connection is unusable. */
  #usable(): Opened | undefined {
    const waiting = this.#waiting;
    if (waiting && !waiting.session.over && waiting.socket === this.#connection.socket) return waiting;
    this.end();
    return undefined;
  }
}
