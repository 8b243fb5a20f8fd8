/** Many machines at work on one goal: what is known of each one's question, and how a fleet is asked and told. */
import type { Finding } from '../session/action.ts';
import type { Machine } from './machine.ts';

/** One thing that a halted command names, as its host reports it. Sizes are told to the user, and are not compared. */
export type TargetFacts = {
  /** As the command names it. */
  readonly label: string;
  /** The full path there. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'link' | 'other' | 'missing';
  /** Where a link leads. */
  readonly link?: string;
  /** The mount point that it lies on. */
  readonly mount: string;
  /** Whether it lies in a work tree of git, or holds one. */
  readonly git: 'none' | 'inside' | 'unknown';
  readonly undoable: boolean;
  readonly files: number;
  readonly bytes: number;
  /** There is more than was counted. */
  readonly more: boolean;
};

/** A question of one host, by all that makes it the same question as another host's. */
export type HaltFacts = {
  readonly host: string;
  readonly kind: string;
  /** Exactly as it would run. */
  readonly command: string;
  /** The directory there. */
  readonly cwd: string;
  readonly mode: string;
  /** The kernel holds commands there to the mode. */
  readonly sandbox: boolean;
  /** The commands run there as root. */
  readonly root: boolean;
  readonly findings: readonly Pick<Finding, 'rule' | 'verb' | 'part'>[];
  /** Who judged it, and in which words. */
  readonly opinion: string;
  /** Handles of the secrets that it would be given. */
  readonly secrets: readonly string[];
  /** Undefined: they could not be looked at. */
  readonly targets: readonly TargetFacts[] | undefined;
};

/** Least, middle and most of what the hosts of a group would lose. */
export type Spread = { readonly min: number; readonly median: number; readonly max: number };

/** Hosts with the same question. */
export type HaltGroup = {
  /** Names this question of these hosts as they were looked at: an answer to it is one to nothing else. */
  readonly digest: string;
  readonly hosts: readonly string[];
  readonly facts: HaltFacts;
  readonly files: Spread;
  readonly bytes: Spread;
  /** Why these hosts are asked about apart from others with the same command. */
  readonly apart?: string;
  /** In what it is another question than that of the largest group, in a few words each. */
  readonly differences: readonly string[];
};

/** A machine of a fleet, connected. */
export type FleetMachine = {
  readonly machine: Machine;
  /** Where its first command runs. */
  readonly directory: string;
  readonly root: boolean;
  /** Runs code of the program's own that only reads; undefined where no whole answer came in time. Never rejects. */
  ask(code: string): Promise<string | undefined>;
  /** Resolves with one line when the connection is gone though nobody ended it. */
  readonly lost: Promise<string>;
  /** Never rejects. */
  close(): Promise<void>;
};

/** Connects to a machine. A problem is one line. Never rejects. */
export type OpenMachine = (host: string, signal: AbortSignal) => Promise<FleetMachine | { readonly problem: string }>;

/** What carries commands to hosts where it is not a connection of the program's own. */
export type FleetCarrier = 'ansible';

export type FleetWish = {
  readonly goal: string;
  /** As it was written: `web1,web2,@group`. */
  readonly hosts: string;
  readonly atOnce?: number;
  readonly deadlineSeconds?: number;
  readonly canary?: string;
  readonly inventory?: string;
  readonly via?: FleetCarrier;
};

/** What the user says to a question: of a whole group, or of a part of it. */
export type FleetAnswer = 'proceed' | 'skip' | 'abort';

/** One host, as a table shows it. */
export type FleetRow = {
  readonly host: string;
  /** How far it is, or how it ended. */
  readonly status: string;
  readonly ended: boolean;
  readonly reason: string;
  /** At work. */
  readonly milliseconds: number;
  readonly commands: readonly { readonly command: string; readonly exit: number | null }[];
  /** What its last command printed, as plain text. */
  readonly output: string;
  /** What its model said last. */
  readonly said: string;
};

/** A fleet at work. */
export type FleetRun = {
  readonly goal: string;
  /** Who goes first behind a yes for these hosts, while the others wait for its end; undefined where that is over. */
  canaryFor(hosts: readonly string[]): string | undefined;
  rows(): readonly FleetRow[];
  /** The questions that are to be put now; empty while hosts may still come to the same ones. */
  questions(): readonly HaltGroup[];
  /** Answers for hosts of a group, all or some of them; false where the group is no longer what was shown. */
  answer(digest: string, hosts: readonly string[], answer: FleetAnswer): boolean;
  /** Ends what is left. */
  stop(reason: string): void;
  /** Called after each change. */
  subscribe(listener: () => void): () => void;
  /** Resolves when every host has ended and everything is on disk. */
  readonly ended: Promise<void>;
};

export type FleetPort = {
  start(wish: FleetWish): Promise<FleetRun | { readonly problem: string }>;
  /** The last fleet of this session, where it was cut off. */
  resume(): Promise<FleetRun | { readonly problem: string }>;
};
