/** What outlasts the program: the journal of a session, the list of sessions, line history, memory. */
import type { SessionEvent } from '../session/event.ts';

export type Journal = {
  /** Resolves when the event is on disk; rejects when it can't be written. */
  append(event: SessionEvent): Promise<void>;
  /** Somebody waits for what was appended: the disk begins now, not at the end of this turn of the event loop. */
  hasten(): void;
};

export type SessionSummary = {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly lastAt: number;
  readonly cwd: string;
  /** The first question or goal. */
  readonly title: string;
  /** Of its journal. */
  readonly bytes: number;
  /** Another program has it open; absent where that was not asked. */
  readonly open?: boolean;
};

/** Something that was asked, run or said in a session; `exit`: how a command ended, null where that is not known. */
export type SessionMoment = {
  readonly kind: 'asked' | 'goal' | 'ran' | 'said' | 'aborted';
  readonly text: string;
  readonly exit?: number | null;
};

/** What saved outputs may take on disk, all sessions together. */
export type DiskBudget = { readonly totalBytes: number; readonly days: number };

/** A session that the user may remove. */
export type OldSession = {
  readonly id: string;
  /** When anything of it was written last, ms since the epoch. */
  readonly lastAt: number;
  /** All of it: journal, outputs. */
  readonly bytes: number;
};

/** What `:sessions` shows and does. */
export type SessionsPort = {
  /** Earlier ones, the newest first; without this one. */
  list(): Promise<readonly SessionSummary[]>;
  /** The last moments of one, the oldest first. */
  ending(id: string): Promise<readonly SessionMoment[]>;
  /** Leaves this one for another, in its directory; `fork`: for a copy of it. Why not, where that can't be. */
  resume(session: SessionSummary, fork: boolean): string | undefined;
  /** The one that was chosen, once the program has been left for it. */
  readonly next:
    | { readonly id: string; readonly fork: boolean; readonly cwd: string; readonly model?: string }
    | undefined;
  /** Begins this session anew in place, under the configuration as it is now and with this model. Why not, else. */
  again(model: string): string | undefined;
  /** After how many days a session counts as old. */
  readonly days: number;
  /** Those that are old and not open, the oldest first. */
  old(): Promise<readonly OldSession[]>;
  /** Removes those of them that are still old and not open; how many. */
  remove(sessions: readonly OldSession[]): Promise<number>;
};

/** What is known of a line's last run. `at`: when it began, ms since the epoch. */
export type LineFacts = { readonly at?: number; readonly cwd?: string; readonly exit?: number };

/** Lines of the prompt and of the user's shell, in all sessions, oldest first. */
export type LineHistory = {
  /** The same list with more at its end; another list where its order has changed. */
  entries(): readonly string[];
  /** Keeps a line as it was typed. `command`: what the user's shell will run of it, and keep too. */
  add(line: string, command?: string): void;
  /** Keeps a command of the agent's, marked (EX-11). */
  addAgents(line: string): void;
  /** Whether the agent was the last to run this line. */
  isAgents(line: string): boolean;
  factsOf(line: string): LineFacts | undefined;
  /** A command of the user's shell has ended; kept of one that `add` was told of. */
  ended(command: string, facts: LineFacts): void;
};

/** The summary of a session, told to later ones (CX-5). */
export type Memory = {
  readonly session: string;
  /** When it was written, ms since the epoch. */
  readonly at: number;
  /** Where the session was at work. */
  readonly cwd: string;
  readonly text: string;
};

/** What `:memory` shows and does. */
export type MemoryPort = {
  readonly enabled: boolean;
  /** Newest first. */
  list(): readonly Memory[];
  forget(session: string): void;
  /** Something was said that is not saved yet. */
  worthSaving(): boolean;
  /** Has the session summed up and keeps that; what came of it, in one line. */
  save(signal: AbortSignal): Promise<string>;
};
