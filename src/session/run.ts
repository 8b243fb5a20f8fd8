/** Runs of an agent: the sub-loop after a question, a Norris run, a sub-agent's task. */
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

/** The tasks of a planned run. `current` is the index of the current one; once all are done, the list's length. */
export type Tasks = {
  readonly list: readonly string[];
  readonly current: number;
  /** The preset that planned the tasks. */
  readonly planner: string;
};

export type NorrisRun = {
  readonly kind: 'norris';
  readonly goal: string;
  readonly preset: string;
  readonly startedAt: number;
  /** The current step, from 1. */
  readonly step: number;
  readonly maxSteps: number;
  readonly commands: number;
  readonly skips: number;
  /** Skips in a row across steps; an executed action that the user approved resets it (HA-4). */
  readonly skipsInARow: number;
  /** The plan, stored outside the turns so that no eviction loses it (PP-1). */
  readonly tasks?: Tasks;
  /** All tasks are done: the current call writes the report (PP-3). */
  readonly reporting?: true;
  /** The cost of the session when the run began. */
  readonly costsBefore?: Costs;
  readonly fallbacks?: readonly string[];
  /** The run's own preset, while `preset` is the one of the current task. */
  readonly usual?: string;
  /** How often the rest was replanned, and the number of skips at the last time (PP-7). */
  readonly replans?: { readonly count: number; readonly skips: number };
  /** The model has been told that jobs still run at its end. */
  readonly toldOfJobs?: true;
};

/** The sub-loop after a question, until a reply has no action. */
export type ChatRun = {
  readonly kind: 'chat';
  readonly preset: string;
  readonly round: number;
  /** Set once a fallback has taken over for the rest of the run: the remaining ones (BR-4). */
  readonly fallbacks?: readonly string[];
};

/** A sub-agent's run until its report (TO-4). */
export type DelegateRun = {
  readonly kind: 'delegate';
  /** A session numbers its sub-agents from 1. */
  readonly agent: number;
  readonly task: string;
  /** The user's own words behind the task, for the second opinion. Never the agent's prose. */
  readonly goal: string;
  readonly preset: string;
  readonly startedAt: number;
  /** The current step, from 1. */
  readonly step: number;
  readonly fallbacks?: readonly string[];
};

export type Run = ChatRun | NorrisRun | DelegateRun;
