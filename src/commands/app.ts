/** The program as `:` commands and front ends see it: the engine and its services. */

import type { OwnSearch, TerminalFacts } from '../contracts/commands.ts';
import type { FleetPort } from '../contracts/fleet.ts';
import type { SafetyPort } from '../contracts/gate.ts';
import type { AttachmentsPort, Completions, Route, WordFacts } from '../contracts/lines.ts';
import type { HostsPort } from '../contracts/machine.ts';
import type { CostPort, PresetsPort, SetupPort } from '../contracts/models.ts';

import type { LineHistory, MemoryPort, SessionSummary, SessionsPort } from '../contracts/store.ts';
import type { McpPort } from '../contracts/tools.ts';
import type { ChangedFile, UndoPort, UndoResult } from '../contracts/undo.ts';
import type { Engine } from '../engine/engine.ts';
import type { Forms } from '../engine/forms.ts';
import type { ForegroundJob, ShellQueue } from '../engine/shell-queue.ts';
import type { FleetDesk } from './fleet-desk.ts';
import type { Waits } from './waits.ts';

/** Functions of the screen for `:` commands. */
export type ScreenPort = {
  /** Lists every key and its action, one per line, by context. */
  keys(): string;
  /** Copies a text to the terminal's clipboard; returns a line that says how much was copied. */
  copy(text: string, name: string): string;
  readonly themes: readonly string[];
  theme(): string;
  /** Returns false if there is no such theme. */
  setTheme(name: string): boolean;
  /** Clears the view; earlier lines remain in the scrollback above it. */
  clear(): void;
  /** Lets the user pick a line to submit, with a search. */
  choose(
    of: 'setup',
    choices: readonly { readonly line: string; readonly label: string; readonly note: string }[],
  ): void;
  /** Puts a line into the prompt if that is empty; returns whether it was. */
  suggest(line: string): boolean;
  /** Lets the user pick a session to resume. */
  pickSession(sessions: readonly SessionSummary[]): void;
  /** The last selected or copied text; '' for none. */
  selected(): string;
  /** Returns a rejected line to the prompt, with the reason. */
  refuse(line: string, why: string): void;
};

/** Small facts for the status bar; cheap to read, updated when they change. */
export type Info = {
  readonly branch: string | undefined;
  /** The virtual environment and similar; '' for none. */
  readonly surroundings: string;
  /** The last row of the shell's own prompt with colours; '' if not wanted or unknown. */
  readonly shellPrompt: string;
  readonly jobs: number;
  readonly sandbox: boolean;
  /** The journal can't be written at the moment. */
  readonly unsaved: boolean;
  /** The last second opinion failed. */
  readonly withoutOpinion: boolean;
  /** Whether undo is known to be unavailable for the model’s changes. */
  readonly withoutUndo: boolean;
  /** The changes of the current run so far. */
  readonly changed: readonly ChangedFile[];
  readonly sessionId: string;
  readonly version: string;
};

export type NetworkPort = {
  /** Each entry: `host:port`, whether it is allowed, and what ends the answer before the session does. */
  list(): readonly (readonly [name: string, allowed: boolean, until?: string])[];
  /**
   * Sets the answer for a host, with or without a port; undefined: ask again. Returns what was set; undefined for an
   * invalid host.
   */
  setNamed(text: string, allowed: boolean | undefined): string | undefined;
};

/** Allow rules in the user's configuration (AC-7). */
export type RulesPort = {
  /** Saves a rule for this project; returns where, or why that failed. */
  keep(rule: string): string;
  /** Removes a saved rule; returns where, or why that failed. Undefined: there is no such rule. */
  drop(rule: string): string | undefined;
};

export type App = {
  readonly engine: Engine;
  /** Messages that the user must see at the start, one line each. */
  readonly notices: readonly string[];
  readonly shell: ShellQueue;
  readonly front: ForegroundJob;
  /** The `:` commands that are running. */
  readonly waits: Waits;
  classify(line: string): Route;
  readonly words: WordFacts;
  /** The user's shell with its version, `bash 5.2`, once it has started. Rejects if it can't. */
  shellName(): Promise<string>;
  /** Whether the user's shell uses vi keys. */
  viKeys(): boolean;
  /**
   * Starts the user's own Ctrl-R search in their shell, with an initial line; `onData` gets its drawing. Undefined
   * without one, or while a line runs.
   */
  ownSearch(
    line: string,
    size: { readonly columns: number; readonly rows: number },
    onData: (data: Uint8Array) => void,
  ): OwnSearch | undefined;
  /** Remembers how the user resolved a line that could be a command or a question. */
  rememberRoute(route: Route): void;
  /** Returns whether a shell would ask for more input before it runs this line. */
  incomplete(line: string): boolean;
  /** Completes at the cursor (IN-6). Fast; `signal` cancels it. */
  complete(line: string, cursor: number, signal: AbortSignal): Promise<Completions>;
  /** Opens an address in the user's browser; returns false without a graphical screen. */
  openAddress(address: string): boolean;
  /** Lets the user edit a text in their editor. The caller must have released the terminal. */
  edit(
    text: string,
  ): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }>;
  /**
   * Saves a command's output to a new file in the shell's directory; returns its path. Rejects if that fails.
   * @param file the file of the full text, if `text` is only a part
   */
  saveOutput(command: string, text: string, file?: string): Promise<string>;
  /** Reads the full text of an output. */
  readOutput(file: string): Promise<string>;
  /** Creates a file of this name in the shell's directory with mode 0600; returns its path. Rejects if it exists. */
  saveNew(name: string, text: string): Promise<string>;
  /** Saves a text in the session's folder with mode 0600; returns its path. */
  keepOutput(text: string): Promise<string>;
  /** The user's pager and editor. */
  programs(): Promise<{ readonly pager: string; readonly editor: string }>;
  readonly history: LineHistory;
  info(): Info;
  readonly attachments: AttachmentsPort;
  readonly presets: PresetsPort;
  readonly setup: SetupPort;
  readonly safety: SafetyPort;
  /** The user's answers about connections from Project (MO-10). */
  readonly network: NetworkPort;
  readonly rules: RulesPort;
  readonly mcp: McpPort;
  /** Runs one goal on many machines. */
  readonly fleets: FleetPort;
  /** Runs a fleet while the conversation continues, with a user to ask. */
  readonly fleet: FleetDesk;
  readonly hosts: HostsPort;
  /** The values of a form, kept until the user submits it. */
  readonly forms: Pick<Forms, 'fill'>;
  readonly memory: MemoryPort;
  readonly cost: CostPort;
  readonly undo: UndoPort;
  /** Resolves when the changes of the finished run have been reported. */
  changesTold(): Promise<void>;
  /** Undo without a change store: the model's last patch, while the file is unchanged since (TO-3). */
  readonly patches: { preview(): Promise<UndoResult>; undo(): Promise<UndoResult> };
  readonly sessions: SessionsPort;
  /** Lists the dependencies and whether they work, one line each. */
  doctor(): Promise<readonly string[]>;
  readonly ui: {
    readonly theme?: string;
    readonly mouse: boolean;
    readonly screen: 'full' | 'plain';
    readonly wheel_lines: number;
    readonly notify: boolean;
    readonly motion: boolean;
    readonly suggestions: boolean;
  };
  /** The full screen, if there is one. */
  readonly screen: ScreenPort | undefined;
  /** Registers a full screen for the commands; returns a function that removes it. */
  attachScreen(screen: ScreenPort): () => void;
  readonly keys: Readonly<Record<string, string | readonly string[]>>;
  /** Sets the facts about the terminal, for programs in the shell that ask. */
  setTerminalFacts(facts: TerminalFacts): void;
  /** Called once when the program should end. */
  onQuit(listener: (code: number) => void): () => void;
  quit(code?: number): void;
};
