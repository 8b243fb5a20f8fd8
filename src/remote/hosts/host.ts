/** One host: a machine like this one, as far as it is connected. */
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

import { type KeepThere, type LauncherKit, SandboxThere, type TrialThere } from './launcher.ts';

import { type ModesThere, modesThere, terminalOf } from './shell-there.ts';

/** A command whose end was not seen: it is asked for at the next connection. `command`: how it is called then. */
export type Unsettled = { readonly folder: string; readonly name: string; readonly command: string };

/** What a command is started behind there, and who is told of its end. */
type How = {
  readonly behind?: Behind | undefined;
  readonly called: string;
  readonly ended?: ((began: boolean, running?: RunningCommand) => void) | undefined;
};

/** `end`: to be called when it has ended; at once behind its result, where it ran. */
export type KeepingThere = KeepThere & { end(began: boolean, running?: RunningCommand): void };

export type HostOptions = {
  /** Starts a program of this machine that opens a session there. Never throws. */
  readonly session: (argv: readonly [string, ...string[]]) => SessionHere;
  /** Behind a command the session of the next one is opened: for whoever waits for each. */
  readonly ahead?: boolean;
  /** The user's word that secrets may go there. */
  readonly trusted: () => boolean;
  readonly kit: LauncherKit;
  /** A command's end can't be asked for: called before its result is there. */
  readonly onUnsettled?: (host: string) => void;
  /**
   * Makes room for what a command in Unrestricted or Project changes there; undefined: nothing of it is kept, and there
   * is no Project. The tree of one in Project is its project's. Never rejects.
   */
  readonly keep?: (
    host: string,
    command: string,
    place: string,
    mode: Confinement,
  ) => Promise<KeepingThere | undefined>;
};

/** Codes from here on may be ssh's own, and behind the launcher those that it has for itself. */
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
  #sandbox: SandboxThere | undefined;
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

  /** The launcher there; undefined: there is none, or no connection. */
  get sandbox(): SandboxThere | undefined {
    return this.connection.state === 'open' ? this.#sandbox : undefined;
  }

  /** Puts the launcher there, with the user's yes, and tries it; why it can't be used, in a line. Never rejects. */
  async putLauncher(): Promise<string | undefined> {
    this.#sandbox = undefined;
    const sandbox = await SandboxThere.open(this.connection, this.#options.kit);
    if ('why' in sandbox) return sandbox.why;
    this.#sandbox = sandbox;
    return sandbox.lacks('restricted');
  }

  /** Asks how the commands ended whose end was not seen; one line for each. Runs nothing again. */
  async settle(): Promise<readonly string[]> {
    const { facts, host } = this.connection;
    if (!facts) return [];
    // Each by the folder it began in: another one, made meanwhile, knows nothing of it.
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
    // Fail closed: what was judged for a narrower mode never runs where nothing holds it.
    const why = sandbox ? sandbox.lacks(mode) : lacksSandbox(host, mode);
    if (why !== undefined) throw new Error(why);
    const directory = directoryAt(place);
    const keeps = sandbox && mode !== 'restricted';
    const kept = keeps ? await this.#options.keep?.(host, command, place, mode) : undefined;
    if (mode === 'project' && !kept)
      throw new Error(`there is no project on ${host} that could be written in and kept`);
    const behind =
      mode === 'restricted' ? sandbox?.restricted(directory) : kept && sandbox?.[KEPT[mode]](directory, kept);
    if (mode !== 'unrestricted' && !behind) throw new Error(`there is no sandbox on ${host}`);
    const ended = kept && ((began: boolean, of?: RunningCommand) => kept.end(began, of));
    return this.#start(facts, command, { place, signal, env }, { behind, ended, called: command });
  }

  /** Starts a command of a model there in a trial. Rejects where there is no launcher, or no connection. */
  async try(
    command: string,
    { trial, ...where }: { place: string; signal: AbortSignal; env: Environment; trial: TrialThere },
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
        // A session that waited may have died long ago: one of its own, once.
        const before = name;
        give();
        give = await this.connection.slots.take();
        name = this.#nextName();
        const anew = await this.connection.ask(layDownAgain(facts.folder, before, name, order));
        return anew?.exit === 0 ? { instead: this.connection.session(startOf(facts.folder, name), true) } : end;
      };
      const modes = () => modesThere((code) => this.connection.ask(code), terminalOf(leaderOf(facts.folder, name)));
      const session = ahead?.session ?? this.#open(startOf(facts.folder, name));
      const running = session.run({ place, host, token, modes, ending });
      // What was not laid down does not begin, and its record says so. No answer says nothing: it may run already, and
      // where it never comes, its session gives up by itself.
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

  /** Ends the connection; what lies there of it goes with it, where it still answers. */
  async close(): Promise<void> {
    await this.#ahead.rests();
    await this.connection.close();
  }

  #nextName(): string {
    this.#serial += 1;
    return `op-${this.#id}-${this.#serial}`;
  }

  /** A session with a terminal there that runs this code. */
  #open(code: string): SessionHere {
    return this.#options.session(this.connection.session(code, true));
  }

  /**
   * Only a code that neither ssh nor the launcher uses is the command's own, and only behind all of its output: the
   * server tells a code as soon as it has one, and what is printed may still be on its way when the connection breaks.
   * Else the host's record is asked.
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
    // Its record is all that counts: as long as the host says nothing of it, nothing is known.
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
    return { exit: null, note: `the connection to ${host} was lost; how it ended is asked at the next :host ${host}` };
  }
}

const ENDS: Readonly<Record<End['kind'], (end: End) => string>> = {
  ended: (end) => `had ended with exit ${end.kind === 'ended' ? end.exit : 0}`,
  'never began': () => 'never began',
  unknown: () => 'began, and left no word of its end: it was cut off, or runs on',
};

// The session of the next command, opened before that is known: a client to start, a session to open and a login shell
// there take longer than most commands. It waits at a pipe there that only its own command's being laid down wakes.

/** How a command ended, as far as it can be told. `began: false`: it did not run, and will not. */
type Ending = { readonly exit: number | null; readonly note?: string; readonly began?: false };

/** Nothing has run, and this program of this machine may run it. */
type Instead = { readonly instead: readonly string[] };

/** How the program of this machine ended. `whole`: the mark behind all output has come. */
type Said = { readonly code: number; readonly whole: boolean };

/** A program of this machine, in a terminal, that holds a session open there. */
type SessionHere = {
  /** It has ended, and nothing can be run by it any more. */
  readonly over: boolean;
  /** Resolves then. */
  readonly ended: Promise<void>;
  /** Ends it where nothing was run by it yet. Idempotent. */
  end(): void;
  /** What runs by it, from its first output on: once. */
  run(options: {
    /** Where the command runs. */
    readonly place: string;
    readonly host: string;
    /**
     * Signs the marks with which it tells its directory there, and that nothing follows: what a command prints does not
     * pass for one. The command itself can read it (see `Order`).
     */
    readonly token: string;
    /** The modes of its terminal there. */
    readonly modes: () => Promise<ModesThere>;
    /**
     * Asked when the program has ended: what became of the command, or the program that is to be started for it in its
     * place. Where it is not started, since the user has asked for an end meanwhile, it is asked again.
     */
    readonly ending: (said: Said) => Promise<Ending | Instead>;
  }): RunningCommand;
};

type Opened = {
  /** What its command is called there. */
  readonly name: string;
  readonly session: SessionHere;
  /** Gives its slot back. Idempotent. */
  readonly give: () => void;
};

class SessionAhead {
  readonly #connection: Connection;
  readonly #open: (folder: string) => Pick<Opened, 'name' | 'session'>;
  #waiting: (Opened & { readonly socket: string }) | undefined;

  /** @param open a session that waits for what is laid down in the folder there */
  constructor(connection: Connection, open: (folder: string) => Pick<Opened, 'name' | 'session'>) {
    this.#connection = connection;
    this.#open = open;
  }

  /** Opens one, unless one waits or no slot is free. */
  prepare(): void {
    const { slots, socket, state, facts } = this.#connection;
    if (this.#usable() || state !== 'open' || !facts) return;
    const give = slots.spare(() => this.end());
    if (!give) return;
    const opened = this.#open(facts.folder);
    void opened.session.ended.then(give);
    this.#waiting = { ...opened, give, socket };
  }

  /** The one that waits, for whoever asks first. */
  take(): Opened | undefined {
    const opened = this.#usable();
    this.#waiting = undefined;
    return opened;
  }

  /**
   * Resolves when the one that waits has come so far, or won't soon: its startup files may not bear it to be cut off.
   */
  async rests(): Promise<void> {
    const waiting = this.#usable();
    if (waiting) await this.#connection.ask(restsAt(this.#connection.facts?.folder ?? '', waiting.name));
  }

  /** Idempotent. */
  end(): void {
    this.#waiting?.session.end();
    this.#waiting = undefined;
  }

  /** A session of an older connection is none of this one. */
  #usable(): Opened | undefined {
    const waiting = this.#waiting;
    if (waiting && !waiting.session.over && waiting.socket === this.#connection.socket) return waiting;
    this.end();
    return undefined;
  }
}
