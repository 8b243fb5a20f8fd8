/** What the machine wants done. The engine carries effects out through services and answers with events. */
import type { Action, Judgement } from './action.ts';
import type { Entry } from './entry.ts';
import type { Mode, OpId, SessionId } from './ids.ts';
import type { Category } from './message.ts';
import type { ToApply } from './question.ts';

export type Effect =
  /** Call the model with the current conversation. Ends with `replyEnded`. */
  | {
      readonly kind: 'callModel';
      readonly session: SessionId;
      readonly op: OpId;
      readonly preset: string;
      readonly category: Category;
      /** The last answer was spent in thinking: this one may be twice as long. */
      readonly longer?: true;
    }
  /** Have all turns summarised. Ends with `replyEnded`, behind `summarized` where that worked. */
  | { readonly kind: 'compact'; readonly session: SessionId; readonly op: OpId; readonly preset: string }
  /** Ask the preplanner for the tasks of this goal, at most `tasksMax`. Ends with `replyEnded`. */
  | {
      readonly kind: 'preplan';
      readonly session: SessionId;
      readonly op: OpId;
      readonly preset: string;
      readonly goal: string;
      readonly tasksMax: number;
      readonly category: 'norris-preplan' | 'norris-replan';
      /** What it is told behind the goal: the plan that the user sent back, or how the run has gone so far. */
      readonly more?: string;
      /** Presets that a task may name. */
      readonly taskModels?: readonly string[];
    }
  /** Validate, judge and look up consent (AC-5). Ends with `examined`. */
  | {
      readonly kind: 'examine';
      readonly session: SessionId;
      readonly op: OpId;
      readonly action: Action;
      readonly cwd: string;
      readonly mode: Mode;
      /** What the second opinion may see beside the command. */
      readonly goal: string;
      /** Before that, this kept action is taken back: an attempt of the same command. */
      readonly takesBack?: number;
    }
  /**
   * Run an action that was judged under `judgedAs`: dispatch `actionStarted`, wait for it to be durable, launch. Ends
   * with `actionEnded`.
   */
  | {
      readonly kind: 'act';
      readonly session: SessionId;
      readonly op: OpId;
      readonly judgedAs: OpId;
      readonly judgement: Judgement;
      readonly userApproved: boolean;
      readonly action: Action;
      readonly cwd: string;
      readonly mode: Mode;
      /** In Unrestricted: outside the light sandbox. */
      readonly outside?: true;
      /** Not run but applied, as this trial has shown it. Ends with `applied`. */
      readonly trial?: ToApply;
    }
  /** Run it in a trial, under the judgement `judgedAs`. Ends with `tried`. */
  | {
      readonly kind: 'try';
      readonly session: SessionId;
      readonly op: OpId;
      readonly judgedAs: OpId;
      readonly action: Action;
      readonly cwd: string;
      readonly mode: Mode;
    }
  /** Throw a trial away. Ends with `discarded`. */
  | { readonly kind: 'discardTrial'; readonly session: SessionId; readonly trial: string }
  /** Cancel an operation. It still ends with its own event, soon. */
  | { readonly kind: 'cancel'; readonly session: SessionId; readonly op: OpId }
  /** `within` is the key of the entry that it belongs to: a sub-agent's doings belong to its task. */
  | { readonly kind: 'show'; readonly key: string; readonly entry: Entry; readonly within?: string }
  /** Take an entry off the transcript (a queued line taken back). */
  | { readonly kind: 'hide'; readonly key: string }
  /** Give queued lines back to the prompt (IN-7). */
  | { readonly kind: 'giveBack'; readonly text: string }
  /** A question was put; a front without a person answers it by its policy. */
  | { readonly kind: 'ask'; readonly session: SessionId; readonly question: string };
