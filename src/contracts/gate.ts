/** The safety gate: judges everything of a model before it runs. */
import type { Action, Judgement } from '../session/action.ts';

export type JudgeContext = {
  readonly cwd: string;
  readonly goal: string;
  readonly signal: AbortSignal;
  /** The action for a model to read, if different: with handles instead of secrets. */
  readonly told?: Action;
  /** Project mode: the kernel confines the command to this directory (symlinks resolved) (MO-9). */
  readonly project?: { readonly tree: string };
  /** The kernel enforces a mode narrower than Unrestricted. */
  readonly held?: boolean;
  /** Whether other work of the session is running and may write meanwhile: then a missing file may soon exist. */
  readonly busy?: boolean;
};

/** A file that a judgement depends on, at that time: changed content, or its appearance, voids the judgement. */
export type FileRead =
  | { readonly path: string; readonly hash: string }
  | { readonly path: string; readonly absent: true }
  /** The file was not read: it is too large, or not text. `stamp` changes if its content may have changed. */
  | { readonly path: string; readonly stamp: string };

/** The changes of a call of a built-in tool, and the files that they depend on. */
export type Preview = { readonly diff: string; readonly reads: readonly FileRead[] };

/** The files that a judgement depends on, and those that the action writes. Paths are absolute. */
export type Basis = {
  /** Files that were read, and files that were missing. */
  readonly reads: readonly FileRead[];
  /**
   * The session’s files and processes that the action changes or ends: paths and patterns including everything below,
   * and process ids.
   */
  readonly own: readonly string[];
  /** The paths that the command writes to, as far as it names them. */
  readonly writes: readonly string[];
  /** The directories into which it puts foreign files, such as a clone; absent: none. */
  readonly brings?: readonly string[];
  /** The files that the command’s paths referred to when the user was asked. */
  readonly targets?: Targets;
};

/** The files that the paths of a command referred to: real paths, devices and inodes, with patterns expanded. */
export type Targets = { readonly command: string; readonly cwd: string; readonly found: readonly string[] };

/** A judgement with its basis, which is not part of the state machine. `refused`: the reason why it never runs. */
export type Judged = Judgement & { readonly basis?: Basis; readonly refused?: string };

export type Gate = {
  /** Judges one action (SF-1). Never rejects; an action that can't be judged is destructive. */
  judge(action: Action, context: JudgeContext): Promise<Judged>;
  /** Combines a built-in tool's judgement of its call with the effect of writing to the files it names. */
  judgeWrites?(said: Judged, action: Action, context: JudgeContext): Promise<Judged>;
  /** Checks right before the launch whether everything is as it was at the judgement. */
  begin(basis: Basis): Promise<boolean>;
  /** Whether a command changes nothing at all, by the tables alone: such commands may run in parallel. */
  onlyReads(command: string, cwd: string): boolean;
  /** Whether a command behaves the same over pipes as in a terminal, by the tables alone. */
  worksOverPipes(command: string, cwd: string): boolean;
};

export type RuleInfo = { readonly name: string; readonly family: string; readonly reason: string };

/** Questions for `:safety`, which run nothing. */
export type SafetyPort = {
  /** Every active rule, once per name, in table order. */
  patterns(): readonly RuleInfo[];
  /** The static verdict alone: no model, no cache. */
  check(command: string, cwd: string): Pick<Judgement, 'reason' | 'rule' | 'findings'> & { readonly verdict: string };
  /** The allow rule for exactly this command; undefined if none may cover it. */
  ruleFor(command: string, cwd: string): string | undefined;
  /** The gate's decision if a model asked for it now, including a second opinion. Never rejects. */
  judge(command: string, cwd: string, signal: AbortSignal): Promise<Judgement>;
};
