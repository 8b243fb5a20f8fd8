/** Tools other than shell commands: built-in ones and those of MCP servers. */
import type { Action, ToolFacts } from '../session/action.ts';
import type { ToolSpec } from '../session/message.ts';
import type { Judged, Preview } from './gate.ts';

export type ToolOutcome = { readonly text: string; readonly failed: boolean };

export type ToolCallOptions = {
  /** The directory at its judgement. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /**
   * The directory that limits writing in Project mode, except for files that others run later; null: there is no such
   * directory. Absent: writing is not limited.
   */
  readonly tree?: string | null;
  /** Whether the call was judged destructive, and the user approved it. */
  readonly destructive?: boolean;
  /** The definition at its judgement; if it has changed, the call does not run. */
  readonly definition?: string;
  /** Called with the call's progress, in one line of clean text. */
  readonly onProgress?: (line: string) => void;
};

export type Tools = {
  /** The current specs; servers may add and remove theirs. */
  readonly specs: readonly ToolSpec[];
  /**
   * The built-in tools, and as many of the servers' as fit into `chars` characters of JSON; the names of the rest.
   */
  specsWithin(chars: number): { readonly specs: readonly ToolSpec[]; readonly left: readonly string[] };
  /** Returns why a call is refused (unknown name, invalid arguments), for the model; undefined if it is accepted. */
  refusal(action: Action): Promise<string | undefined>;
  /** Judges a call of a built-in tool; undefined leaves it to the gate. */
  judge(action: Action, cwd: string): Judged | undefined;
  /** Returns the diff of a call now; undefined if it makes none or can't be made. Never rejects. */
  preview?(action: Action, cwd: string): Promise<Preview | undefined>;
  /** Whether the user has consented to this tool in advance. Does not cover destructive calls. */
  autoApproved(action: Action): boolean;
  /** Returns the facts to which a lasting consent is bound; undefined for a command and for an unknown name. */
  facts(action: Action): ToolFacts | undefined;
  /**
   * Returns whether this call changes nothing, by the tool’s or the user’s declaration, so that it may run in parallel.
   */
  onlyReads(action: Action): boolean;
  run(action: Action, options: ToolCallOptions): Promise<ToolOutcome>;
};

/** An MCP server for `:mcp`. All texts are clean and contain no configured secret. */
export type McpServerInfo = {
  readonly name: string;
  readonly state: string;
  /** When its start began, in ms since the epoch; undefined if it is not starting. */
  readonly startingSince: number | undefined;
  /** The server’s program or address. */
  readonly address: string;
  /** The server’s name for itself. */
  readonly title: string;
  readonly lastError: string;
  /** The end of its output outside the protocol. */
  readonly written: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    /** Whether the user declared the tool to be read-only. */
    readonly readOnly: boolean;
    readonly autoApproved: boolean;
    /** Whether `safety.always_destructive_tools` lists the tool. */
    readonly halts: boolean;
    readonly changed: boolean;
    /** The reason why the tool’s arguments are not checked here, if known. */
    readonly unchecked?: string;
  }[];
};

export type McpPort = {
  /** How long a program without a screen waits for its servers, in ms. */
  readonly patience: number;
  servers(): readonly McpServerInfo[];
  /** Starts all servers; resolves when each is ready or has failed, at the latest after this many ms. */
  start(milliseconds: number): Promise<void>;
  /**
   * Logs in to a server; resolves when that has ended, which is reported to the user.
   * @param opened called with the address for the login, and its host
   */
  login(name: string, opened: (address: string, server: string) => void): Promise<void>;
  /** Takes the browser's final address; returns false if it belongs to no open login. */
  takeLogin(name: string, address: string): boolean;
  /** Forgets the login; returns false if there was none. */
  logout(name: string): Promise<boolean>;
  /**
   * Describes a tool to models for the rest of the session, however many there are; returns false for an unknown
   * name.
   */
  enable(tool: string): boolean;
  /** Resolves when it is ready or has failed. */
  restart(name: string): Promise<void>;
  /** Ends it, even while it starts, until it is restarted. */
  stop(name: string): Promise<void>;
};
