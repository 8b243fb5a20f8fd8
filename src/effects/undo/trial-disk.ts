/** Where trials lie and are worked on: this machine (`local-trials.ts`), or a host (`far-trials.ts`). */
import type { Ran } from './launcher.ts';
import type { ReadText } from './preview.ts';
import type { Opening } from './record.ts';

/** A trial that was set up, as its disk knows it. */
export type TrialPlace = {
  readonly number: number;
  /** Its own directory in the store. */
  readonly directory: string;
  /** Where its command runs, named as the kernel will: a link on the way would be another tree. */
  readonly cwd: string;
  /** What is seen copy-on-write: the tree of that directory, and places that are nobody's. */
  readonly trees: readonly string[];
};

/** How the launcher says that the command of a trial went. */
export type TrialStatus =
  | { readonly kind: 'notStarted'; readonly why: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: number }
  | { readonly kind: 'stopped'; readonly by: string };

export type TrialDisk = {
  /** Why nothing can be tried there, in one line; undefined where it can. Found by trying. Never rejects. */
  probe(): Promise<string | undefined>;
  /** Makes the directory of a trial of a command in `cwd`. Rejects with a line for the user. */
  open(opening: Opening, cwd: string): Promise<TrialPlace>;
  /** The launcher's list of what would change, as it prints it; or why there is none. Never rejects. */
  changes(trial: TrialPlace): Promise<Buffer | string>;
  /** What the launcher noted of it: a word and a path each. Never rejects. */
  notes(trial: TrialPlace): Promise<readonly string[]>;
  /** What changed since it began. Never rejects. */
  conflicts(trial: TrialPlace): Promise<Ran>;
  /**
   * Makes an action of it and does it, once: begun before, it is refused. `lost`: nobody has said how it ended; whoever
   * opens the store next finds the journal. May reject before anything is done.
   */
  apply(trial: TrialPlace, opening: Opening): Promise<Ran & { readonly lost?: true }>;
  /** Throws it away. Never rejects where it is gone. */
  remove(trial: Pick<TrialPlace, 'directory'>): Promise<void>;
  /** Throws away those whose program is gone. Never rejects. */
  discardAbandoned(): Promise<void>;
  readonly read: ReadText;
};

/** The launcher's words for the trees of a trial. */
export function treeOptions({ trees }: Pick<TrialPlace, 'trees'>): readonly string[] {
  return trees.flatMap((tree) => ['--tree', tree]);
}
