/**
 * Trying a command before it runs for real (EF-5): it runs in a copy-on-write view of the file system, without network,
 * sockets or signals to the outside; what it would change is listed, and then applied exactly or thrown away.
 */
import type { RunningCommand } from './commands.ts';

/** What became of one path. A directory that goes or comes is one change each for everything below it. */
export type TrialChange = {
  /** Absolute, as bytes decoded from UTF-8; hostile: to be spelled out before it is shown. */
  readonly path: string;
  /**
   * `changed`: other content, or another kind of thing under the same name. `mode`: mode, owner, times or attributes
   * alone.
   */
  readonly kind: 'created' | 'deleted' | 'changed' | 'mode';
  /** What stands there afterwards; of `deleted` what stood there. */
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** Bytes of content afterwards; of `deleted` those that go. */
  readonly bytes: number;
  /** Permission bits afterwards (of `deleted`: before), set-user-ID and the like included. */
  readonly mode: number;
  /** Other names outside this list share the file, and would change with it. */
  readonly shared: boolean;
};

/** git's own bookkeeping, of which the moves of its branches say enough. */
const BOOKKEEPING = /(^|\/)\.git\/(objects|logs|index|ORIG_HEAD|COMMIT_EDITMSG|FETCH_HEAD|HEAD|refs|packed-refs)(\/|$)/;

export const isGitBookkeeping = (path: string) => BOOKKEEPING.test(path);

/** How a trial went. */
export type TrialOutcome =
  | {
      readonly kind: 'changes';
      /** Names the trial for `diff`, `apply` and `discard`. */
      readonly id: string;
      /** The command's own exit code; 128+n for signal n. */
      readonly exitCode: number;
      /** In order of their paths. Empty: it would change nothing. */
      readonly changes: readonly TrialChange[];
      /** Over all of `changes`: bytes of files that go, and bytes of files made or changed. */
      readonly deletedBytes: number;
      readonly writtenBytes: number;
      /** What the user's yes is bound to: `apply` takes it back. */
      readonly digest: string;
      /** What the trial could not show though it ran: one sentence each (something was refused, a lock, a socket). */
      readonly doubts: readonly string[];
      /** Paths that a trial refuses to write and a real run would not. Then the list is not what a real run does. */
      readonly outside: readonly string[];
    }
  /**
   * Nothing can be said of what a real run would do, and there is nothing to apply. `why`: `a mount point lies below
   * …`.
   */
  | { readonly kind: 'cannotTell'; readonly why: string; readonly exitCode?: number };

/** The modes in which a command can be tried. */
export type TrialMode = 'project' | 'unrestricted';

/** A trial under way. */
export type RunningTrial = {
  /** For the output pane, keys and interruption, like any command. */
  readonly command: RunningCommand;
  /**
   * Resolves when it has ended and its changes are listed; never rejects. An interrupted one is discarded:
   * `cannotTell`.
   */
  readonly outcome: Promise<TrialOutcome>;
};

export type Applied = {
  /** False: nothing was done, or not all of it; then the rest was taken back, unless `text` names what could not be. */
  readonly ok: boolean;
  /** Lines for the screen: what was applied, or each path that changed meanwhile. */
  readonly text: string;
  /** The number under which `:undo` takes it back. */
  readonly action?: number;
};

export type Trials = {
  /**
   * Why nothing can be tried at a place (by default on this machine), in one line; undefined where it can. Found by
   * trying, once.
   */
  unavailable(place?: string): Promise<string | undefined>;
  /** Runs `command` in a trial. Rejects, and starts nothing, once `signal` has fired, or where `unavailable`. */
  start(
    command: string,
    options: {
      readonly cwd: string;
      readonly signal: AbortSignal;
      /** Variables beside those of the user's shell. */
      readonly env?: Readonly<Record<string, string>>;
      /** The mode of the real run, whose `/tmp`, environment and bounds the trial has. */
      readonly mode: TrialMode;
    },
  ): Promise<RunningTrial>;
  /** Unified diffs of the text files of moderate size, from what is there to what would be, as text for the screen. */
  diff(id: string): Promise<string>;
  /**
   * Does exactly what was listed, step by step, each journaled before it is done; refuses, and does nothing, where
   * anything it touches changed since the trial began, or `digest` is not that of the list. Only after a person's yes.
   * A crash in the middle is taken back when the store is opened the next time. The trial is gone afterwards.
   */
  apply(id: string, digest: string): Promise<Applied>;
  /** Throws the trial away. Idempotent. */
  discard(id: string): Promise<void>;
  /** Throws away trials of a session that ended without a word on them; at the start of one. Never throws. */
  discardAbandoned(): Promise<void>;
};
