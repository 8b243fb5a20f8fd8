/** Tools other than shell commands, the program's own and those of MCP servers. */
import type { Action, ToolFacts } from '../session/action.ts';
import type { ToolSpec } from '../session/message.ts';
import type { Judged, Preview } from './gate.ts';

export type ToolOutcome = { readonly text: string; readonly failed: boolean };

/** What a tool is run with. */
export type ToolCallOptions = {
  /** The directory it was judged in. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /**
   * Project mode: nothing outside this directory may be written, nor what others run later; null: there is none.
   * Absent: anywhere.
   */
  readonly tree?: string | null;
  /** It was judged destructive, and the user let it run nevertheless. */
  readonly destructive?: boolean;
  /** The definition it was judged under; by now another one, it does not run. */
  readonly definition?: string;
  /** Told how far the call is, in one line of clean text. */
  readonly onProgress?: (line: string) => void;
};

export type Tools = {
  /** As they stand now; servers bring and take theirs. */
  readonly specs: readonly ToolSpec[];
  /** The program's own, and of the servers' as many as `chars` characters of JSON hold; the names of the rest. */
  specsWithin(chars: number): { readonly specs: readonly ToolSpec[]; readonly left: readonly string[] };
  /**
   * Why a call can't be accepted (unknown name, arguments against the schema), told to the model; undefined when it
   * can.
   */
  refusal(action: Action): Promise<string | undefined>;
  /** What the program knows of a call of its own tools; undefined leaves it to the gate. */
  judge(action: Action, cwd: string): Judged | undefined;
  /** The diff that a call would make now; undefined where it makes none or can't be done. Never rejects. */
  preview?(action: Action, cwd: string): Promise<Preview | undefined>;
  /** Whether the user has consented to this tool beforehand. Says nothing of destructive calls. */
  autoApproved(action: Action): boolean;
  /** What a lasting consent is bound to; undefined for a command and for a name that is nobody's. */
  facts(action: Action): ToolFacts | undefined;
  /** By the tool's own declaration, or the user's, this call changes nothing, so that others may run beside it. */
  onlyReads(action: Action): boolean;
  run(action: Action, options: ToolCallOptions): Promise<ToolOutcome>;
};

/** An MCP server as `:mcp` shows it. All texts are clean, without a secret of the configuration. */
export type McpServerInfo = {
  readonly name: string;
  readonly state: string;
  /** Since when it starts, in ms since the epoch; undefined where it does not. */
  readonly startingSince: number | undefined;
  /** What is started, or where it is. */
  readonly address: string;
  /** What it calls itself. */
  readonly title: string;
  readonly lastError: string;
  /** The last of what it wrote beside the protocol. */
  readonly written: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    /** Declared so by the user. */
    readonly readOnly: boolean;
    readonly autoApproved: boolean;
    /** `safety.always_destructive_tools` names it. */
    readonly halts: boolean;
    readonly changed: boolean;
    /** Why its arguments are not checked here, as far as that is known. */
    readonly unchecked?: string;
  }[];
};

export type McpPort = {
  /** How long a program without a screen waits for its servers. In ms. */
  readonly patience: number;
  servers(): readonly McpServerInfo[];
  /** Starts all of them; resolves when each is ready or has failed, at the latest after so many ms. */
  start(milliseconds: number): Promise<void>;
  /**
   * Logs in to a server; resolves when that has ended, which the user is told.
   * @param opened told where the user logs in, and the host of that address
   */
  login(name: string, opened: (address: string, server: string) => void): Promise<void>;
  /** Takes the address that the browser ended at; false when it is of no open login. */
  takeLogin(name: string, address: string): boolean;
  /** Forgets the login; false where there was none. */
  logout(name: string): Promise<boolean>;
  /** Describes a tool to models for the rest of the session, however many there are; false for an unknown name. */
  enable(tool: string): boolean;
  /** Resolves when it is ready or has failed. */
  restart(name: string): Promise<void>;
  /** Ends it, also while it starts, until it is restarted. */
  stop(name: string): Promise<void>;
};
