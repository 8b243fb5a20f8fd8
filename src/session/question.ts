/** What waits for the user's decision. */
import type { Action, Judgement, ToolFacts } from './action.ts';
import type { FleetAsked } from './fleet-question.ts';
import type { Form } from './form.ts';
import type { Mode, QuestionId, SessionId } from './ids.ts';
import type { Review } from './review.ts';
import type { Trial } from './tried.ts';

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
  /** The session has cost `spent` of the `limit` dollars it may, and the next call of `preset` costs more. */
  | {
      readonly kind: 'spend';
      readonly preset: string;
      readonly spent: number;
      readonly limit: number;
      readonly allowance: number;
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
