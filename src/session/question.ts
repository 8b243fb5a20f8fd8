/** What waits for the user's decision, and what the user is shown for it: reviews, questions of a fleet, trials. */
import type { Action, CommandResult, Finding, Judgement, ToolFacts } from './action.ts';
import type { Form } from './form.ts';
import type { Mode, QuestionId, SessionId } from './ids.ts';

/** Whose question it is, where a sub-agent asks. */
export type Asker = { readonly agent: number; readonly task: string };

/**
 * `destructive`: the gate stopped it. `consent`: harmless, but this kind of action needs a yes. `resumed`: still
 * open. `changed`: what it names has changed since the user was asked, so nothing has run (SF-13).
 */
export type HaltReason = 'destructive' | 'consent' | 'resumed' | 'changed';

/** A decision that waits for the user. The head of the line is on screen. */
export type Question = { readonly id: QuestionId; readonly session: SessionId; readonly asker?: Asker } & (
  | {
      readonly kind: 'halt';
      readonly action: Action;
      readonly judgement: Judgement;
      readonly why: HaltReason;
      readonly cwd: string;
      readonly mode: Mode;
      /** Wider modes that the user may choose instead, where the kernel would refuse it in this one (HA-6). */
      readonly offers?: readonly Mode[];
      readonly step?: { readonly k: number; readonly n: number };
      /** Of a tool call. `changed` also where the user had approved another definition of it. */
      readonly tool?: ToolFacts;
      /** What it would change, of a call of the program's own. */
      readonly diff?: string;
      /** Of what leaves the machine: how long a yes holds. */
      readonly leaveFor?: 'run' | 'session';
      /** It can be tried first. */
      readonly canTry?: true;
      /** Why it can't, where that is worth a word. */
      readonly noTry?: string;
      /** What it would change, as a trial has shown. */
      readonly trial?: Trial;
      /** The current task of a planned run. */
      readonly task?: { readonly k: number; readonly n: number; readonly text: string };
    }
  | { readonly kind: 'escalation'; readonly skips: number }
  /** A plan that nothing has been done of: begin, edit it, send it back, or end the run (PP-6). */
  | { readonly kind: 'plan'; readonly planner: string; readonly tasks: readonly string[] }
  /**
   * The session has cost `spent` of the `limit` dollars it may, and the next call of `preset` costs more: up to
   * `estimate`, where that is what would pass the limit.
   */
  | {
      readonly kind: 'spend';
      readonly preset: string;
      readonly spent: number;
      readonly limit: number;
      readonly allowance: number;
      readonly estimate?: number;
    }
  /** A wider mode than `from` is asked for, for this reason; `wish` is the one that the agent named. */
  | {
      readonly kind: 'mode';
      readonly reason: string;
      readonly from: Mode;
      /** The narrowest first: a plain yes means it. */
      readonly offers: readonly Mode[];
      readonly wish?: Mode;
      /** The project's tree is meant, from here. */
      readonly cwd: string;
      /** What Project can't enforce here. */
      readonly missing?: string;
      /** What can't do its work in this mode, where the model did not ask by itself. */
      readonly action?: Action;
      /** Nobody asked for it: a plan is about to begin, or the mode has refused a command something. */
      readonly offered?: 'plan' | 'action';
      /** No mode is asked for, but to run `action` again outside the light sandbox. */
      readonly outside?: true;
      /** The wider mode is for this action only: a program in it does not use the proxy. */
      readonly once?: true;
    }
  /** What a command left that only the user decides on. Belongs to no phase: the command's end waits for it. */
  | ({ readonly kind: 'review'; readonly review: string } & Review)
  /** What several machines of a fleet wait for. Belongs to no phase: the fleet goes on beside the conversation. */
  | ({ readonly kind: 'fleet'; readonly fleet: string } & FleetAsked)
  /** A server asks the user for input. Belongs to no phase: the run continues when the server does. */
  | ({ readonly kind: 'form'; readonly form: string } & Form)
);

/** A HALT's question before it has a name and an asker. */
export type Asked = Omit<Extract<Question, { kind: 'halt' }>, 'id' | 'session' | 'asker' | 'trial'>;

/**
 * What a command left, and what may be started from it (MO-9, EF-1). Put to the user before the command's end is told.
 */
export type Review = {
  /**
   * `later`: files that others run were set aside. `room`: the store was full, so that a change was refused. `start`:
   * something of the user's own is to start from files that a model has changed. `network`: a program waits to connect.
   */
  readonly about: 'later' | 'room' | 'start' | 'network';
  /** The command; of `start` what is to be started, of `network` the program. */
  readonly command: string;
  /** One phrase for each file. */
  readonly items: readonly string[];
  /** What was in the files and what the command wrote, as unified diffs; may be empty. */
  readonly diff: string;
  /** Of a connection: with what an answer for longer ends. Absent in older journals. */
  readonly holds?: 'job' | 'run' | 'session';
  /** The program has ended: a yes runs the command again, and what it changed is taken back, or it stays in part. */
  readonly again?: 'undone' | 'partly';
};

/** A question of several machines, put to the user once. */
export type FleetAsked = {
  readonly goal: string;
  /** Whom an answer is for. */
  readonly hosts: readonly string[];
  /** How many other hosts wait with a question of their own. */
  readonly others: number;
  readonly command: string;
  /** The directory on each of them. */
  readonly cwd: string;
  readonly root: boolean;
  readonly reason: string;
  readonly findings: readonly Finding[];
  /** What the hosts report of what it names, one line each. */
  readonly reported: readonly string[];
  /** In what it is another question than that of most hosts. */
  readonly differences: readonly string[];
  /** Behind a yes this one goes first, and the others wait for its end. */
  readonly canary?: string;
};

/** What would become of one path. */
export type TrialRow = {
  readonly path: string;
  readonly kind: 'created' | 'deleted' | 'changed' | 'mode';
  readonly type: 'file' | 'directory' | 'link' | 'other';
  readonly bytes: number;
  /** Other names of the same file would change with it. */
  readonly shared?: true;
};

/** What a trial has shown (HA-10). */
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
