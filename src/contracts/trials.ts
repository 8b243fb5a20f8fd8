/**
 * Trials of commands (EF-5): a command runs in a copy-on-write view of the file system, without network, sockets or
 * signals to the outside. Its changes are listed, and then applied exactly or discarded.
 */
import type { RunningCommand } from './commands.ts';

/** The change of one path. A deleted or new directory is one change for everything below it. */
export type TrialChange = {
  /** Absolute, decoded from UTF-8; hostile: escape it before showing. */
  readonly path: string;
  /**
   * `changed`: different content, or a different type under the same name. `mode`: only mode, owner, times or
   * attributes.
   */
  readonly kind: 'created' | 'deleted' | 'changed' | 'mode';
  /** The type afterwards; for `deleted` the type before. */
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** The content's size afterwards; for `deleted` the size before. */
  readonly bytes: number;
  /** The permission bits afterwards (for `deleted` before), including set-user-ID and similar. */
  readonly mode: number;
  /** Whether hard links outside this list share the file; they would change with it. */
  readonly shared: boolean;
};

/** git's own bookkeeping; the moves of its branches already show it. */
const BOOKKEEPING = /(^|\/)\.git\/(objects|logs|index|ORIG_HEAD|COMMIT_EDITMSG|FETCH_HEAD|HEAD|refs|packed-refs)(\/|$)/;

export const isGitBookkeeping = (path: string) => BOOKKEEPING.test(path);

/** A moved branch, in a unified diff of its file. */
const MOVED =
  /^--- (?:.*\/)?\.git\/refs\/(heads|tags)\/(.+?)(?:\t.*)?\n\+\+\+ .*\n@@.*\n(?:-([0-9a-f]{7})[0-9a-f]*\n)?(?:\\.*\n)?(?:\+([0-9a-f]{7}))?/gm;
/** A line that git's log of a branch gains or loses. */
const LOGGED = /^([+-])[0-9a-f]{40} [0-9a-f]{40} .*> \d+ \S+\s+(.*)$/gm;

/** Returns `main moves back 1 commit · 3f2a1c0 → 8d11e02` for each branch that moves in a diff of git's files. */
export function branchMoves(diff: string): readonly string[] {
  const sections = diff.split(/^(?=--- .*\n\+\+\+ )/m);
  return [...diff.matchAll(MOVED)].map(([, kind, branch = '', from = 'none', to = 'none']) => {
    const name = branch.replace(/ {4}now$/, '');
    const log = sections.find((section) => section.split('\n', 1)[0]?.includes(`.git/logs/refs/heads/${name}`));
    const logged = [...(log ?? '').matchAll(LOGGED)];
    const reasons = (sign: string) => logged.flatMap(([, of, reason = '']) => (of === sign ? [reason] : []));
    return `${kind === 'heads' ? name : `tag ${name}`} ${moveText(reasons('+'), reasons('-'))} · ${from} → ${to}`;
  });
}

function moveText(gained: readonly string[], lost: readonly string[]): string {
  const commits = (count: number, what = '') => `${count} ${what}commit${count === 1 ? '' : 's'}`;
  const back = gained.length === 1 ? /^reset: moving to HEAD(?:~(\d*)|(\^+))$/.exec(gained[0] ?? '') : null;
  const areCommits = (reasons: readonly string[]) =>
    reasons.length > 0 && reasons.every((reason) => /^commit\b(?! \(amend\))/.test(reason));
  if (back) return `moves back ${commits(back[2]?.length ?? Number(back[1] || 1))}`;
  if (gained.length === 0 && areCommits(lost)) return `moves back ${commits(lost.length)}`;
  return areCommits(gained) && lost.length === 0 ? `gets ${commits(gained.length, 'new ')}` : 'moves';
}

export type TrialOutcome =
  | {
      readonly kind: 'changes';
      /** Identifies the trial for `diff`, `apply` and `discard`. */
      readonly id: string;
      /** The command's own exit code; 128+n for signal n. */
      readonly exitCode: number;
      /** Sorted by path. Empty: it would change nothing. */
      readonly changes: readonly TrialChange[];
      /** Over all of `changes`: the bytes of deleted files, and of created or changed files. */
      readonly deletedBytes: number;
      readonly writtenBytes: number;
      /** The digest of the changes, to which the user's yes is bound; `apply` requires it. */
      readonly digest: string;
      /**
       * Reasons why the list may be incomplete although the trial ran, one sentence each (a refusal, a lock, a socket).
       */
      readonly doubts: readonly string[];
      /** Paths that a trial can't write but a real run could. Then the list differs from a real run. */
      readonly outside: readonly string[];
    }
  /** The effect of a real run is unknown, and there is nothing to apply. `why`: `a mount point lies below …`. */
  | { readonly kind: 'cannotTell'; readonly why: string; readonly exitCode?: number };

/** The modes in which a command can be tried. */
export type TrialMode = 'project' | 'unrestricted';

export type RunningTrial = {
  /** The trial’s command, for the output pane, keys and interruption like any command. */
  readonly command: RunningCommand;
  /**
   * Resolves when it has ended and its changes are listed; never rejects. An interrupted one is discarded:
   * `cannotTell`.
   */
  readonly outcome: Promise<TrialOutcome>;
};

export type Applied = {
  /**
   * Whether the changes were applied. False: nothing was done, or the finished part was rolled back, except for the
   * paths in `text`.
   */
  readonly ok: boolean;
  /** Lines for the screen: the applied changes, or each path that has changed since the trial. */
  readonly text: string;
  /** The action number for `:undo`. */
  readonly action?: number;
};

export type Trials = {
  /**
   * Why nothing can be tried at a place (default: this machine), in one line; undefined if it can. Determined once by
   * a test.
   */
  unavailable(place?: string): Promise<string | undefined>;
  /** Runs `command` in a trial. Rejects, starting nothing, if `signal` has fired or trials are unavailable. */
  start(
    command: string,
    options: {
      readonly cwd: string;
      readonly signal: AbortSignal;
      /** Variables added to those of the user's shell. */
      readonly env?: Readonly<Record<string, string>>;
      /** The mode of the real run: the trial gets its `/tmp`, environment and limits. */
      readonly mode: TrialMode;
    },
  ): Promise<RunningTrial>;
  /** Unified diffs of text files of moderate size, from the current to the new state, as text for the screen. */
  diff(id: string): Promise<string>;
  /**
   * Makes exactly the listed changes, with a journal entry before each step. Refuses, changing nothing, if anything it
   * touches has changed since the trial started, or if `digest` is wrong. Requires a person’s yes. An interrupted apply
   * is rolled back when the store is next opened. Afterwards the trial no longer exists.
   */
  apply(id: string, digest: string): Promise<Applied>;
  /** Discards the trial. Idempotent. */
  discard(id: string): Promise<void>;
  /** Discards undecided trials of an ended session; called at a session's start. Never throws. */
  discardAbandoned(): Promise<void>;
};
