/** The one object that every face of the program holds: the engine with what stands around it. */
import type { Engine } from '../engine/engine.ts';
import type { ShellRegion } from '../engine/shell-region.ts';

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
};

/** What `:safety` can be asked without running anything. */
export type SafetyDesk = {
  patterns(): readonly { readonly name: string; readonly family: string; readonly reason: string }[];
  check(command: string, cwd: string): { readonly verdict: string; readonly rule?: string; readonly reason: string };
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
  readonly shell: ShellRegion;
  classify(line: string): Classified;
  /** Whether a shell would ask for more lines before it could run this. */
  incomplete(line: string): boolean;
  complete(line: string, cursor: number): Promise<readonly string[]>;
  readonly history: { entries(): readonly string[]; add(line: string): void };
  info(): Info;
  readonly presets: {
    list(): readonly PresetStatus[];
    /** One line on whether it answers and how large its window is. */
    probe(name: string, signal: AbortSignal): Promise<string>;
    /** Writes a preset that was found into the configuration; what came of it, in one line. */
    keep(name: string): string;
  };
  readonly safety: SafetyDesk;
  readonly memory: MemoryDesk;
  readonly cost: CostDesk;
  /** Takes back the last patch of the model, while the file is unchanged since (TO-3). */
  undo(): Promise<{ readonly ok: boolean; readonly text: string }>;
  sessions(): Promise<readonly SessionRow[]>;
  /** What the program stands on, a line each. */
  doctor(): Promise<readonly string[]>;
  readonly ui: { readonly theme?: string; readonly mouse: boolean };
  readonly keys: Readonly<Record<string, string | readonly string[]>>;
  /** Called once when the program is to end. */
  onQuit(listener: () => void): () => void;
  quit(): void;
};
