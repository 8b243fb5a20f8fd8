/**
 * What the user sees: the transcript is the fold of `show` effects. An entry shown again under its key replaces itself.
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
      /** What came with it, each by its name and size. */
      readonly attached?: readonly string[];
    }
  | { readonly kind: 'assistant'; readonly text: string; readonly preset: string; readonly partial: boolean }
  /** What the model thought before it answered; on screens that can fold. */
  | { readonly kind: 'thoughts'; readonly text: string }
  /** One command, of the user or of the model. `result` is absent while it runs. */
  | {
      readonly kind: 'exec';
      readonly op: string;
      /** When the user approved it, in ms since the epoch; absent if the user was not asked. */
      readonly approvedAt?: number;
      /** Of the model's: why the user was not asked, or need not have been; absent where it is not known. */
      readonly allowedBy?: AllowedBy;
      readonly by: 'user' | 'model';
      readonly command: string;
      /** What it does, in the model's words. */
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
  /** A sub-agent's task and report. What it did in between are entries that belong to this one. */
  | {
      readonly kind: 'delegate';
      readonly op: string;
      readonly approvedAt?: number;
      readonly task: string;
      readonly result?: { readonly text: string; readonly failed: boolean; readonly steps: number };
    }
  /** An action that did not run, or a tried one that could not be applied, and why. */
  | {
      readonly kind: 'refused';
      readonly action: Action;
      readonly how: 'skipped' | 'aborted' | 'invalid' | 'unapplied';
      /** Empty where the answer alone is the reason. */
      readonly reason: string;
      /** When the user said so, in ms since the epoch; missing where no person answered. */
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
      /** It takes the place of what was left of an earlier one, or is what the user made of it. */
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
      /** What the run has cost; absent where no call was counted. */
      readonly cost?: CostSum;
      /** Set when another preset planned than carried out. */
      readonly receipt?: Receipt;
    }
  /** From here on the session was gone on with, at this time, in ms since the epoch. */
  | { readonly kind: 'resumed'; readonly at: number }
  | { readonly kind: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }
  /** Output of a `:` command. Not part of the session; gone after a resume. */
  | { readonly kind: 'meta'; readonly line: string; readonly text: string; readonly failed: boolean };

/** Where a session was gone on with, in words. */
export function resumedText({ at }: Extract<Entry, { kind: 'resumed' }>): string {
  return `resumed ${dayAndClock(at)}`;
}

/** A day and its time for people who read it on another day, in their own time. */

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;

/** `Fri 20 Nov 2026, 14:03`. @param at ms since the epoch */
function dayAndClock(at: number): string {
  const date = new Date(at);
  const clock = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return `${date.toLocaleDateString('en-GB', DAY).replace(',', '')}, ${clock}`;
}
