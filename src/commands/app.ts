/** What `:` commands and front ends see of the program: the engine and the services around it. */

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

/** What `:` commands can ask of the screen. */
export type ScreenPort = {
  /** Every key with what it does, one per line, by context. */
  keys(): string;
  /** Sends a text to the terminal's clipboard; says how much of it. */
  copy(text: string, name: string): string;
  readonly themes: readonly string[];
  theme(): string;
  /** False when there is no theme of that name. */
  setTheme(name: string): boolean;
  /** Clears the view; what was there stands above it. */
  clear(): void;
  /** Offers lines to be sent, found by a few letters. */
  choose(
    of: 'setup',
    choices: readonly { readonly line: string; readonly label: string; readonly note: string }[],
  ): void;
  /** Puts a line into the prompt, where that is empty; whether it was. */
  suggest(line: string): boolean;
  /** Offers sessions to be resumed. */
  pickSession(sessions: readonly SessionSummary[]): void;
  /** What was selected or copied last; empty for nothing. */
  selected(): string;
  /** Puts a line that was not taken back into the prompt, and says why. */
  refuse(line: string, why: string): void;
};

/** Small facts for the status bar; cheap to read, each as fresh as the last time it changed. */
export type Info = {
  readonly branch: string | undefined;
  /** The virtual environment and the like; empty for none. */
  readonly surroundings: string;
  /** The last row of the shell's own prompt, with colours; empty where it is not wanted, or not known. */
  readonly shellPrompt: string;
  readonly jobs: number;
  readonly sandbox: boolean;
  /** The journal can't be written at the moment. */
  readonly unsaved: boolean;
  /** The last second opinion could not be got. */
  readonly withoutOpinion: boolean;
  /** What a model changes can't be undone here, as far as that is known. */
  readonly withoutUndo: boolean;
  /** What the run under way has changed so far. */
  readonly changed: readonly ChangedFile[];
  readonly sessionId: string;
  readonly version: string;
};

export type NetworkPort = {
  /** `host:port`, whether it is allowed, and with what that ends before the session. */
  list(): readonly (readonly [name: string, allowed: boolean, until?: string])[];
  /**
   * A host with or without a port; undefined: asked about again. Returns what was set, undefined where that is no host.
   */
  setNamed(text: string, allowed: boolean | undefined): string | undefined;
};

/** Allow rules in the user's own configuration (AC-7). */
export type RulesPort = {
  /** Keeps a rule for this project; says where, or why not. */
  keep(rule: string): string;
  /** Takes a kept rule out; says where, or why not. Undefined: it is not there. */
  drop(rule: string): string | undefined;
};

export type App = {
  readonly engine: Engine;
  /** What the user must be told at start, one line each. */
  readonly notices: readonly string[];
  readonly shell: ShellQueue;
  readonly front: ForegroundJob;
  /** `:` commands that have not ended. */
  readonly waits: Waits;
  classify(line: string): Route;
  readonly words: WordFacts;
  /** Whether the user's shell has vi's keys at its prompt. */
  viKeys(): boolean;
  /**
   * Starts the search that the user has bound to Ctrl-R in their shell, with a line to begin with; `onData` gets what
   * it draws. Undefined where there is none, or a line runs.
   */
  ownSearch(
    line: string,
    size: { readonly columns: number; readonly rows: number },
    onData: (data: Uint8Array) => void,
  ): OwnSearch | undefined;
  /** Remembers how the user took a line that could have been either. */
  rememberRoute(route: Route): void;
  /** Whether a shell would ask for more lines before it could run this. */
  incomplete(line: string): boolean;
  /** Completions at the cursor (IN-6). Never takes long; `signal` cancels the request. */
  complete(line: string, cursor: number, signal: AbortSignal): Promise<Completions>;
  /** Has the user's browser show an address; false where there is none for this screen. */
  openAddress(address: string): boolean;
  /** Lets the user edit a text in their own editor. The terminal must have been released first. */
  edit(
    text: string,
  ): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }>;
  /**
   * Saves what a command printed in a new file of the shell's directory; its path. Rejects where none can be made.
   * @param file the full text, where only a part of it is at hand
   */
  saveOutput(command: string, text: string, file?: string): Promise<string>;
  /** The full text of an output, of which only a part is at hand. */
  readOutput(file: string): Promise<string>;
  /** Writes a new file, 0600, by this name in the shell's directory; its path. Rejects where one is there. */
  saveNew(name: string, text: string): Promise<string>;
  /** Writes a text where it goes with the session, 0600; its path. */
  keepOutput(text: string): Promise<string>;
  /** What the user reads and writes with. */
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
  /** One goal on many machines. */
  readonly fleets: FleetPort;
  /** The same beside the conversation, where there is somebody to ask. */
  readonly fleet: FleetDesk;
  readonly hosts: HostsPort;
  /** Stores what the user has filled in until they send it. */
  readonly forms: Pick<Forms, 'fill'>;
  readonly memory: MemoryPort;
  readonly cost: CostPort;
  readonly undo: UndoPort;
  /** Resolves when it has been told what the run that has ended has changed. */
  changesTold(): Promise<void>;
  /** Where nothing can be kept: the last patch of the model, while the file is unchanged since (TO-3). */
  readonly patches: { preview(): Promise<UndoResult>; undo(): Promise<UndoResult> };
  readonly sessions: SessionsPort;
  /** The program's dependencies and whether they work, one line each. */
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
  /** The full screen, while there is one. */
  readonly screen: ScreenPort | undefined;
  /** A front end that draws a full screen offers it to the commands; returns how to take it back. */
  attachScreen(screen: ScreenPort): () => void;
  readonly keys: Readonly<Record<string, string | readonly string[]>>;
  /** What the terminal has told of itself: what runs in the shell is answered with it. */
  setTerminalFacts(facts: TerminalFacts): void;
  /** Called once when the program is to end. */
  onQuit(listener: (code: number) => void): () => void;
  quit(code?: number): void;
};
