/** Everything that can happen. Events are what the journal keeps: the session is the fold of them. */
import type { CommandResult, Examination } from './action.ts';
import type { CountedCall } from './cost.ts';
import type { Form } from './form.ts';
import type { Mode, OpId, QuestionId, SessionId } from './ids.ts';
import type { Attachment, Reply } from './message.ts';
import type { Outcome } from './phase.ts';
import type { FleetAsked, Review, Trial } from './question.ts';

import type { Settings, StoredBudget } from './state.ts';

/**
 * The user's answer to a question (HA-1, HA-4, HA-7). For a mode request proceed approves the narrowest mode that is
 * offered, skip denies (MO-3).
 */
export type Answer =
  /** `mode`: at a HALT that the mode would block, in this wider one (HA-6). */
  | { readonly kind: 'proceed'; readonly mode?: Mode }
  /** Run it where nothing of it stays, then ask again with what it would change (HA-10). */
  | { readonly kind: 'try' }
  /** Do exactly what the trial listed. */
  | { readonly kind: 'apply' }
  /** To a mode request: Unrestricted, whatever else is offered. */
  | { readonly kind: 'unrestricted' }
  /**
   * Proceed, and don't ask again for exactly this in this session; never for a destructive call (SF-10, AC-7). To the
   * question about the light sandbox: all commands of this session run outside it.
   */
  | { readonly kind: 'always' }
  /** `note`: what the user wants the model to know. To a plan: it goes back to the planner with this word. */
  | { readonly kind: 'skip'; readonly note?: string }
  | { readonly kind: 'abort' }
  /** Of a plan: its tasks, one a line. */
  | { readonly kind: 'edit'; readonly command: string };

/** The git branch where the user's shell is, and what git is in the middle of there; absent outside a repository. */
type Git = { readonly git?: string };

type Body =
  // what the user does
  | { readonly type: 'opened'; readonly cwd: string; readonly mode: Mode; readonly settings: Settings }
  /** A sub-agent begins, for the delegation that `op` of the parent's is. The event's session is the new one's. */
  | { readonly type: 'spawned'; readonly parent: SessionId; readonly op: OpId }
  /**
   * `again`: only to be read with other settings; nobody was away. `mode`: what the command line asks for, where there
   * is no sandbox to enforce it.
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
  /** The last goal, what its run left of its plan, a fresh budget of steps (NO-1). */
  | ({ readonly type: 'norrisContinued' } & Git)
  /** The user wants to look at the plan before its first step (PP-6). */
  | { readonly type: 'planHeld' }
  | {
      readonly type: 'answered';
      readonly question: QuestionId;
      readonly answer: Answer;
      /** No person was there: a rule of the front end answered. */
      readonly unattended?: true;
    }
  | {
      readonly type: 'aborted';
      /** No person said so: a limit, a rule of the front end, a fault. */
      readonly unattended?: true;
    }
  | { readonly type: 'turnsReset' }
  /**
   * Back to the question that is this turn (`:rewind`). `undos`: the undos that took back what was changed since;
   * `changed`: something of it stays.
   */
  | { readonly type: 'rewound'; readonly turn: number; readonly undos?: readonly number[]; readonly changed?: true }
  /** The conversation goes on in a branch that was gone back from. `changed`: files are not as they were there. */
  | { readonly type: 'branchTaken'; readonly branch: number; readonly changed?: true }
  /** Have all turns summarised now (`:compact`). */
  | { readonly type: 'compactAsked' }
  /** The user's own choice; loosening this way counts as an approval (MO-4). */
  | { readonly type: 'modeChosen'; readonly mode: Mode }
  | { readonly type: 'presetChosen'; readonly preset: string }
  /** The user allows something without a further question, or takes that back (`:allow`). */
  | { readonly type: 'ruleSet'; readonly rule: string; readonly allowed: boolean }
  /** The same of a receiver of what leaves the machine. */
  | { readonly type: 'leaveSet'; readonly to: string; readonly allowed: boolean }
  // the user's shell
  | { readonly type: 'shellStarted'; readonly op: OpId; readonly line: string; readonly private: boolean }
  | { readonly type: 'shellEnded'; readonly op: OpId; readonly result: CommandResult }
  /** `project`: it is on a host, and Project holds there. */
  | { readonly type: 'shellMoved'; readonly cwd: string; readonly project?: true }
  // facts told by services
  /** Tokens of turns by their index, and the budget, reported before the call `op` is sent (CX-2). */
  | {
      readonly type: 'measured';
      readonly op: OpId;
      readonly budget: StoredBudget;
      readonly tokens: readonly (readonly [turn: number, tokens: number])[];
      /** Where the text of shortened turns was kept. */
      readonly files?: readonly (readonly [turn: number, file: string])[];
    }
  /** A model's summary takes the place of the turns before `upTo`, before the call `op` is sent. */
  | {
      readonly type: 'summarized';
      readonly op: OpId;
      readonly upTo: number;
      readonly text: string;
      readonly preset: string;
    }
  /**
   * `reading`: by the gate's static word every action of the reply only reads. Decides what runs side by side, nothing
   * else.
   */
  | { readonly type: 'replyEnded'; readonly op: OpId; readonly reply: Reply; readonly reading?: true }
  /** A call of a model has ended and was counted. */
  | { readonly type: 'callCounted'; readonly call: CountedCall }
  /** The call `op` was not made: it costs money, and with it the session may cost more than allowed. In dollars. */
  | {
      readonly type: 'spendReached';
      readonly op: OpId;
      readonly preset: string;
      readonly spent: number;
      readonly limit: number;
      /** What a yes lets the session cost beyond `spent`. */
      readonly allowance: number;
      /** What the call may cost at most, where that is what would pass the limit. */
      readonly estimate?: number;
    }
  /** A server asks the user to fill in a form; what is typed into it is never part of an event. */
  | ({ readonly type: 'formAsked'; readonly form: string } & Form)
  /** The server no longer wants it. */
  | { readonly type: 'formGone'; readonly form: string }
  | { readonly type: 'examined'; readonly op: OpId; readonly examination: Examination }
  | { readonly type: 'actionStarted'; readonly op: OpId }
  /**
   * What it names or rests on is no longer what was judged: it was not launched and is judged anew. `outcome` is what
   * it came to where that is too late.
   */
  | { readonly type: 'actionVoided'; readonly op: OpId; readonly outcome: Outcome }
  | { readonly type: 'actionEnded'; readonly op: OpId; readonly outcome: Outcome }
  /** A trial is over. */
  | { readonly type: 'tried'; readonly op: OpId; readonly trial: Trial; readonly result: CommandResult }
  /** What a trial listed was done, or refused; `number`: the action that `:undo` takes back. */
  | {
      readonly type: 'applied';
      readonly op: OpId;
      readonly ok: boolean;
      readonly text: string;
      readonly number?: number;
    }
  /** A trial was thrown away. */
  | { readonly type: 'discarded'; readonly trial: string }
  | {
      readonly type: 'jobEnded';
      readonly job: number;
      readonly command: string;
      readonly result: CommandResult;
      /** Whose job it was: the user's own is shown with its output. */
      readonly by: 'user' | 'model';
    }
  /** A command has ended and left something that the user decides on; its end waits for the answer. */
  | ({ readonly type: 'reviewAsked'; readonly review: string } & Review)
  /** The answer to a review was carried out; `text`: what came of it. */
  | { readonly type: 'reviewed'; readonly review: string; readonly text: string }
  /** A fleet has begun; what comes of it is in a journal of its own. */
  | { readonly type: 'fleetBegan'; readonly goal: string }
  /** Hosts of a fleet came to a question that is one. */
  | ({ readonly type: 'fleetAsked'; readonly fleet: string } & FleetAsked)
  /** It is no longer what it was. */
  | { readonly type: 'fleetGone'; readonly fleet: string }
  /** The user took back what actions of the agent had changed; `text`: which, and what was left alone (EF-3). */
  | { readonly type: 'undone'; readonly text: string }
  | { readonly type: 'noticed'; readonly level: 'info' | 'warning' | 'error'; readonly text: string };

export type EventType = Body['type'];

/** One event: whose session, when (ms since the epoch), and what. */
export type SessionEvent = { readonly session: SessionId; readonly at: number } & Body;
export type EventBody = Body;
/** The event of one type. */
export type Of<T extends EventType> = Extract<SessionEvent, { type: T }>;
