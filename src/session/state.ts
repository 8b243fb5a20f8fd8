/** The state of everything: the user's conversation, its sub-agents, the user's shell, the questions that wait. */

import type { Action, CommandResult, Examination, Judgement, ToolFacts } from './action.ts';
import { type Costs, NO_COSTS } from './cost.ts';
import type { Form } from './form.ts';
import type { ToolCall } from './message.ts';

export type SessionId = string;
/** Names one operation in flight; facts of an operation that is over are dropped. */
export type OpId = string;
export type QuestionId = string;
export type Mode = 'restricted' | 'unrestricted';

/** What a conversation runs under. Comes in with the event that opens or resumes it, so a journal replays alike. */
export type Settings = {
  readonly preset: string;
  readonly executorPreset?: string;
  readonly maxTurns: number;
  readonly maxToolRounds: number;
  readonly maxNorrisSteps: number;
  /** Ask before a `CMD:` line in chat (AC-3). */
  readonly confirmCmd: boolean;
  /** Whether the kernel sandbox can be enforced here; without it the mode is always unrestricted (MO-7). */
  readonly sandbox: boolean;
  /** Globs over tools of other servers that the user's own configuration declares to only read (MO-2). */
  readonly readOnlyTools?: readonly string[];
  /** The preset that plans the tasks of a Norris run; absent: no plan (PP-1). It need not exist (PP-4). */
  readonly preplanner?: string;
  /** Tasks taken from a plan. */
  readonly tasksMax?: number;
};

/** What is known of a turn's place in the context (CX-1, CX-2). */
type InContext = {
  /** Tokens of what is sent of it, as `Budget.counter` counts them; absent until counted. */
  readonly tokens?: number;
  /** Set once it was shortened for good: characters of its text that are still sent; 0 leaves one line of an output. */
  readonly room?: number;
  /** Where the whole of an output is kept. */
  readonly file?: string;
};

/** One message of the conversation. `exec`, `goal` and `aish` turns reach the model as user text. */
export type Turn = InContext & TurnBody;

type TurnBody =
  | { readonly kind: 'user'; readonly origin: 'user' | 'goal' | 'exec' | 'aish'; readonly text: string }
  | {
      readonly kind: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly partial: boolean;
    }
  | { readonly kind: 'result'; readonly callId: string; readonly text: string };

/** What waits for the next model call: lines the user queued, output of the user's own commands, news. */
export type InboxItem =
  | { readonly kind: 'line'; readonly id: string; readonly text: string }
  | { readonly kind: 'note'; readonly origin: 'exec' | 'aish'; readonly text: string; readonly file?: string };

/** How much of a conversation fits into a request to one preset. All counts in tokens. */
export type Budget = {
  readonly preset: string;
  readonly window: number;
  /** Who says so: the user's configuration, the server, an overflow that happened, or nobody. */
  readonly source: 'config' | 'server' | 'learned' | 'assumed';
  /** Whose tokens they are; counts of another counter are not comparable. */
  readonly counter: string;
  /** For the whole request: `token_budget`, or the window less room for the answer. */
  readonly room: number;
  /** What the system prompt and the tools take. */
  readonly head: number;
  /** What all turns together may take, a safety margin taken off. */
  readonly limit: number;
  /** The longest answer asked for. */
  readonly answer: number;
  /** The server's count of the last request over ours. */
  readonly factor: number;
};

/** How a Norris run ended (NO-3). */
export type NorrisStatus =
  | 'aborted'
  | 'done'
  | 'blocked'
  | 'stalled'
  | 'tasks_complete'
  | 'budget_exhausted'
  | 'failed';

/** The tasks of a planned run. `current` is the index of the one in hand, the list's length once all are through. */
export type Tasks = {
  readonly list: readonly string[];
  readonly current: number;
  /** The preset that planned them. */
  readonly planner: string;
};

/** One call of a preplanner and its reply: for `:history`, never for a model (CX-3). */
export type Preplan = {
  /** How many turns there were before it. */
  readonly after: number;
  readonly preset: string;
  readonly goal: string;
  readonly text: string;
  /** What came of it, as it was said. */
  readonly outcome: string;
};

export type NorrisRun = {
  readonly kind: 'norris';
  readonly goal: string;
  readonly preset: string;
  readonly startedAt: number;
  /** The step under way, from 1. */
  readonly step: number;
  readonly maxSteps: number;
  readonly commands: number;
  readonly skips: number;
  /** Skips in a row, counted across steps; any executed proceed resets it (HA-4). */
  readonly skipsInARow: number;
  /** The plan, outside the turns, so that no eviction loses it (PP-1). */
  readonly tasks?: Tasks;
  /** All tasks are through: the call under way is the report (PP-3). */
  readonly reporting?: true;
  /** What the session had cost when the run began. */
  readonly costsBefore?: Costs;
  readonly fallbacks?: readonly string[];
};

/** The sub-loop that follows a question, until a reply has no action. */
export type ChatRun = {
  readonly kind: 'chat';
  readonly preset: string;
  readonly round: number;
  /** Set once a fallback has taken over for the rest of the run: those that are still left (BR-4). */
  readonly fallbacks?: readonly string[];
};

/** A sub-agent's way to its report (TO-4). */
export type DelegateRun = {
  readonly kind: 'delegate';
  /** The sub-agents of a session are numbered from 1. */
  readonly agent: number;
  readonly task: string;
  /** The user's own words behind it, for the second opinion: never the agent's prose. */
  readonly goal: string;
  readonly preset: string;
  readonly startedAt: number;
  /** The step under way, from 1. */
  readonly step: number;
  readonly fallbacks?: readonly string[];
};

export type Run = ChatRun | NorrisRun | DelegateRun;

/** A `GOAL:` line outside fences (AC-1). */
export type Sentinel = { readonly kind: 'complete' } | { readonly kind: 'blocked'; readonly reason: string };

/** The actions of one reply on their way: `index` is the one in hand, or the first of those that run. */
export type Dispatch = {
  readonly actions: readonly Action[];
  readonly index: number;
  readonly sentinel?: Sentinel;
  /** Every one of them only reads, by the gate's static word: they may run side by side. */
  readonly reading: boolean;
};

/** The user or the policy let it run as it was judged; it waits for its turn. */
export type Cleared = {
  readonly kind: 'cleared';
  readonly judgedAs: OpId;
  readonly judgement: Judgement;
  /** The user said proceed. */
  readonly approved: boolean;
  readonly cwd: string;
  readonly mode: Mode;
};

/** Refused or skipped: the model is told so in its place among the results. */
export type Unrun = { readonly kind: 'unrun'; readonly text: string };

/** An action that is decided and has not started. */
export type Held = Cleared | Unrun;

/** One of the actions that run side by side. `started` is set by `actionStarted`, durable before the launch (RE-4). */
export type Lane =
  | Held
  | { readonly kind: 'running'; readonly op: OpId; readonly approved: boolean; readonly started: boolean }
  /** Its result is told when those before it have theirs. */
  | { readonly kind: 'ended'; readonly approved: boolean; readonly outcome: Outcome };

/** The actions from `dispatch.index` on, each in its lane. */
export type Lanes = { readonly dispatch: Dispatch; readonly lanes: readonly Lane[] };

/** Where a conversation stands. Every outstanding operation or question is named by its phase. */
export type Phase =
  | { readonly kind: 'idle' }
  /** The preplanner is asked; its reply is a plan, never a turn (PP-1). */
  | { readonly kind: 'planning'; readonly op: OpId; readonly run: NorrisRun }
  | {
      readonly kind: 'replying';
      readonly op: OpId;
      readonly run: Run;
      /** The same step was asked before and did not fit: it is asked again once. */
      readonly overflowed?: true;
      /** What left the context for this call, for the one line that says so. */
      readonly evicted?: Evicted;
    }
  | {
      readonly kind: 'judging';
      readonly op: OpId;
      readonly run: Run;
      readonly dispatch: Dispatch;
      /**
       * Who has consented: nobody yet, so policy decides; the user by editing the command, so only a destructive
       * one asks again; or it was put to the user before and is still open (a restart, another mode), so it asks whatever
       * the gate says now.
       */
      readonly consent: 'policy' | 'edited' | 'asked';
      /** Those right before `index`: decided, and waiting to start side by side with it. */
      readonly held: readonly Held[];
    }
  | {
      readonly kind: 'halted';
      readonly question: QuestionId;
      readonly run: Run;
      readonly dispatch: Dispatch;
      readonly judgement: Judgement;
      /** The operation that judged it. */
      readonly judgedAs: OpId;
      readonly held: readonly Held[];
    }
  | ({
      readonly kind: 'acting';
      readonly run: Run;
      /** How many of them may run at the same time. */
      readonly atOnce: number;
    } & Lanes)
  /** The agent asked for Unrestricted; only approve or deny lead out (MO-3). */
  | {
      readonly kind: 'awaitingModeApproval';
      readonly question: QuestionId;
      readonly run: Run;
      readonly dispatch: Dispatch;
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
      readonly open?: Lanes;
      /** Set when what is stopping is the preplan: its text is no turn. */
      readonly planning?: true;
    }
  /** Aborted while actions ran: their outcomes are still to be recorded, none is started any more. */
  | ({ readonly kind: 'stoppingActions'; readonly run: Run } & Lanes);

/** A sub-agent's parent, and the operation of the parent's that waits for its report. */
export type Parent = { readonly session: SessionId; readonly op: OpId };

/** How many turns were shortened, and how many went. */
export type Evicted = { readonly shortened: number; readonly gone: number };

/** One conversation: the user's, or a sub-agent's. */
export type Conversation = {
  readonly id: SessionId;
  readonly parent?: Parent;
  readonly settings: Settings;
  readonly mode: Mode;
  /** The user has tightened while an action ran: takes effect when it ends (MO-4). */
  readonly tightening: boolean;
  readonly turns: readonly Turn[];
  readonly inbox: readonly InboxItem[];
  readonly phase: Phase;
  /** The agent's working directory: the user's at each user turn, then following its own `cd` (EX-10). */
  readonly cwd: string;
  readonly lastGoal?: string;
  /** What the last run left of its plan, for `:norris continue` (NO-1). */
  readonly lastTasks?: Tasks | undefined;
  readonly preplans?: readonly Preplan[];
  /** Preset chosen for later runs (BR-3). */
  readonly preset: string;
  /** What the last request was made to fit into. */
  readonly budget?: Budget;
  /** How many of the oldest turns have left the context for want of room; `max_turns` may take more. */
  readonly gone?: number;
  /** Tokens of the last request, and of its answer once the server has told. */
  readonly used?: number;
};

/** The user's own shell. Its commands never wait for an agent. */
export type Shell = {
  readonly cwd: string;
  readonly running?: { readonly op: OpId; readonly line: string; readonly private: boolean };
};

/** Whose question it is, where a sub-agent asks. */
export type Asker = { readonly agent: number; readonly task: string };

/** A decision that waits for the user. The head of the line is on screen. */
export type Question = { readonly id: QuestionId; readonly session: SessionId; readonly asker?: Asker } & (
  | {
      readonly kind: 'halt';
      readonly action: Action;
      readonly judgement: Judgement;
      /** `destructive`: what the gate stopped. `consent`: harmless, but this kind of action needs a yes. */
      readonly why: 'destructive' | 'consent' | 'resumed';
      readonly cwd: string;
      readonly mode: Mode;
      readonly step?: { readonly k: number; readonly n: number };
      /** Of a tool call. `changed` also where the user had approved another definition of it. */
      readonly tool?: ToolFacts;
      /** The task in hand of a planned run. */
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
  /** The agent wants to leave Restricted, for this reason. */
  | { readonly kind: 'mode'; readonly reason: string }
  /** A server asks for what only the user knows. Belongs to no phase: the run goes on when the server does. */
  | ({ readonly kind: 'form'; readonly form: string } & Form)
);

export type State = {
  readonly sessions: Readonly<Record<SessionId, Conversation>>;
  /** The user's conversation. */
  readonly root: SessionId;
  readonly shell: Shell;
  readonly questions: readonly Question[];
  /** Tools that need no further consent in this session, each with the definition it was given for. */
  readonly grants?: Readonly<Record<string, string>>;
  /** What the calls of this session have cost, those of its sub-agents and of the gate included. */
  readonly costs: Costs;
  /** Dollars that the user has let the session go on to, past `cost.stop_at_dollars` (CO-2). */
  readonly allowedDollars?: number;
  /** Source of operation, question and entry ids; part of the state so that a journal replays to the same ids. */
  readonly serial: number;
  /** Sub-agents there have been. */
  readonly agents: number;
};

/** What came of an action that ran. */
export type Outcome =
  | { readonly kind: 'command'; readonly result: CommandResult }
  | { readonly kind: 'job'; readonly job: number; readonly result: CommandResult }
  | { readonly kind: 'tool'; readonly text: string; readonly failed: boolean }
  /** What a sub-agent reported, or what is known of it. */
  | { readonly kind: 'report'; readonly text: string; readonly failed: boolean; readonly steps: number };

export type { Examination };

/** The state before anything happened. */
export function emptyState(root: SessionId): State {
  return { sessions: {}, root, shell: { cwd: '/' }, questions: [], costs: NO_COSTS, serial: 0, agents: 0 };
}

/** The user's conversation. Throws when it was never opened, which is a bug of the caller. */
export function rootOf(state: State): Conversation {
  const conversation = state.sessions[state.root];
  if (!conversation) throw new Error('the conversation was not opened');
  return conversation;
}
