/** What a trial has shown (HA-10). */
import type { CommandResult } from './action.ts';

/** What would become of one path. */
export type TrialRow = {
  readonly path: string;
  readonly kind: 'created' | 'deleted' | 'changed' | 'mode';
  readonly type: 'file' | 'directory' | 'link' | 'other';
  readonly bytes: number;
  /** Other names of the same file would change with it. */
  readonly shared?: true;
};

/** What a trial has shown. */
export type Trial =
  | {
      readonly kind: 'changes';
      readonly id: string;
      readonly exit: number;
      readonly counts: { readonly deleted: number; readonly changed: number; readonly created: number };
      readonly deletedBytes: number;
      readonly writtenBytes: number;
      /** The first of the paths, in their order. */
      readonly rows: readonly TrialRow[];
      /** Paths beyond those. */
      readonly more: number;
      /** What the user's yes is bound to. */
      readonly digest: string;
      /** What it could not show. */
      readonly doubts: readonly string[];
      /** Branches before and after, one line each. */
      readonly moves: readonly string[];
      /** Unified diffs, bounded. */
      readonly diff: string;
      /** Why it can't be applied in this mode. */
      readonly beyond?: string;
    }
  | { readonly kind: 'cannotTell'; readonly why: string; readonly exit?: number };

type Shown = Extract<Trial, { kind: 'changes' }>;

/** Whether an apply would do anything, and may. */
export function canBeApplied(trial: Trial): trial is Shown {
  return trial.kind === 'changes' && trial.beyond === undefined && trial.rows.length > 0;
}

/** A trial that is over, with what its command printed. */
export type Tried = { readonly trial: Trial; readonly result: CommandResult };

/** A trial that is to be applied. */
export type ToApply = { readonly id: string; readonly digest: string; readonly result: CommandResult };
