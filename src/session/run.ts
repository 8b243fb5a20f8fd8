/** What an agent works on: the sub-loop after a question, a Norris run, a sub-agent's task. */
import type { Costs } from './cost.ts';

/** How a Norris run ended (NO-3). */
export type NorrisStatus =
  | 'aborted'
  | 'done'
  | 'blocked'
  | 'stalled'
  | 'tasks_complete'
  | 'budget_exhausted'
  | 'failed';

export type Ending = { readonly status: NorrisStatus; readonly reason?: string };

/** The tasks of a planned run. `current` is the index of the current one, the list's length once all are done. */
export type Tasks = {
  readonly list: readonly string[];
  readonly current: number;
  /** The preset that planned them. */
  readonly planner: string;
};

export type NorrisRun = {
  readonly kind: 'norris';
  readonly goal: string;
  readonly preset: string;
  readonly startedAt: number;
  /** The step under way, from 1. */
  readonly step: number;
  readonly maxSteps: number;
  readonly commands: number;
  readonly skips: number;
  /** Skips in a row, counted across steps; any executed proceed resets it (HA-4). */
  readonly skipsInARow: number;
  /** The plan, outside the turns, so that no eviction loses it (PP-1). */
  readonly tasks?: Tasks;
  /** All tasks are through: the call under way is the report (PP-3). */
  readonly reporting?: true;
  /** What the session had cost when the run began. */
  readonly costsBefore?: Costs;
  readonly fallbacks?: readonly string[];
  /** The preset of the other tasks, while `preset` is the one that the current task names. */
  readonly usual?: string;
  /** How often the rest was planned anew, and how many skips there were at the last time (PP-7). */
  readonly replans?: { readonly count: number; readonly skips: number };
  /** The model has been told that it wants to end with jobs that run. */
  readonly toldOfJobs?: true;
};

/** The sub-loop after a question, until a reply has no action. */
export type ChatRun = {
  readonly kind: 'chat';
  readonly preset: string;
  readonly round: number;
  /** Set once a fallback has taken over for the rest of the run: those that are still left (BR-4). */
  readonly fallbacks?: readonly string[];
};

/** A sub-agent's way to its report (TO-4). */
export type DelegateRun = {
  readonly kind: 'delegate';
  /** The sub-agents of a session are numbered from 1. */
  readonly agent: number;
  readonly task: string;
  /** The user's own words behind it, for the second opinion: never the agent's prose. */
  readonly goal: string;
  readonly preset: string;
  readonly startedAt: number;
  /** The step under way, from 1. */
  readonly step: number;
  readonly fallbacks?: readonly string[];
};

export type Run = ChatRun | NorrisRun | DelegateRun;
