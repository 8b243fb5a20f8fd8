/** Types for many machines that work on one goal: each host's question, and the interface of a fleet. */
import type { Finding } from '../session/action.ts';
import type { Machine } from './machine.ts';

/** A file that a halted command names, as its host reports it. Sizes are shown, but not compared. */
export type TargetFacts = {
  /** The path as the command names it. */
  readonly label: string;
  /** The full path on the host. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'link' | 'other' | 'missing';
  /** The target of a link. */
  readonly link?: string;
  /** The mount point of its file system. */
  readonly mount: string;
  /** Whether it is inside a git work tree, or contains one. */
  readonly git: 'none' | 'inside' | 'unknown';
  readonly undoable: boolean;
  readonly files: number;
  readonly bytes: number;
  /** Whether there are more files than were counted. */
  readonly more: boolean;
};

/** A question of one host, with everything that makes it equal to another host's question. */
export type HaltFacts = {
  readonly host: string;
  readonly kind: string;
  /** The command exactly as it would run. */
  readonly command: string;
  /** The directory on the host. */
  readonly cwd: string;
  readonly mode: string;
  /** The host's kernel enforces the mode. */
  readonly sandbox: boolean;
  /** Whether commands run as root on the host. */
  readonly root: boolean;
  readonly findings: readonly Pick<Finding, 'rule' | 'verb' | 'part'>[];
  /** The source of the judgement, and its text. */
  readonly opinion: string;
  /** Handles of the secrets that it would get. */
  readonly secrets: readonly string[];
  /** Undefined: the files could not be examined. */
  readonly targets: readonly TargetFacts[] | undefined;
};

/** Minimum, median and maximum loss on the hosts of a group. */
export type Spread = { readonly min: number; readonly median: number; readonly max: number };

/** Hosts with the same question. */
export type HaltGroup = {
  /** Identifies this question of these hosts in their examined state; an answer applies to nothing else. */
  readonly digest: string;
  readonly hosts: readonly string[];
  readonly facts: HaltFacts;
  readonly files: Spread;
  readonly bytes: Spread;
  /** Why these hosts are separate from others with the same command. */
  readonly apart?: string;
  /** How the question differs from that of the largest group, in a few words each. */
  readonly differences: readonly string[];
};

export type FleetMachine = {
  readonly machine: Machine;
  /** The directory of its first command. */
  readonly directory: string;
  readonly root: boolean;
  /** Runs aish-tui's own read-only code; undefined without a complete answer in time. Never rejects. */
  ask(code: string): Promise<string | undefined>;
  /** Resolves with one line when the connection is lost unexpectedly. */
  readonly lost: Promise<string>;
  /** Closes the machine. Never rejects. */
  close(): Promise<void>;
};

/** Connects to a machine. A problem is one line. Never rejects. */
export type OpenMachine = (host: string, signal: AbortSignal) => Promise<FleetMachine | { readonly problem: string }>;

/** How commands reach hosts, if not through our own connection. */
export type FleetCarrier = 'ansible';

export type FleetWish = {
  readonly goal: string;
  /** The hosts as typed: `web1,web2,@group`. */
  readonly hosts: string;
  readonly atOnce?: number;
  readonly deadlineSeconds?: number;
  readonly canary?: string;
  readonly inventory?: string;
  readonly via?: FleetCarrier;
};

/** The user's answer to a question, for a whole group or a part of it. */
export type FleetAnswer = 'proceed' | 'skip' | 'abort';

/** One host's row in the table. */
export type FleetRow = {
  readonly host: string;
  /** The host’s progress or result. */
  readonly status: string;
  readonly ended: boolean;
  readonly reason: string;
  /** The working time in ms. */
  readonly milliseconds: number;
  readonly commands: readonly { readonly command: string; readonly exit: number | null }[];
  /** The output of its last command, as plain text. */
  readonly output: string;
  /** The last text of its model. */
  readonly said: string;
};

/** A running fleet. */
export type FleetRun = {
  readonly goal: string;
  /**
   * Returns the host that runs first after a yes for these hosts, while the others wait; undefined once it has
   * succeeded.
   */
  canaryFor(hosts: readonly string[]): string | undefined;
  rows(): readonly FleetRow[];
  /** The questions to ask now; empty while other hosts may still reach the same ones. */
  questions(): readonly HaltGroup[];
  /** Answers for all or some hosts of a group; returns false if the group has changed since it was shown. */
  answer(digest: string, hosts: readonly string[], answer: FleetAnswer): boolean;
  /** Ends the remaining work. */
  stop(reason: string): void;
  /** Calls `listener` after each change. */
  subscribe(listener: () => void): () => void;
  /** Resolves when every host has ended and everything is on disk. */
  readonly ended: Promise<void>;
};

export type FleetPort = {
  start(wish: FleetWish): Promise<FleetRun | { readonly problem: string }>;
  /** Continues the session's last fleet, if it was interrupted. */
  resume(): Promise<FleetRun | { readonly problem: string }>;
};
