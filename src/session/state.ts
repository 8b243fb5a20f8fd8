/** The whole state: the user's conversation, its sub-agents, the user's shell, the open questions. */

import type { Action } from './action.ts';
import { type Costs, NO_COSTS } from './cost.ts';
import type { Mode, OpId, SessionId } from './ids.ts';
import type { Attachment, ImageAttachment, ToolCall } from './message.ts';

import type { Attempt, Phase, Refused } from './phase.ts';
import type { Question } from './question.ts';
import type { Tasks } from './run.ts';

/** The version of the decision logic for new and resumed sessions. */
export const SEMANTICS = 3;

/** Facts about the machine that stay the same until the session is resumed. Clean text. */
export type Surroundings = {
  /** The operating system, as `Debian GNU/Linux 13, Linux 6.12 x64`. */
  readonly system: string;
  /** The name of the user's shell. */
  readonly shell: string;
  readonly date: string;
};

/** The facts in a conversation's system message. Constant, so that the server's prompt cache stays valid. */
export type Named = Surroundings & {
  readonly mode: Mode;
  readonly cwd: string;
  readonly git?: string;
  readonly alone?: true;
};

/**
 * The settings of a conversation. They come with the event that opens or resumes it, so that a journal replays
 * identically.
 */
export type Settings = {
  readonly preset: string;
  readonly executorPreset?: string;
  readonly maxTurns: number;
  readonly maxToolRounds: number;
  readonly maxNorrisSteps: number;
  /**
   * Which commands ask in a chat: all (true); those that act, while the kernel enforces reading for the rest (`acts`);
   * none (false) (AC-3). A boolean in older journals, which replay as before.
   */
  readonly confirmCmd: boolean | 'acts';
  /** Whether the kernel sandbox works here; without it the model's actions run only in Unrestricted (MO-7). */
  readonly sandbox: boolean;
  /**
   * If the mode can't be enforced, it stays and the model's actions wait. Absent in older journals, where it became
   * Unrestricted.
   */
  readonly keepsMode?: true;
  /** Whether the kernel can confine commands to the project's tree; requires `sandbox`. Absent: it can't (MO-9). */
  readonly project?: boolean;
  /** The parts of Project that can’t be enforced here, in one line for the dialog. */
  readonly projectMissing?: string;
  /** Whether no user is there to answer, or to see jobs that still run when the program ends. */
  readonly alone?: true;
  /**
   * aish-tui offers a wider mode once in each mode, after the first refusal (or after a plan); absent in older
   * journals.
   */
  readonly offers?: true;
  /** Globs of MCP tools that the user's configuration declares read-only (MO-2). */
  readonly readOnlyTools?: readonly string[];
  /** Globs of tools that the user's configuration runs without asking. Of MCP tools, only these run in Project. */
  readonly approvedTools?: readonly string[];
  /** The preset that plans a Norris run; absent: no plan (PP-1). The preset may not exist (PP-4). */
  readonly preplanner?: string;
  /**
   * The version of the decision logic that wrote the journal; the same version replays it.
   * Absent: version 0.1. A planned run stalled if the model answered a task in words. The model did not learn the end
   * of the user's jobs, nor that an aborted `CMD:` had not run. A skipped consent gave the gate's approval as its
   * reason.
   * 2: A chat asked in every mode. A wider mode was offered for a plan. A refused action was not run again after a
   * yes. An action without a user to approve it was reported as skipped by the user.
   */
  readonly semantics?: 2 | typeof SEMANTICS;
  /** Security settings that can't be read: the model runs nothing except in Unrestricted. */
  readonly unread?: readonly string[];
  /** The machine facts for the system message; absent in older journals: none. */
  readonly surroundings?: Surroundings;
  /** The user's allow rules for a directory, whose symlinks are resolved. */
  readonly allow?: { readonly tree: string; readonly rules: readonly string[] };
  /** The maximum number of tasks in a plan. */
  readonly tasksMax?: number;
  /** Presets that a task of a plan may name (PP-7). */
  readonly taskModels?: readonly string[];
  /** A plan waits for the user before its first step (PP-6). */
  readonly approvesPlan?: true;
};

/** Returns whether the machine decides as version `version` or later. */
export function decidesAs({ semantics }: Pick<Settings, 'semantics'>, version: 2 | typeof SEMANTICS): boolean {
  return semantics !== undefined && semantics >= version;
}

/** A turn's data for the context (CX-1, CX-2). */
type InContext = {
  /** The tokens of its sent part, counted by `Budget.counter`; absent until counted. */
  readonly tokens?: number;
  /** Set once the turn was shortened: how many characters are still sent; 0 leaves one line of an output. */
  readonly keptChars?: number;
  /** The file of the full output. */
  readonly file?: string;
};

/** One turn of the conversation. The model gets `exec`, `goal` and `aish` turns as user text. */
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

/** Items for the next model call: the user's queued lines, output of the user's commands, news. */
export type InboxItem =
  | {
      readonly kind: 'line';
      readonly id: string;
      readonly text: string;
      readonly attached?: readonly Attachment[];
    }
  | { readonly kind: 'note'; readonly origin: 'exec' | 'aish'; readonly text: string; readonly file?: string };

/** How much of a conversation fits into a request to one preset, in tokens. */
export type Budget = {
  readonly preset: string;
  readonly window: number;
  /** The source of the window size: the configuration, the server, an overflow error, or an assumption. */
  readonly source: 'config' | 'server' | 'learned' | 'assumed';
  /** The tokenizer; counts of different ones are not comparable. */
  readonly counter: string;
  /** The limit of the whole request: `token_budget`, or the window minus the room for the answer. */
  readonly requestLimit: number;
  /** The tokens of the system prompt and the tools. */
  readonly head: number;
  /** The limit for all turns together, minus a safety margin. */
  readonly limit: number;
  /** The maximum length of the answer. */
  readonly answer: number;
  /** The server's count of the last request divided by ours. */
  readonly factor: number;
};

/** A budget in journals: `room` is its `requestLimit`. */
export type StoredBudget = Omit<Budget, 'requestLimit'> & { readonly room: number };

/** One preplanner call with its reply: for `:history`, never for a model (CX-3). */
export type Preplan = {
  /** The number of turns before it. */
  readonly after: number;
  readonly preset: string;
  readonly goal: string;
  readonly text: string;
  /** The result, in the words shown to the user. */
  readonly outcome: string;
};

/** A sub-agent's parent, with the parent's operation that waits for the report. */
export type Parent = { readonly session: SessionId; readonly op: OpId };

export type Summary = { readonly text: string; readonly upTo: number };

/** A turn with the user's question or goal. */
export type AskedTurn = {
  readonly turn: number;
  /** When it became a turn, in ms since the epoch. */
  readonly at: number;
  /** The key of its entry in the transcript. */
  readonly key: string;
  readonly text: string;
  readonly goal?: true;
};

/** A continuation of the conversation that the user has left (CX-8). */
export type Branch = {
  readonly number: number;
  /** The question where it diverges. */
  readonly question: AskedTurn;
  readonly turn: number;
  /** The undos made when it was left. Reversing them restores the branch's files. */
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
  /** The modes in which a wider mode was offered; none is offered again in these modes. */
  readonly offeredIn?: readonly Mode[];
  /** The operation that the mode blocked in a command, for the offer that follows. */
  readonly refused?: Refused | undefined;
  /** The refused action, which runs again after a yes; absent in older journals. */
  readonly refusedAction?: Action | undefined;
  /** The changes that the refused action had made. */
  readonly refusedAttempt?: Attempt | undefined;
  /** The model's running jobs; none outlives the program. */
  readonly jobs?: readonly { readonly job: number; readonly command: string }[] | undefined;
  readonly turns: readonly Turn[];
  readonly inbox: readonly InboxItem[];
  readonly phase: Phase;
  /** The agent's working directory: the user's at each user turn, then changed by the agent's own `cd` (EX-10). */
  readonly cwd: string;
  /** The git branch and unfinished operation when the user last sent something. */
  readonly git?: string | undefined;
  /** The last directory announced to the model; absent: the directory in the system message. */
  readonly toldCwd?: string | undefined;
  /** The last call, and how often it came in a row with the same result. */
  readonly repeats?: { readonly call: string; readonly result: string; readonly count: number } | undefined;
  /** The facts in the system message. */
  readonly named?: Named | undefined;
  readonly lastGoal?: string;
  /** The tasks left over from the last run, for `:norris continue` (NO-1). */
  readonly lastTasks?: Tasks | undefined;
  readonly preplans?: readonly Preplan[];
  readonly asked?: readonly AskedTurn[];
  readonly branches?: readonly Branch[];
  /** A trial that is neither applied nor discarded. */
  readonly trial?: string | undefined;
  /** Preset chosen for later runs (BR-3). */
  readonly preset: string;
  /** The budget of the last request. */
  readonly budget?: Budget;
  /** How many of the oldest turns were evicted for lack of room; `max_turns` may remove more. */
  readonly evictedTurns?: number;
  /** A model's summary of the turns before `upTo`. */
  readonly summary?: Summary | undefined;
  /** Tokens of the last request, plus its answer once the server has reported it. */
  readonly used?: number;
};

/** The user's own shell. Its commands never wait for an agent. */
export type Shell = {
  readonly cwd: string;
  /** `cwd`: the directory at its start. */
  readonly running?: { readonly op: OpId; readonly line: string; readonly private: boolean; readonly cwd: string };
};

/** The user's answer for one receiver. */
export type LeaveWord = {
  readonly to: string;
  readonly allowed: boolean;
  /** The answer ends with the current run. */
  readonly run?: true;
  /** The user named the host, which stands for every receiver on it. */
  readonly named?: true;
};

export type State = {
  readonly sessions: Readonly<Record<SessionId, Conversation>>;
  /** The user's conversation. */
  readonly root: SessionId;
  readonly shell: Shell;
  /** Hosts on which Project mode could be enforced at the user's last line for them. */
  readonly projectHosts?: readonly string[];
  readonly questions: readonly Question[];
  /** Tools allowed for this session, each with the approved definition. */
  readonly grants?: Readonly<Record<string, string>>;
  /** The session's allow rules: each a program with its subcommand. */
  readonly allowed?: readonly string[];
  /** The allowed and denied receivers of data. */
  readonly leaving?: readonly LeaveWord[];
  /** Whether commands in Unrestricted run outside the light sandbox. */
  readonly outside?: true;
  /** Read-only commands need no further consent in this session. */
  readonly readsGranted?: Mode;
  /** The costs of the session, including sub-agents and the safety gate. */
  readonly costs: Costs;
  /** How far beyond `cost.stop_at_dollars` the user has raised the limit, in dollars (CO-2). */
  readonly allowedDollars?: number;
  /** The counter behind operation, question and entry ids; in the state so that a journal replays to the same ids. */
  readonly serial: number;
  /** How many sub-agents have been started. */
  readonly agents: number;
};

/** The initial state. */
export function emptyState(root: SessionId): State {
  return { sessions: {}, root, shell: { cwd: '/' }, questions: [], costs: NO_COSTS, serial: 0, agents: 0 };
}

/** Returns the user's conversation. Throws if it was never opened, which is a bug of the caller. */
export function rootOf(state: State): Conversation {
  const conversation = state.sessions[state.root];
  if (!conversation) throw new Error('the conversation was not opened');
  return conversation;
}
