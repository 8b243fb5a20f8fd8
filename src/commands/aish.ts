/** The one object that every face of the program holds: the engine with what stands around it. */
import type { Engine } from '../engine/engine.ts';
import type { ForegroundJob } from '../engine/foreground-job.ts';
import type { Forms } from '../engine/forms.ts';
import type { ShellQueue } from '../engine/shell-queue.ts';

export type LineKind = 'meta' | 'shell' | 'ai';

/** How a line will be taken (IN-1 … IN-3). */
export type Classified = {
  readonly kind: LineKind;
  /** A prefix decided, not a guess. */
  readonly forced: boolean;
  /** `!!cmd`: kept out of the model's context. */
  readonly private?: boolean;
  /** The line without its prefix. */
  readonly text: string;
  readonly why: string;
};

export type PresetStatus = {
  readonly name: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly local: boolean;
  readonly demo: boolean;
  /** What happens to secrets before a call. */
  readonly secrets: 'off' | 'scrub' | 'block';
};

export type PresetProbe = { readonly reachable: boolean; readonly window?: number; readonly detail: string };

/** What `:safety` can be asked without running anything. */
export type SafetyDesk = {
  patterns(): readonly { readonly name: string; readonly family: string; readonly reason: string }[];
  check(command: string, cwd: string): { readonly verdict: string; readonly rule?: string; readonly reason: string };
};

/** An MCP server as `:mcp` shows it. All texts are clean, without a secret of the configuration. */
export type McpServerInfo = {
  readonly name: string;
  readonly state: string;
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
    readonly changed: boolean;
    readonly unchecked?: string;
  }[];
};

export type McpDesk = {
  servers(): readonly McpServerInfo[];
  /** Starts all of them; resolves when each is ready or has failed, at the latest after so many ms. */
  start(milliseconds: number): Promise<void>;
  /** Resolves when it is ready or has failed. */
  restart(name: string): Promise<void>;
};

export type SessionRow = {
  readonly id: string;
  readonly startedAt: number;
  readonly cwd: string;
  readonly title: string;
};

/** What is remembered from session to session (CX-5). */
export type MemoryDesk = {
  readonly enabled: boolean;
  /** Newest first. */
  list(): readonly { readonly session: string; readonly at: number; readonly cwd: string; readonly text: string }[];
  forget(session: string): void;
  /** Something was said that is not remembered yet. */
  worthSaving(): boolean;
  /** Has the session summed up and keeps that; what came of it, in one line. */
  save(signal: AbortSignal): Promise<string>;
};

/** What `:cost` asks beside what this session has cost, which is in the state. */
export type CostDesk = {
  /** What all sessions have cost, by day and model. */
  days(): Promise<
    readonly {
      readonly day: string;
      readonly model: string;
      readonly calls: number;
      readonly promptTokens: number;
      readonly completionTokens: number;
      readonly dollars: number;
      readonly local: boolean;
      readonly unpriced: number;
    }[]
  >;
  /** Where the user's own prices stand, and what is wrong with them. */
  readonly priceFile: string;
  readonly problem?: string;
};

export type Completion = {
  /** The text as it is to stand in the line, quoted where it must be. */
  readonly text: string;
  /** What people are shown of it, where that is less than the text (the last part of a path). */
  readonly label?: string;
  /** What it is, in a word or two. */
  readonly note?: string;
  /** More of the same word may follow: no blank is put behind it. */
  readonly open?: boolean;
};

/** What may stand in place of the text from `start` to the cursor, best first. */
export type Completions = { readonly start: number; readonly items: readonly Completion[] };

/** What `:` commands can ask of the screen. */
export type ScreenDesk = {
  /** Every key with what it does, one a line, by place. */
  keys(): string;
  readonly themes: readonly string[];
  theme(): string;
  /** False when there is no theme of that name. */
  setTheme(name: string): boolean;
};

/** Small facts for the status bar; cheap to read, each as fresh as the last time it changed. */
export type Info = {
  readonly branch?: string;
  readonly jobs: number;
  readonly sandbox: boolean;
  readonly sessionId: string;
  readonly version: string;
};

export type Aish = {
  readonly engine: Engine;
  readonly shell: ShellQueue;
  readonly front: ForegroundJob;
  classify(line: string): Classified;
  /** Whether a shell would ask for more lines before it could run this. */
  incomplete(line: string): boolean;
  /** What may stand at the cursor (IN-6). Never takes long; `signal` ends what it asked for. */
  complete(line: string, cursor: number, signal: AbortSignal): Promise<Completions>;
  /** Lets the user edit a text in their own editor. The terminal must have been given away. */
  edit(
    text: string,
  ): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }>;
  readonly history: {
    entries(): readonly string[];
    add(line: string): void;
    /** A command of the agent's, marked (EX-11). */
    addAgents(line: string): void;
    /** Whether the agent was the last to run this line. */
    isAgents(line: string): boolean;
    /** Called with each line that the agent adds; returns how to stop. */
    onAgents(listener: (line: string) => void): () => void;
  };
  info(): Info;
  readonly presets: {
    list(): readonly PresetStatus[];
    /** Whether it answers, in a line, and how large its window is in tokens; kept for some seconds. */
    probe(name: string, signal: AbortSignal): Promise<PresetProbe>;
    /** Writes a preset that was found into the configuration; what came of it, in one line. */
    keep(name: string): string;
  };
  readonly safety: SafetyDesk;
  readonly mcp: McpDesk;
  /** Takes what the user has filled in before the yes that sends it. */
  readonly forms: Pick<Forms, 'fill'>;
  readonly memory: MemoryDesk;
  readonly cost: CostDesk;
  /** Takes back the last patch of the model, while the file is unchanged since (TO-3). */
  undo(): Promise<{ readonly ok: boolean; readonly text: string }>;
  sessions(): Promise<readonly SessionRow[]>;
  /** What the program stands on, a line each. */
  doctor(): Promise<readonly string[]>;
  readonly ui: {
    readonly theme?: string;
    readonly mouse: boolean;
    readonly screen: 'full' | 'plain';
    readonly wheel_lines: number;
    readonly notify: boolean;
  };
  /** The screen, while there is one. */
  readonly face: { screen?: ScreenDesk };
  readonly keys: Readonly<Record<string, string | readonly string[]>>;
  /** Called once when the program is to end. */
  onQuit(listener: () => void): () => void;
  quit(): void;
};
