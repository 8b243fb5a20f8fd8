/** The phase of a conversation. Illegal combinations can't be expressed. */
import type { Action, AllowedBy, CommandResult, Judgement } from './action.ts';
import type { Mode, OpId, QuestionId } from './ids.ts';
import type { Asked, ToApply, Tried } from './question.ts';
import type { Ending, NorrisRun, Run } from './run.ts';

/**
 * What the kernel has refused a command for its mode, as far as its output tells. `sandbox`: what the light sandbox of
 * Unrestricted refuses.
 */
export type Refused = 'write' | 'network' | 'sandbox';

/** What a refused command had changed before: the action that `:undo` takes back, and whether that is all of it. */
export type Attempt = { readonly action?: number; readonly whole: boolean };

/** What came of an action that ran. */
export type Outcome =
  | {
      readonly kind: 'command';
      readonly result: CommandResult;
      readonly refused?: Refused;
      readonly attempt?: Attempt;
      /** It gave up a connection before the user's yes: it runs again. */
      readonly again?: true;
    }
  | { readonly kind: 'job'; readonly job: number; readonly result: CommandResult }
  | { readonly kind: 'tool'; readonly text: string; readonly failed: boolean }
  /** What a trial had shown was done, or refused. */
  | { readonly kind: 'applied'; readonly ok: boolean; readonly text: string; readonly result: CommandResult }
  /** What a sub-agent reported, or what is known of it. */
  | { readonly kind: 'report'; readonly text: string; readonly failed: boolean; readonly steps: number };

/** A `GOAL:` line outside fences (AC-1). */
export type Sentinel = { readonly kind: 'complete' } | { readonly kind: 'blocked'; readonly reason: string };

/** The actions of one reply as they are worked through: `index` is the current one, or the first of those that run. */
export type Dispatch = {
  readonly actions: readonly Action[];
  readonly index: number;
  readonly sentinel?: Sentinel;
  /** What the user skipped, by its place among `actions`: they stay skipped when the others are judged again. */
  readonly skipped?: Readonly<Record<number, NotRun>>;
  /** Before the action at this place is judged, what an earlier attempt of it has changed is taken back. */
  readonly takesBack?: { readonly index: number; readonly action: number };
  /** What gave up a connection before the user's yes: it runs again before the next action. */
  readonly again?: readonly { readonly action: Action; readonly attempt?: Attempt | undefined }[];
  /** Every one of them only reads, by the gate's static word: they may run side by side. */
  readonly reading: boolean;
};

/** The user or the policy has approved it as it was judged; it waits for its turn. */
export type Approved = {
  readonly kind: 'approved';
  readonly judgedAs: OpId;
  readonly judgement: Judgement;
  /** The user said proceed. */
  readonly userApproved: boolean;
  /** When the user did, in ms since the epoch. */
  readonly approvedAt?: number;
  readonly cwd: string;
  readonly mode: Mode;
  /** It does not run: what this trial has shown is done. */
  readonly trial?: ToApply;
};

/** Refused or skipped: its result reports this to the model, in order. */
export type NotRun = {
  readonly kind: 'notRun';
  readonly text: string;
  readonly skipped?: true;
  /** It was tried, and the text holds what it printed. */
  readonly tried?: true;
};

/** An action that is decided and has not started. */
export type Decided = Approved | NotRun;

/** One of the actions that run side by side. `started` is set by `actionStarted`, durable before the launch (RE-4). */
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
  /** Its result is reported once the actions before it have theirs. */
  | { readonly kind: 'ended'; readonly userApproved: boolean; readonly approvedAt?: number; readonly outcome: Outcome };

/** The actions from `dispatch.index` on, each in its slot. */
export type ActionSlots = { readonly dispatch: Dispatch; readonly slots: readonly ActionSlot[] };

/** The phase of a conversation, which names every outstanding operation and question. */
export type Phase =
  | { readonly kind: 'idle' }
  /** The preplanner is asked; its reply is a plan, never a turn (PP-1). */
  | {
      readonly kind: 'planning';
      readonly op: OpId;
      readonly run: NorrisRun;
      /** The user wants to see the plan before its first step. */
      readonly hold?: true;
      /** The rest of a run is planned anew; `ending` is how the run ends if no new plan comes. */
      readonly replans?: { readonly ending?: Ending };
    }
  /** The plan waits for the user before its first step (PP-6). */
  | { readonly kind: 'planReview'; readonly question: QuestionId; readonly run: NorrisRun }
  | {
      readonly kind: 'replying';
      readonly op: OpId;
      readonly run: Run;
      /** The same step was asked before and did not fit: it is asked again once. */
      readonly overflowed?: true;
      /** It is asked once more, since the first answer was of no use. */
      readonly again?: true;
      /** The turns are summarised; what comes is not an answer. */
      readonly compacts?: true;
      /** What left the context for this call, for the one notice about it. */
      readonly evicted?: Evicted;
    }
  | {
      readonly kind: 'judging';
      readonly op: OpId;
      readonly run: Run;
      readonly dispatch: Dispatch;
      /**
       * `policy`: no one has consented yet, the policy decides. `edited`: the user wrote the command, or said yes to
       * running it again, only a destructive one asks again. `asked`: it was put to the user before and is still open
       * (a restart, another mode), it asks again. `changed`: what it names is no longer what was judged, it asks again.
       * `approved`: the user said yes to it in this wider mode; it asks again only where more is found than was shown.
       */
      readonly consent: 'policy' | 'edited' | 'asked' | 'changed' | 'approved';
      /** What the user has seen, where `consent` is `approved`. */
      readonly seen?: Judgement;
      /** Those right before `index`: decided, and waiting to start side by side with it. */
      readonly decided: readonly Decided[];
    }
  | {
      readonly kind: 'halted';
      readonly question: QuestionId;
      readonly run: Run;
      readonly dispatch: Dispatch;
      readonly judgement: Judgement;
      /** The operation that judged it. */
      readonly judgedAs: OpId;
      readonly decided: readonly Decided[];
      /** It was tried, and the user looks at what it would change. */
      readonly tried?: Tried;
    }
  /** The user wants to see what it would do (HA-10); `asked` is put again with it. */
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
  /** The agent asked for a wider mode, or needs one; only approve or deny lead out (MO-3). */
  | {
      readonly kind: 'awaitingModeApproval';
      readonly question: QuestionId;
      readonly run: Run;
      readonly dispatch: Dispatch;
      /** The action in hand asks for no mode, but can't do its work in this one; `decided` wait for it. */
      readonly raised?: { readonly decided: readonly Decided[] };
      /** Nothing in hand needs it: it is offered before the first step, or behind an action. */
      readonly offered?: 'plan' | 'action';
      /** What the mode has refused: it runs again after a yes, behind the undo of what it had changed. */
      readonly again?: Action;
      /** It is to run outside the light sandbox, in the same mode. */
      readonly outside?: true;
      readonly attempt?: Attempt;
      /** The wider mode is for that action only. */
      readonly once?: true;
    }
  | {
      readonly kind: 'escalated';
      readonly question: QuestionId;
      readonly run: NorrisRun;
      /** Whether the step had actions at all, and what it said of the goal: looked at once the user has answered. */
      readonly acted: boolean;
      readonly sentinel?: Sentinel;
    }
  /** The next call costs money and the session has cost what it may (CO-2). */
  | { readonly kind: 'awaitingSpend'; readonly question: QuestionId; readonly run: Run; readonly upTo: number }
  /** Aborted while the model was called or an action was judged: that operation's end is waited for. */
  | {
      readonly kind: 'stopping';
      readonly op: OpId;
      readonly run: Run;
      /** What was being dispatched; its open calls get their results when the operation has ended. */
      readonly open?: ActionSlots;
      /** Set when the preplan is being stopped: its text is not a turn. */
      readonly planning?: true;
    }
  /** Aborted while actions ran: their outcomes are still to be recorded, none is started any more. */
  | ({ readonly kind: 'stoppingActions'; readonly run: Run } & ActionSlots);

/** How many turns were shortened, and how many were dropped. */
export type Evicted = { readonly shortened: number; readonly dropped: number };
