/** The phases of a conversation. The types exclude invalid combinations. */
import type { Action, AllowedBy, CommandResult, Judgement } from './action.ts';
import type { Mode, OpId, QuestionId } from './ids.ts';
import type { Asked, ToApply, Tried } from './question.ts';
import type { Ending, NorrisRun, Run } from './run.ts';

/**
 * The kind of operation that the kernel blocked, according to the command’s output. `sandbox`: blocked by
 * Unrestricted’s light sandbox.
 */
export type Refused = 'write' | 'network' | 'sandbox';

/** Changes by a refused command: the action for `:undo`, and whether that covers all of them. */
export type Attempt = { readonly action?: number; readonly whole: boolean };

/** The result of an action that ran. */
export type Outcome =
  | {
      readonly kind: 'command';
      readonly result: CommandResult;
      readonly refused?: Refused;
      readonly attempt?: Attempt;
      /** The action’s program gave up a connection before the user allowed it: the command runs again. */
      readonly again?: true;
    }
  | { readonly kind: 'job'; readonly job: number; readonly result: CommandResult }
  | { readonly kind: 'tool'; readonly text: string; readonly failed: boolean }
  /** A trial's changes were applied, or refused. */
  | { readonly kind: 'applied'; readonly ok: boolean; readonly text: string; readonly result: CommandResult }
  /** The report of a sub-agent, or the known facts about it. */
  | { readonly kind: 'report'; readonly text: string; readonly failed: boolean; readonly steps: number };

/** A `GOAL:` line outside fences (AC-1). */
export type Sentinel = { readonly kind: 'complete' } | { readonly kind: 'blocked'; readonly reason: string };

/** The actions of one reply. `index` is the current one, or the first of those that run. */
export type Dispatch = {
  readonly actions: readonly Action[];
  readonly index: number;
  readonly sentinel?: Sentinel;
  /** Skipped actions by their index: they stay skipped when the others are judged again. */
  readonly skipped?: Readonly<Record<number, NotRun>>;
  /** Before judging this action, undo the changes of an earlier attempt. */
  readonly takesBack?: { readonly index: number; readonly action: number };
  /** Commands that gave up a connection before the user allowed it: they run again before the next action. */
  readonly again?: readonly { readonly action: Action; readonly attempt?: Attempt | undefined }[];
  /** Static analysis says that every action only reads: they may run in parallel. */
  readonly reading: boolean;
};

/** An action approved by the user or the policy, waiting for its turn. */
export type Approved = {
  readonly kind: 'approved';
  readonly judgedAs: OpId;
  readonly judgement: Judgement;
  /** Whether the user said proceed. */
  readonly userApproved: boolean;
  /** When the user did, in ms since the epoch. */
  readonly approvedAt?: number;
  readonly cwd: string;
  readonly mode: Mode;
  /** Apply this trial's changes instead of running the action. */
  readonly trial?: ToApply;
};

/** Refused or skipped; the result reports this to the model, in order. */
export type NotRun = {
  readonly kind: 'notRun';
  readonly text: string;
  readonly skipped?: true;
  /** Whether the action was tried; then `text` contains what it printed. */
  readonly tried?: true;
};

/** A decided action that has not started. */
export type Decided = Approved | NotRun;

/** An action that runs in parallel with others. `actionStarted` sets `started`, durably before the launch (RE-4). */
export type ActionSlot =
  | Decided
  | {
      readonly kind: 'running';
      readonly op: OpId;
      readonly userApproved: boolean;
      readonly approvedAt?: number;
      readonly allowedBy?: AllowedBy;
      readonly started: boolean;
      readonly trial?: ToApply;
    }
  /** The result is reported after those of all earlier actions. */
  | { readonly kind: 'ended'; readonly userApproved: boolean; readonly approvedAt?: number; readonly outcome: Outcome };

/** The actions from `dispatch.index` on, each in its slot. */
export type ActionSlots = { readonly dispatch: Dispatch; readonly slots: readonly ActionSlot[] };

/** The phase of a conversation. It names every outstanding operation and question. */
export type Phase =
  | { readonly kind: 'idle' }
  /** The preplanner is working; its reply is a plan, never a turn (PP-1). */
  | {
      readonly kind: 'planning';
      readonly op: OpId;
      readonly run: NorrisRun;
      /** The user wants to review the plan before its first step. */
      readonly hold?: true;
      /** Set when the rest of a run is replanned; `ending`: how the run ends if no new plan comes. */
      readonly replans?: { readonly ending?: Ending };
    }
  /** The plan waits for the user's approval before its first step (PP-6). */
  | { readonly kind: 'planReview'; readonly question: QuestionId; readonly run: NorrisRun }
  | {
      readonly kind: 'replying';
      readonly op: OpId;
      readonly run: Run;
      /** The request did not fit into the window before: it is sent once more, shortened. */
      readonly overflowed?: true;
      /** The first answer was unusable: the model is asked once more. */
      readonly again?: true;
      /** The turns are being summarised; the reply is not an answer. */
      readonly compacts?: true;
      /** The turns evicted for this call, for one common notice. */
      readonly evicted?: Evicted;
    }
  | {
      readonly kind: 'judging';
      readonly op: OpId;
      readonly run: Run;
      readonly dispatch: Dispatch;
      /**
       * Whether the user has consented. `policy`: not yet. `edited`: the user wrote the command or agreed to run it
       * again, so only a destructive one asks. `asked`: an earlier question is still open (after a restart, or in
       * another mode). `changed`: a file it names changed after the judgement, so it asks again. `approved`: the user
       * approved it in this wider mode, so it asks only about new findings.
       */
      readonly consent: 'policy' | 'edited' | 'asked' | 'changed' | 'approved';
      /** The judgement the user saw, if `consent` is `approved`. */
      readonly seen?: Judgement;
      /** Decided actions right before `index`, waiting to start in parallel with it. */
      readonly decided: readonly Decided[];
    }
  | {
      readonly kind: 'halted';
      readonly question: QuestionId;
      readonly run: Run;
      readonly dispatch: Dispatch;
      readonly judgement: Judgement;
      /** The operation that judged the action. */
      readonly judgedAs: OpId;
      readonly decided: readonly Decided[];
      /** The action was tried, and the user reviews its changes. */
      readonly tried?: Tried;
    }
  /** A trial runs for the user (HA-10); afterwards `asked` is asked again with its result. */
  | {
      readonly kind: 'trying';
      readonly op: OpId;
      readonly run: Run;
      readonly dispatch: Dispatch;
      readonly judgement: Judgement;
      readonly judgedAs: OpId;
      readonly decided: readonly Decided[];
      readonly asked: Asked;
    }
  | ({
      readonly kind: 'acting';
      readonly run: Run;
      /** How many of them may run at the same time. */
      readonly concurrency: number;
    } & ActionSlots)
  /** The agent asked for a wider mode, or needs one. Only approve or deny continues (MO-3). */
  | {
      readonly kind: 'awaitingModeApproval';
      readonly question: QuestionId;
      readonly run: Run;
      readonly dispatch: Dispatch;
      /** The current action did not ask, but can't work in this mode; `decided` wait for it. */
      readonly raised?: { readonly decided: readonly Decided[] };
      /** No current action needs the mode: it is offered before the first step, or after an action. */
      readonly offered?: 'plan' | 'action';
      /** The refused action: after a yes its changes are undone and it runs again. */
      readonly again?: Action;
      /** The action is to run outside the light sandbox, in the same mode. */
      readonly outside?: true;
      readonly attempt?: Attempt;
      /** The wider mode is for this action only. */
      readonly once?: true;
    }
  | {
      readonly kind: 'escalated';
      readonly question: QuestionId;
      readonly run: NorrisRun;
      /** Whether the step had actions, and its sentinel: evaluated after the user's answer. */
      readonly acted: boolean;
      readonly sentinel?: Sentinel;
    }
  /** The next call costs money and the session has reached its limit (CO-2). */
  | { readonly kind: 'awaitingSpend'; readonly question: QuestionId; readonly run: Run; readonly upTo: number }
  /** Aborted during a model call or a judgement; waits for that operation's end. */
  | {
      readonly kind: 'stopping';
      readonly op: OpId;
      readonly run: Run;
      /** The reply's actions: their open calls get results once the operation has ended. */
      readonly open?: ActionSlots;
      /** Set while stopping the preplanner, whose text is not a turn. */
      readonly planning?: true;
    }
  /** Aborted while actions ran: their outcomes are still recorded, and no further action starts. */
  | ({ readonly kind: 'stoppingActions'; readonly run: Run } & ActionSlots);

/** How many turns were shortened, and how many were dropped. */
export type Evicted = { readonly shortened: number; readonly dropped: number };
