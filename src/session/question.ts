/** Questions that wait for the user, and the data shown for them: reviews, questions of a fleet, trials. */
import type { Action, CommandResult, Finding, Judgement, ToolFacts } from './action.ts';
import type { Form } from './form.ts';
import type { Mode, QuestionId, SessionId } from './ids.ts';

/** The sub-agent that asks. */
export type Asker = { readonly agent: number; readonly task: string };

/**
 * Why a HALT asks. `destructive`: the gate stopped the action. `consent`: harmless, but this kind of action needs a
 * yes. `resumed`: still open from before. `changed`: a file it names changed after the question, so nothing has run
 * (SF-13).
 */
export type HaltReason = 'destructive' | 'consent' | 'resumed' | 'changed';

/** A decision that waits for the user. The screen shows the first one. */
export type Question = { readonly id: QuestionId; readonly session: SessionId; readonly asker?: Asker } & (
  | {
      readonly kind: 'halt';
      readonly action: Action;
      readonly judgement: Judgement;
      readonly why: HaltReason;
      readonly cwd: string;
      readonly mode: Mode;
      /** Wider modes the user may choose instead, because the kernel would block the action in this mode (HA-6). */
      readonly offers?: readonly Mode[];
      readonly step?: { readonly k: number; readonly n: number };
      /** For a tool call. `changed` is also set if the user had approved a different definition. */
      readonly tool?: ToolFacts;
      /** For a sub-agent's task: the tasks of the same reply that come after it. */
      readonly others?: readonly string[];
      /** The changes of a built-in tool, as a diff. */
      readonly diff?: string;
      /** For a command that sends data: how long a yes is valid. */
      readonly leaveFor?: 'run' | 'session';
      /** The action can be tried first. */
      readonly canTry?: true;
      /** Why it can't be tried, if the user should know. */
      readonly noTry?: string;
      /** The changes that the action would make, according to a trial. */
      readonly trial?: Trial;
      /** The current task of a planned run. */
      readonly task?: { readonly k: number; readonly n: number; readonly text: string };
    }
  | { readonly kind: 'escalation'; readonly skips: number }
  /** A plan before its first step: begin, edit, send back, or end the run (PP-6). */
  | { readonly kind: 'plan'; readonly planner: string; readonly tasks: readonly string[] }
  /**
   * The session has cost `spent` of its `limit` in dollars, and the next call of `preset` costs more: at most
   * `estimate`, if that would exceed the limit.
   */
  | {
      readonly kind: 'spend';
      readonly preset: string;
      readonly spent: number;
      readonly limit: number;
      readonly allowance: number;
      readonly estimate?: number;
    }
  /** A request for a wider mode than `from`, with its reason; `wish` is the mode that the agent named. */
  | {
      readonly kind: 'mode';
      readonly reason: string;
      readonly from: Mode;
      /** Narrowest first: a plain yes chooses the first. */
      readonly offers: readonly Mode[];
      readonly wish?: Mode;
      /** The place whose project tree is meant. */
      readonly cwd: string;
      /** The parts of Project mode that can’t be enforced here. */
      readonly missing?: string;
      /** The action that can't work in this mode, if the model did not ask itself. */
      readonly action?: Action;
      /** aish-tui offers the mode: a plan is about to start, or the mode refused a command something. */
      readonly offered?: 'plan' | 'action';
      /** Asks to run `action` again outside the light sandbox, in the same mode. */
      readonly outside?: true;
      /** The wider mode is for this action only, because a program in it ignores the proxy. */
      readonly once?: true;
    }
  /** Something a command left for the user to decide on. Belongs to no phase: the command's end waits for it. */
  | ({ readonly kind: 'review'; readonly review: string } & Review)
  /** A decision that several hosts of a fleet need. Belongs to no phase: the fleet runs beside the conversation. */
  | ({ readonly kind: 'fleet'; readonly fleet: string } & FleetAsked)
  /** A server asks the user for input. Belongs to no phase: the run continues when the server does. */
  | ({ readonly kind: 'form'; readonly form: string } & Form)
);

/** A HALT's question without id and asker. */
export type Asked = Omit<Extract<Question, { kind: 'halt' }>, 'id' | 'session' | 'asker' | 'trial'>;

/**
 * A question about files that a command left, or about a program that may start or connect because of them (MO-9,
 * EF-1). The user decides before the command’s end is reported.
 */
export type Review = {
  /**
   * `later`: new files that other programs would run were set aside. `room`: the store was full, so a change was
   * refused. `start`: a command of the user's configuration depends on files that a model has changed. `network`: a
   * program waits to connect.
   */
  readonly about: 'later' | 'room' | 'start' | 'network';
  /** The command; for `start` the command to start, for `network` the program. */
  readonly command: string;
  /** The items, one phrase for each file. */
  readonly items: readonly string[];
  /** Unified diffs of the files before and after the command; may be empty. */
  readonly diff: string;
  /** For a connection: how long a lasting answer is valid. Absent in older journals. */
  readonly holds?: 'job' | 'run' | 'session';
  /** The program has ended: a yes runs the command again, after its changes are undone in full or in part. */
  readonly again?: 'undone' | 'partly';
};

/** A question of several hosts, asked once. */
export type FleetAsked = {
  readonly goal: string;
  /** The hosts that the answer applies to. */
  readonly hosts: readonly string[];
  /** How many other hosts wait with a different question. */
  readonly others: number;
  readonly command: string;
  /** The directory on each of these hosts. */
  readonly cwd: string;
  readonly root: boolean;
  readonly reason: string;
  readonly findings: readonly Finding[];
  /** The hosts’ reports on the files that the action names, one line each. */
  readonly reported: readonly string[];
  /** How it differs from the question of most hosts. */
  readonly differences: readonly string[];
  /** After a yes this host runs first, and the others wait for its result. */
  readonly canary?: string;
};

/** One path that a trial would change. */
export type TrialRow = {
  readonly path: string;
  readonly kind: 'created' | 'deleted' | 'changed' | 'mode';
  readonly type: 'file' | 'directory' | 'link' | 'other';
  readonly bytes: number;
  /** Whether hard links of the same file would change with it. */
  readonly shared?: true;
};

/** The result of a trial (HA-10). */
export type Trial =
  | {
      readonly kind: 'changes';
      readonly id: string;
      readonly exit: number;
      readonly counts: { readonly deleted: number; readonly changed: number; readonly created: number };
      readonly deletedBytes: number;
      readonly writtenBytes: number;
      /** The first paths, in order. */
      readonly rows: readonly TrialRow[];
      /** The number of further paths. */
      readonly more: number;
      /** The user's yes is bound to this digest. */
      readonly digest: string;
      /** Reasons why the trial’s list may be incomplete. */
      readonly doubts: readonly string[];
      /** Git branches before and after, one line each. */
      readonly moves: readonly string[];
      /** Unified diffs, limited in size. */
      readonly diff: string;
      /** Why it can't be applied in this mode. */
      readonly beyond?: string;
    }
  | { readonly kind: 'cannotTell'; readonly why: string; readonly exit?: number };

type Shown = Extract<Trial, { kind: 'changes' }>;

/** Returns whether an apply would change anything and is allowed. */
export function canBeApplied(trial: Trial): trial is Shown {
  return trial.kind === 'changes' && trial.beyond === undefined && trial.rows.length > 0;
}

/** A finished trial, with its command's output. */
export type Tried = { readonly trial: Trial; readonly result: CommandResult };

/** A trial to apply. */
export type ToApply = { readonly id: string; readonly digest: string; readonly result: CommandResult };
