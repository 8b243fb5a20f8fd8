/**
 * The session of the next command, opened before that is known: a client to start, a session to open and a login shell there
 * take longer than most commands. It waits at a pipe there that only its own command's being laid down wakes.
 */
import type { RunningCommand } from '../../contracts/commands.ts';
import { restsAt } from './commands.ts';
import type { Connection } from './connection.ts';
import type { ModesThere } from './terminal-there.ts';

/** How a command ended, as far as it can be told. `began: false`: it did not run, and will not. */
export type Ending = { readonly exit: number | null; readonly note?: string; readonly began?: false };

/** Nothing has run, and this program of this machine may run it. */
export type Instead = { readonly instead: readonly string[] };

/** How the program of this machine ended. `whole`: the mark behind all output has come. */
export type Said = { readonly code: number; readonly whole: boolean };

/** A program of this machine, in a terminal, that holds a session open there. */
export type SessionHere = {
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
     * Signs the marks with which it tells its directory there, and that nothing follows: what a command prints does not pass for
     * one. The command itself can read it (see `Order`).
     */
    readonly token: string;
    /** The modes of its terminal there. */
    readonly modes: () => Promise<ModesThere>;
    /**
     * Asked when the program has ended: what became of the command, or the program that is to be started for it in its place.
     * Where it is not started, since the user has asked for an end meanwhile, it is asked again.
     */
    readonly ending: (said: Said) => Promise<Ending | Instead>;
  }): RunningCommand;
};

export type Opened = {
  /** What its command is called there. */
  readonly name: string;
  readonly session: SessionHere;
  /** Gives its slot back. Idempotent. */
  readonly give: () => void;
};

export class SessionAhead {
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

  /** Resolves when the one that waits has come so far, or won't soon: its startup files may not bear it to be cut off. */
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
