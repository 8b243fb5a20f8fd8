/** Requests of the state machine. The engine carries out these effects through services and answers with events. */
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
      /** The model spent its last answer on thinking: allow twice the length. */
      readonly longer?: true;
    }
  /** Summarise all turns. Ends with `replyEnded`, after `summarized` on success. */
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
      /** Text for the planner after the goal: the plan that the user sent back, or the run's progress. */
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
      /** Context for the second opinion, besides the command. */
      readonly goal: string;
      /** Undo this action first: it was an earlier attempt of the same command. */
      readonly takesBack?: number;
    }
  /**
   * Run an action judged under `judgedAs`: dispatch `actionStarted`, wait until that is durable, launch. Ends with
   * `actionEnded`.
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
      /** In Unrestricted: run it outside the light sandbox. */
      readonly outside?: true;
      /** Apply this trial's changes instead of running the action. Ends with `applied`. */
      readonly trial?: ToApply;
    }
  /** Run the action in a trial, under the judgement `judgedAs`. Ends with `tried`. */
  | {
      readonly kind: 'try';
      readonly session: SessionId;
      readonly op: OpId;
      readonly judgedAs: OpId;
      readonly action: Action;
      readonly cwd: string;
      readonly mode: Mode;
    }
  /** Discard a trial. Ends with `discarded`. */
  | { readonly kind: 'discardTrial'; readonly session: SessionId; readonly trial: string }
  /** Cancel an operation. The operation still ends with its own event. */
  | { readonly kind: 'cancel'; readonly session: SessionId; readonly op: OpId }
  /** `within` is the key of the parent entry: a sub-agent's entries belong to its task. */
  | { readonly kind: 'show'; readonly key: string; readonly entry: Entry; readonly within?: string }
  /** Remove an entry from the transcript (a queued line that was taken back). */
  | { readonly kind: 'hide'; readonly key: string }
  /** Give queued lines back to the prompt (IN-7). */
  | { readonly kind: 'giveBack'; readonly text: string }
  /** A new question; a front end without a user answers it by its policy. */
  | { readonly kind: 'ask'; readonly session: SessionId; readonly question: string };
