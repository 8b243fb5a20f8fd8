/**
 * Transcript entries. The transcript is the fold of `show` effects; an entry with a known key replaces the earlier
 * one.
 */
import type { Action, AllowedBy, CommandResult } from './action.ts';
import type { CostSum, Receipt } from './cost.ts';
import type { NorrisStatus } from './run.ts';

export type Entry =
  /** A question or goal as the user wrote it. `queued` until it joins the conversation (IN-7). */
  | {
      readonly kind: 'user';
      readonly text: string;
      readonly queued: boolean;
      /** The names and sizes of attachments. */
      readonly attached?: readonly string[];
    }
  | { readonly kind: 'assistant'; readonly text: string; readonly preset: string; readonly partial: boolean }
  /** The model's thoughts before its answer, on screens that can fold them. */
  | { readonly kind: 'thoughts'; readonly text: string }
  /** One command, of the user or of the model. `result` is absent while it runs. */
  | {
      readonly kind: 'exec';
      readonly op: string;
      /** When the user approved it, in ms since the epoch; absent if the user was not asked. */
      readonly approvedAt?: number;
      /** For a model's command: why the user was not asked; undefined if unknown. */
      readonly allowedBy?: AllowedBy;
      readonly by: 'user' | 'model';
      readonly command: string;
      /** The model's description of the command. */
      readonly label?: string;
      readonly cwd: string;
      readonly private: boolean;
      readonly job?: number;
      readonly result?: CommandResult;
    }
  | {
      readonly kind: 'tool';
      readonly op: string;
      readonly approvedAt?: number;
      readonly allowedBy?: AllowedBy;
      readonly name: string;
      readonly arguments: string;
      readonly result?: { readonly text: string; readonly failed: boolean };
    }
  /** A sub-agent's task and report. Entries of its work belong to this one. */
  | {
      readonly kind: 'delegate';
      readonly op: string;
      readonly approvedAt?: number;
      readonly task: string;
      readonly result?: { readonly text: string; readonly failed: boolean; readonly steps: number };
    }
  /** An action that did not run, or a tried one that could not be applied, with the reason. */
  | {
      readonly kind: 'refused';
      readonly action: Action;
      readonly how: 'skipped' | 'aborted' | 'invalid' | 'unapplied';
      /** Empty if the user's answer is the only reason. */
      readonly reason: string;
      /** When the user said so, in ms since the epoch; undefined if no user answered. */
      readonly at?: number;
      /** The user's note to the model. */
      readonly note?: string;
    }
  | {
      readonly kind: 'norrisBegan';
      readonly goal: string;
      readonly preset: string;
      readonly maxSteps: number;
      readonly attached?: readonly string[];
    }
  /** The tasks of a run. The planning call is not part of the conversation (CX-3). */
  | {
      readonly kind: 'plan';
      readonly preset: string;
      readonly tasks: readonly string[];
      /** The plan replaces what was left of an earlier one, or was edited by the user. */
      readonly how?: 'anew' | 'edited';
    }
  | {
      readonly kind: 'norrisStep';
      readonly step: number;
      readonly maxSteps: number;
      readonly task?: { readonly k: number; readonly n: number; readonly text: string };
    }
  | {
      readonly kind: 'norrisEnded';
      readonly status: NorrisStatus;
      readonly reason?: string;
      readonly steps: number;
      readonly commands: number;
      readonly skips: number;
      readonly milliseconds: number;
      /** The cost of the run; undefined if no call was counted. */
      readonly cost?: CostSum;
      /** Set if different presets planned and executed. */
      readonly receipt?: Receipt;
    }
  /** The session was resumed at this point, at this time in ms since the epoch. */
  | { readonly kind: 'resumed'; readonly at: number }
  | { readonly kind: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }
  /** Output of a `:` command. Not part of the session; gone after a resume. */
  | { readonly kind: 'meta'; readonly line: string; readonly text: string; readonly failed: boolean };

/** Describes where a session was resumed. */
export function resumedText({ at }: Extract<Entry, { kind: 'resumed' }>): string {
  return `resumed ${dayAndClock(at)}`;
}

/** Date and time in the user's time zone, complete enough to read on another day. */

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;

/**
 * `Fri 20 Nov 2026, 14:03`.
 * @param at ms since the epoch
 */
function dayAndClock(at: number): string {
  const date = new Date(at);
  const clock = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return `${date.toLocaleDateString('en-GB', DAY).replace(',', '')}, ${clock}`;
}
