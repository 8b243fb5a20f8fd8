/** The state of everything: the user's conversation, its sub-agents, the user's shell, the questions that wait. */

import type { Action } from './action.ts';
import { type Costs, NO_COSTS } from './cost.ts';
import type { Mode, OpId, SessionId } from './ids.ts';
import type { Attachment, ImageAttachment, ToolCall } from './message.ts';

import type { Attempt, Phase, Refused } from './phase.ts';
import type { Question } from './question.ts';
import type { Tasks } from './run.ts';

/** The version of the machine's decisions that new and resumed sessions are under. */
export const SEMANTICS = 3;

/** Facts that stay the same until the session is resumed. Clean text. */
export type Surroundings = {
  /** The operating system, as `Debian GNU/Linux 13, Linux 6.12 x64`. */
  readonly system: string;
  /** The name of the user's shell. */
  readonly shell: string;
  readonly date: string;
};

/** What the system message of a conversation says. It stays, so that the server's prompt cache holds. */
export type Named = Surroundings & {
  readonly mode: Mode;
  readonly cwd: string;
  readonly git?: string;
  readonly alone?: true;
};

/** What a conversation runs under. Comes in with the event that opens or resumes it, so a journal replays alike. */
export type Settings = {
  readonly preset: string;
  readonly executorPreset?: string;
  readonly maxTurns: number;
  readonly maxToolRounds: number;
  readonly maxNorrisSteps: number;
  /**
   * What asks before a command in chat: every one; what acts, where the kernel holds it to only reading; none (AC-3).
   * A boolean in older journals, which fold as they did.
   */
  readonly confirmCmd: boolean | 'acts';
  /**
   * Whether the kernel sandbox can be enforced here; without it the model's actions run in Unrestricted only (MO-7).
   */
  readonly sandbox: boolean;
  /**
   * Where the mode can't be enforced it stays, and the model's actions wait; absent in older journals: it became
   * Unrestricted.
   */
  readonly keepsMode?: true;
  /** Whether the kernel can hold commands to the project's tree; never without `sandbox`. Absent: it can't (MO-9). */
  readonly project?: boolean;
  /** What Project can't enforce here, in one line for the dialog. */
  readonly projectMissing?: string;
  /** Nobody is there to answer, or to see what runs on when the program ends. */
  readonly alone?: true;
  /**
   * A wider mode is offered by itself, once for each mode, behind a plan or the first refusal; absent in older
   * journals.
   */
  readonly offers?: true;
  /** Globs over tools of other servers that the user's own configuration declares to only read (MO-2). */
  readonly readOnlyTools?: readonly string[];
  /**
   * Globs over tools that the user's own configuration lets run without asking: of other servers' they alone run in
   * Project.
   */
  readonly approvedTools?: readonly string[];
  /** The preset that plans the tasks of a Norris run; absent: no plan (PP-1). It need not exist (PP-4). */
  readonly preplanner?: string;
  /**
   * Which version of the machine decides: a journal folds by the one that wrote it. Absent: that of 0.1, in which a
   * planned run stalled where a task was answered in words, the end of the user's own jobs was not told to the model,
   * nor that an aborted `CMD:` had not run, and a consent that was skipped gave the gate's praise as its reason. 2: a
   * chat asked in every mode, a wider mode was offered for a plan, an action that a mode refused was not run again
   * after a yes, and what nobody was there to approve was told as skipped by the user.
   */
  readonly semantics?: 2 | typeof SEMANTICS;
  /** Protecting keys of the configuration that can't be read: the model runs nothing but in Unrestricted. */
  readonly unread?: readonly string[];
  /** What the system message says of the surroundings; absent in older journals: it says nothing. */
  readonly surroundings?: Surroundings;
  /** Allow rules that the user keeps in their configuration for a directory, behind all links. */
  readonly allow?: { readonly tree: string; readonly rules: readonly string[] };
  /** Tasks taken from a plan. */
  readonly tasksMax?: number;
  /** Presets that a task of a plan may name (PP-7). */
  readonly taskModels?: readonly string[];
  /** A plan waits for the user before its first step (PP-6). */
  readonly approvesPlan?: true;
};

/** Whether the machine decides as version `version` or a later one of its semantics does. */
export function decidesAs({ semantics }: Pick<Settings, 'semantics'>, version: 2 | typeof SEMANTICS): boolean {
  return semantics !== undefined && semantics >= version;
}

/** What is known of a turn's place in the context (CX-1, CX-2). */
type InContext = {
  /** Tokens of what is sent of it, as `Budget.counter` counts them; absent until counted. */
  readonly tokens?: number;
  /** Set once it was shortened for good: characters of its text that are still sent; 0 leaves one line of an output. */
  readonly keptChars?: number;
  /** Where the whole of an output is kept. */
  readonly file?: string;
};

/** One message of the conversation. `exec`, `goal` and `aish` turns reach the model as user text. */
export type Turn = InContext & TurnBody;

type TurnBody =
  | {
      readonly kind: 'user';
      readonly origin: 'user' | 'goal' | 'exec' | 'aish';
      readonly text: string;
      readonly images?: readonly ImageAttachment[];
    }
  | {
      readonly kind: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly partial: boolean;
    }
  | { readonly kind: 'result'; readonly callId: string; readonly text: string };

/** What waits for the next model call: lines the user queued, output of the user's own commands, news. */
export type InboxItem =
  | {
      readonly kind: 'line';
      readonly id: string;
      readonly text: string;
      readonly attached?: readonly Attachment[];
    }
  | { readonly kind: 'note'; readonly origin: 'exec' | 'aish'; readonly text: string; readonly file?: string };

/** How much of a conversation fits into a request to one preset. All counts in tokens. */
export type Budget = {
  readonly preset: string;
  readonly window: number;
  /** Where the window size comes from: the user's configuration, the server, an overflow, or an assumption. */
  readonly source: 'config' | 'server' | 'learned' | 'assumed';
  /** Whose tokens they are; counts of another counter are not comparable. */
  readonly counter: string;
  /** For the whole request: `token_budget`, or the window less room for the answer. */
  readonly requestLimit: number;
  /** What the system prompt and the tools take. */
  readonly head: number;
  /** What all turns together may take, a safety margin taken off. */
  readonly limit: number;
  /** The longest answer asked for. */
  readonly answer: number;
  /** The server's count of the last request over ours. */
  readonly factor: number;
};

/** A budget as journals have it: `room` is its `requestLimit`. */
export type StoredBudget = Omit<Budget, 'requestLimit'> & { readonly room: number };

/** One call of a preplanner and its reply: for `:history`, never for a model (CX-3). */
export type Preplan = {
  /** How many turns there were before it. */
  readonly after: number;
  readonly preset: string;
  readonly goal: string;
  readonly text: string;
  /** What came of it, in the words that were shown. */
  readonly outcome: string;
};

/** A sub-agent's parent, and the operation of the parent's that waits for its report. */
export type Parent = { readonly session: SessionId; readonly op: OpId };

export type Summary = { readonly text: string; readonly upTo: number };

/** A question or goal of the user's among the turns. */
export type AskedTurn = {
  readonly turn: number;
  /** When it became a turn, in ms since the epoch. */
  readonly at: number;
  /** The key of its entry in the transcript. */
  readonly key: string;
  readonly text: string;
  readonly goal?: true;
};

/** A conversation that the user has gone back from (CX-8). */
export type Branch = {
  readonly number: number;
  /** Where it leaves the other one. */
  readonly question: AskedTurn;
  readonly turn: number;
  /** The undos that went with it: undone themselves, they bring the files back. */
  readonly undos: readonly number[];
  readonly kept: Omit<Conversation, 'branches'>;
};

/** One conversation: the user's, or a sub-agent's. */
export type Conversation = {
  readonly id: SessionId;
  readonly parent?: Parent;
  readonly settings: Settings;
  readonly mode: Mode;
  /** The narrower mode that the user chose while an action ran: takes effect when it ends (MO-4). */
  readonly tightening?: Mode | undefined;
  /** In these modes a wider one was offered: it is not offered by itself again. */
  readonly offeredIn?: readonly Mode[];
  /** What the mode has refused a command, for the offer behind it. */
  readonly refused?: Refused | undefined;
  /** The action that it refused, which runs again after a yes; absent in older journals. */
  readonly refusedAction?: Action | undefined;
  /** What it had changed before. */
  readonly refusedAttempt?: Attempt | undefined;
  /** The model's jobs that run; none outlives the program. */
  readonly jobs?: readonly { readonly job: number; readonly command: string }[] | undefined;
  readonly turns: readonly Turn[];
  readonly inbox: readonly InboxItem[];
  readonly phase: Phase;
  /** The agent's working directory: the user's at each user turn, then following its own `cd` (EX-10). */
  readonly cwd: string;
  /** The git branch there, and what git is in the middle of, when the user last sent something. */
  readonly git?: string | undefined;
  /** The directory that the model was last told of; absent: the one that the system message names. */
  readonly toldCwd?: string | undefined;
  /** The last call and how often it has come in a row with the same result. */
  readonly repeats?: { readonly call: string; readonly result: string; readonly count: number } | undefined;
  /** What the system message says of the surroundings. */
  readonly named?: Named | undefined;
  readonly lastGoal?: string;
  /** What the last run left of its plan, for `:norris continue` (NO-1). */
  readonly lastTasks?: Tasks | undefined;
  readonly preplans?: readonly Preplan[];
  readonly asked?: readonly AskedTurn[];
  readonly branches?: readonly Branch[];
  /** A trial that is neither applied nor thrown away. */
  readonly trial?: string | undefined;
  /** Preset chosen for later runs (BR-3). */
  readonly preset: string;
  /** What the last request was made to fit into. */
  readonly budget?: Budget;
  /** How many of the oldest turns have left the context for want of room; `max_turns` may take more. */
  readonly evictedTurns?: number;
  /** What a model wrote in place of the turns before `upTo`. */
  readonly summary?: Summary | undefined;
  /** Tokens of the last request, and of its answer once the server has reported them. */
  readonly used?: number;
};

/** The user's own shell. Its commands never wait for an agent. */
export type Shell = {
  readonly cwd: string;
  /** `cwd`: where it began. */
  readonly running?: { readonly op: OpId; readonly line: string; readonly private: boolean; readonly cwd: string };
};

/** The user's word on one receiver. */
export type LeaveWord = {
  readonly to: string;
  readonly allowed: boolean;
  /** It ends with the run under way. */
  readonly run?: true;
  /** The user has named it: a host stands for all that lies there. */
  readonly named?: true;
};

export type State = {
  readonly sessions: Readonly<Record<SessionId, Conversation>>;
  /** The user's conversation. */
  readonly root: SessionId;
  readonly shell: Shell;
  /** Hosts where Project held when the lines went there last. */
  readonly projectHosts?: readonly string[];
  readonly questions: readonly Question[];
  /** Tools that need no further consent in this session, each with the definition it was given for. */
  readonly grants?: Readonly<Record<string, string>>;
  /** Allow rules of this session: a program and its subcommand each. */
  readonly allowed?: readonly string[];
  /** Where something may leave for, or may not. */
  readonly leaving?: readonly LeaveWord[];
  /** In Unrestricted, commands of this session run outside the light sandbox. */
  readonly outside?: true;
  /** Commands that only read need no further consent in this session. */
  readonly readsGranted?: Mode;
  /** What the calls of this session have cost, those of its sub-agents and of the gate included. */
  readonly costs: Costs;
  /** The limit in dollars that the user has approved beyond `cost.stop_at_dollars` (CO-2). */
  readonly allowedDollars?: number;
  /** Source of operation, question and entry ids; part of the state so that a journal replays to the same ids. */
  readonly serial: number;
  /** Sub-agents there have been. */
  readonly agents: number;
};

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
