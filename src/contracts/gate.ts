/** The safety gate: what is judged before anything of a model runs. */
import type { Action, Judgement } from '../session/action.ts';

export type JudgeContext = {
  readonly cwd: string;
  readonly goal: string;
  readonly signal: AbortSignal;
  /**
   * The action as a model may be told of it, where that is not the action itself: with handles where it has secrets.
   */
  readonly told?: Action;
  /** Project mode: the kernel holds the command to this directory, behind all links (MO-9). */
  readonly project?: { readonly tree: string };
  /** The kernel of the machine holds the command to a mode narrower than Unrestricted. */
  readonly held?: boolean;
  /** Does something else of the session run that may write meanwhile? Then a file that is missing may be there soon. */
  readonly busy?: boolean;
};

/** A file that a judgement rests on, as it was then: another content, or its appearance, voids the judgement. */
export type FileRead =
  | { readonly path: string; readonly hash: string }
  | { readonly path: string; readonly absent: true }
  /** Not read: too large, no text. `stamp` is another once it may hold something else. */
  | { readonly path: string; readonly stamp: string };

/** A call of one of the program's own tools as what it would do, and the files by which it would do just that. */
export type Preview = { readonly diff: string; readonly reads: readonly FileRead[] };

/** What a judgement rests on beside the action itself, and where the action writes. Paths are absolute. */
export type Basis = {
  /** Files that were read, and files that were looked for and not there. */
  readonly reads: readonly FileRead[];
  /** What of the session's it changes or ends: paths and patterns with all below them, and processes by number. */
  readonly own: readonly string[];
  /** What it writes to, as far as it names it. */
  readonly writes: readonly string[];
  /** Where it puts files of others, such as a clone; absent: nowhere. */
  readonly brings?: readonly string[];
  /** What the paths of a command stood for when the user was asked. */
  readonly targets?: Targets;
};

/** What the paths that a command names stood for: real paths, devices and inodes, patterns expanded. */
export type Targets = { readonly command: string; readonly cwd: string; readonly found: readonly string[] };

/** A judgement with what it rests on, which stays beside the machine. `refused`: it never runs, and why. */
export type Judged = Judgement & { readonly basis?: Basis; readonly refused?: string };

export type Gate = {
  /** Judges one action (SF-1). Never rejects; what can't be judged is destructive. */
  judge(action: Action, context: JudgeContext): Promise<Judged>;
  /** The word of one of the program's own tools on its call, with what writing to the files it names would do. */
  judgeWrites?(said: Judged, action: Action, context: JudgeContext): Promise<Judged>;
  /**
   * Right before the launch: is everything as it was when it was judged?
   */
  begin(basis: Basis): Promise<boolean>;
  /** Whether a command changes nothing at all, by the tables alone: it may run beside others that don't. */
  onlyReads(command: string, cwd: string): boolean;
  /** Whether a command behaves the same over pipes as in a terminal, by the tables alone. */
  worksOverPipes(command: string, cwd: string): boolean;
};

export type RuleInfo = { readonly name: string; readonly family: string; readonly reason: string };

/** What `:safety` can ask without running anything. */
export type SafetyPort = {
  /** Every rule in force, once by name, in table order. */
  patterns(): readonly RuleInfo[];
  /** The static verdict alone: no model, no cache. */
  check(command: string, cwd: string): Pick<Judgement, 'reason' | 'rule' | 'findings'> & { readonly verdict: string };
  /** The allow rule that covers this command alone; undefined where none may. */
  ruleFor(command: string, cwd: string): string | undefined;
  /** What the gate would decide if a model asked for it now, second opinion included. Never rejects. */
  judge(command: string, cwd: string, signal: AbortSignal): Promise<Judgement>;
};
