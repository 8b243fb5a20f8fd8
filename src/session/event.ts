/** All events. The journal stores them, and replaying them gives the session. */
import type { CommandResult, Examination } from './action.ts';
import type { CountedCall } from './cost.ts';
import type { Form } from './form.ts';
import type { Mode, OpId, QuestionId, SessionId } from './ids.ts';
import type { Attachment, Reply } from './message.ts';
import type { Outcome } from './phase.ts';
import type { FleetAsked, Review, Trial } from './question.ts';

import type { Settings, StoredBudget } from './state.ts';

/**
 * The user's answer to a question (HA-1, HA-4, HA-7). For a mode request, proceed approves the narrowest offered mode
 * and skip denies (MO-3).
 */
export type Answer =
  /** `mode`: run in this wider mode, at a HALT that the current mode would block (HA-6). */
  | { readonly kind: 'proceed'; readonly mode?: Mode }
  /** Run it in a trial, then ask again with what it would change (HA-10). */
  | { readonly kind: 'try' }
  /** Apply exactly the changes that the trial listed. */
  | { readonly kind: 'apply' }
  /** For a mode request: the user chose Unrestricted, even if other modes were offered. */
  | { readonly kind: 'unrestricted' }
  /**
   * Proceed, and don't ask again for exactly this in this session; never for a destructive call (SF-10, AC-7). For
   * the question about the light sandbox: run all commands of this session outside it.
   */
  | { readonly kind: 'always' }
  /** `note`: the user's message to the model. For a plan: return it to the planner with this message. */
  | { readonly kind: 'skip'; readonly note?: string }
  | { readonly kind: 'abort' }
  /** For a plan: its tasks, one per line. */
  | { readonly kind: 'edit'; readonly command: string };

/** The git branch in the shell's directory, with any unfinished git operation; absent outside a repository. */
type Git = { readonly git?: string };

type Body =
  // actions of the user
  /** `branch`: the branch that git had checked out in the directory. */
  | {
      readonly type: 'opened';
      readonly cwd: string;
      readonly mode: Mode;
      readonly settings: Settings;
      readonly branch?: string;
    }
  /** A sub-agent starts for the parent's operation `op`. The event's session is the sub-agent's. */
  | { readonly type: 'spawned'; readonly parent: SessionId; readonly op: OpId }
  /**
   * `again`: the settings have changed while the program ran. `mode`: the mode from the command line, if no sandbox
   * can enforce it.
   */
  | { readonly type: 'resumed'; readonly settings: Settings; readonly again?: true; readonly mode?: Mode }
  | ({
      readonly type: 'asked';
      readonly line: string;
      readonly text: string;
      readonly attached?: readonly Attachment[];
    } & Git)
  | { readonly type: 'lineTakenBack'; readonly line: string }
  | ({ readonly type: 'norrisStarted'; readonly goal: string; readonly attached?: readonly Attachment[] } & Git)
  /** Continue with the last goal and the rest of its plan, with a full step budget (NO-1). */
  | ({ readonly type: 'norrisContinued' } & Git)
  /** The user wants to review the plan before its first step (PP-6). */
  | { readonly type: 'planHeld' }
  | {
      readonly type: 'answered';
      readonly question: QuestionId;
      readonly answer: Answer;
      /** No user could answer: the front end's policy did. */
      readonly unattended?: true;
    }
  | {
      readonly type: 'aborted';
      /** The cause was a limit, a policy of the front end, or a fault, not a user. */
      readonly unattended?: true;
    }
  | { readonly type: 'turnsReset' }
  /**
   * Return to the question that is this turn (`:rewind`). `undos`: undos that reversed later changes. `changed`: some
   * of those changes remain.
   */
  | { readonly type: 'rewound'; readonly turn: number; readonly undos?: readonly number[]; readonly changed?: true }
  /** Continue on an earlier branch of the conversation. `changed`: files differ from that branch's state. */
  | { readonly type: 'branchTaken'; readonly branch: number; readonly changed?: true }
  /** Have all turns summarised now (`:compact`). */
  | { readonly type: 'compactAsked' }
  /** The user sets the mode; choosing a wider one counts as approval (MO-4). */
  | { readonly type: 'modeChosen'; readonly mode: Mode }
  | { readonly type: 'presetChosen'; readonly preset: string }
  /** The user allows something without further questions, or revokes that (`:allow`). */
  | { readonly type: 'ruleSet'; readonly rule: string; readonly allowed: boolean }
  /** The same for a receiver of data from this machine. */
  | { readonly type: 'leaveSet'; readonly to: string; readonly allowed: boolean }
  // the user's shell
  | { readonly type: 'shellStarted'; readonly op: OpId; readonly line: string; readonly private: boolean }
  | { readonly type: 'shellEnded'; readonly op: OpId; readonly result: CommandResult }
  /** `project`: the directory is on a host where Project mode can be enforced. */
  | { readonly type: 'shellMoved'; readonly cwd: string; readonly project?: true }
  // facts reported by services
  /** Tokens of turns by their index, and the budget, reported before the call `op` is sent (CX-2). */
  | {
      readonly type: 'measured';
      readonly op: OpId;
      readonly budget: StoredBudget;
      readonly tokens: readonly (readonly [turn: number, tokens: number])[];
      /** The files with the full text of shortened turns. */
      readonly files?: readonly (readonly [turn: number, file: string])[];
    }
  /** A model's summary replaces the turns before `upTo`, before the call `op` is sent. */
  | {
      readonly type: 'summarized';
      readonly op: OpId;
      readonly upTo: number;
      readonly text: string;
      readonly preset: string;
    }
  /**
   * `reading`: static analysis says that every action of the reply only reads. Decides only which actions run in
   * parallel.
   */
  | { readonly type: 'replyEnded'; readonly op: OpId; readonly reply: Reply; readonly reading?: true }
  /** A call of a model has ended and was counted. */
  | { readonly type: 'callCounted'; readonly call: CountedCall }
  /** The call `op` was not made: the session's cost could exceed its limit. In dollars. */
  | {
      readonly type: 'spendReached';
      readonly op: OpId;
      readonly preset: string;
      readonly spent: number;
      readonly limit: number;
      /** How much a yes adds to `spent`. */
      readonly allowance: number;
      /** The maximum cost of the call, if that would exceed the limit. */
      readonly estimate?: number;
    }
  /** A server asks the user to fill in a form. Values of the form are never part of an event. */
  | ({ readonly type: 'formAsked'; readonly form: string } & Form)
  /** The server has withdrawn its form. */
  | { readonly type: 'formGone'; readonly form: string }
  | { readonly type: 'examined'; readonly op: OpId; readonly examination: Examination }
  | { readonly type: 'actionStarted'; readonly op: OpId }
  /**
   * A file that the action names or depends on has changed since the judgement: the action was not started and is
   * judged again. `outcome` is its result if it had already run.
   */
  | { readonly type: 'actionVoided'; readonly op: OpId; readonly outcome: Outcome }
  | { readonly type: 'actionEnded'; readonly op: OpId; readonly outcome: Outcome }
  /** A trial has ended. */
  | { readonly type: 'tried'; readonly op: OpId; readonly trial: Trial; readonly result: CommandResult }
  /** A trial's changes were applied, or refused. `number`: the action for `:undo`. */
  | {
      readonly type: 'applied';
      readonly op: OpId;
      readonly ok: boolean;
      readonly text: string;
      readonly number?: number;
    }
  /** A trial was discarded. */
  | { readonly type: 'discarded'; readonly trial: string }
  | {
      readonly type: 'jobEnded';
      readonly job: number;
      readonly command: string;
      readonly result: CommandResult;
      /** Whether the user or the model started the job: the user’s own is shown with its output. */
      readonly by: 'user' | 'model';
    }
  /** A command has ended and left something for the user to decide; its end waits for the answer. */
  | ({ readonly type: 'reviewAsked'; readonly review: string } & Review)
  /** The answer to a review was carried out; `text` is the result. */
  | { readonly type: 'reviewed'; readonly review: string; readonly text: string }
  /** A fleet has started; its results are in a journal of its own. */
  | { readonly type: 'fleetBegan'; readonly goal: string }
  /** Hosts of a fleet need the same answer from the user. */
  | ({ readonly type: 'fleetAsked'; readonly fleet: string } & FleetAsked)
  /** The fleet's question is no longer valid. */
  | { readonly type: 'fleetGone'; readonly fleet: string }
  /** The user undid changes of the agent. `text`: which ones, and what was left alone (EF-3). */
  | { readonly type: 'undone'; readonly text: string }
  | { readonly type: 'noticed'; readonly level: 'info' | 'warning' | 'error'; readonly text: string };

export type EventType = Body['type'];

/** One event: its session, its time in ms since the epoch, and its body. */
export type SessionEvent = { readonly session: SessionId; readonly at: number } & Body;
export type EventBody = Body;
/** The event of one type. */
export type Of<T extends EventType> = Extract<SessionEvent, { type: T }>;
