/** Persistent data: the journal of a session, the list of sessions, line history, memory. */
import type { SessionEvent } from '../session/event.ts';

export type Journal = {
  /** Resolves when the event is on disk; rejects on a write error. */
  append(event: SessionEvent): Promise<void>;
  /** Starts writing now, because somebody waits; otherwise it starts at the end of this turn of the event loop. */
  hasten(): void;
};

export type SessionSummary = {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly lastAt: number;
  readonly cwd: string;
  /** The branch that git had checked out in `cwd` when the session began. */
  readonly branch?: string;
  /** The first question or goal. */
  readonly title: string;
  /** The number of questions and goals; undefined if not counted. */
  readonly turns?: number;
  /** The size of the session's journal, in bytes. */
  readonly bytes: number;
  /** Whether another program has the session open; undefined if not checked. */
  readonly open?: boolean;
};

/** A request, command or text of a session; `exit`: the command's exit code, null if unknown. */
export type SessionMoment = {
  readonly kind: 'asked' | 'goal' | 'ran' | 'said' | 'aborted';
  readonly text: string;
  readonly exit?: number | null;
};

/** The disk limit for saved outputs of all sessions together. */
export type DiskBudget = { readonly totalBytes: number; readonly days: number };

/** A session that the user may remove. */
export type OldSession = {
  readonly id: string;
  /** The time of its last write, in ms since the epoch. */
  readonly lastAt: number;
  /** The size of its journal and outputs. */
  readonly bytes: number;
};

/** The functions of `:sessions`. */
export type SessionsPort = {
  /** Earlier sessions, newest first, without the current one. */
  list(): Promise<readonly SessionSummary[]>;
  /** Returns the last entries of a session, oldest first. */
  ending(id: string): Promise<readonly SessionMoment[]>;
  /**
   * Leaves this session for another, in that session's directory; `fork`: for a copy of it. Returns the reason on
   * failure.
   */
  resume(session: SessionSummary, fork: boolean): string | undefined;
  /** The chosen session, once the program has left the current one. */
  readonly next:
    | { readonly id: string; readonly fork: boolean; readonly cwd: string; readonly model?: string }
    | undefined;
  /** Restarts this session in place, with the current configuration and this model. Returns the reason on failure. */
  again(model: string): string | undefined;
  /** After how many days a session counts as old. */
  readonly days: number;
  /** Old sessions that are not open, oldest first. */
  old(): Promise<readonly OldSession[]>;
  /** Removes those that are still old and not open; returns how many. */
  remove(sessions: readonly OldSession[]): Promise<number>;
};

/** A line's last run. `at`: its start, in ms since the epoch. */
export type LineFacts = { readonly at?: number; readonly cwd?: string; readonly exit?: number };

/** Lines of the prompt and of the user's shell, in all sessions, oldest first. */
export type LineHistory = {
  /** Returns the same array with lines added at its end; a new array if the order has changed. */
  entries(): readonly string[];
  /** Saves a line as typed. `command`: the part that the user's shell runs and saves too. */
  add(line: string, command?: string): void;
  /** Saves a command of the agent, marked (EX-11). */
  addAgents(line: string): void;
  /** Whether the agent was the last to run this line. */
  isAgents(line: string): boolean;
  factsOf(line: string): LineFacts | undefined;
  /** A command of the user's shell has ended; stored only for one that `add` has seen. */
  ended(command: string, facts: LineFacts): void;
};

/** A session's summary, for later sessions (CX-5). */
export type Memory = {
  readonly session: string;
  /** When it was written, in ms since the epoch. */
  readonly at: number;
  /** The session's directory. */
  readonly cwd: string;
  readonly text: string;
};

/** The functions of `:memory`. */
export type MemoryPort = {
  readonly enabled: boolean;
  /** Returns the memories, newest first. */
  list(): readonly Memory[];
  forget(session: string): void;
  /** The session contains unsaved conversation. */
  worthSaving(): boolean;
  /** Summarises the session and saves that; returns the result in one line. */
  save(signal: AbortSignal): Promise<string>;
};
