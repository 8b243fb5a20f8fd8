/** The safety gate: what is judged before anything of a model runs. */
import type { Action, Judgement } from '../session/action.ts';

export type JudgeContext = {
  readonly cwd: string;
  readonly goal: string;
  readonly signal: AbortSignal;
  /** The action as a model may be told of it, where that is not the action itself: with handles where it has secrets. */
  readonly told?: Action;
};

export type Gate = {
  /** Judges one action (SF-1). Never rejects; what can't be judged is destructive. */
  judge(action: Action, context: JudgeContext): Promise<Judgement>;
  /** Whether a command changes nothing at all, by the tables alone: it may run beside others that don't. */
  onlyReads(command: string, cwd: string): boolean;
};

export type RuleInfo = { readonly name: string; readonly family: string; readonly reason: string };

/** What `:safety` can ask without running anything. */
export type SafetyPort = {
  /** Every rule in force, once by name, in table order. */
  patterns(): readonly RuleInfo[];
  /** The static verdict alone: no model, no cache. */
  check(command: string, cwd: string): { readonly verdict: string; readonly rule?: string; readonly reason: string };
};
