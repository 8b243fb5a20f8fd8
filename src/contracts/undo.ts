/** What was kept of the agent's actions, and the way back (EF-1 … EF-3). */

import { shortPath } from '../text/short-path.ts';
import { nameText } from '../text/spelled.ts';

/** A command, a patch, or an undo, with what it changed. */
export type KeptAction = {
  /** Above all that are kept when it begins, of all sessions of this user. */
  readonly number: number;
  readonly kind: 'command' | 'patch' | 'undo';
  /** What ran, with handles in place of secrets. */
  readonly text: string;
  readonly cwd: string;
  readonly session: string;
  /** The Norris run it belongs to. */
  readonly run?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `running`: a process of it is still there. `cut`: it was killed before it could say how things stood. */
  readonly state: 'running' | 'ended' | 'cut' | 'undone';
  /** Names and files; of a command that was cut none are known. */
  readonly created: number;
  readonly deleted: number;
  readonly changed: number;
  readonly moved: number;
  /** What the store holds for it. */
  readonly bytes: number;
  /** Nothing passed by the store, as far as could be seen. */
  readonly complete: boolean;
  /** What was refused or not kept: a word and a path each. */
  readonly notes: readonly string[];
};

/**
 * Of this session the newest action that is not undone, or the newest run; of any the action of this number, or this
 * run.
 */
export type UndoTarget = 'last' | 'run' | number | { readonly run: string };

export type UndoPort = {
  /** Why nothing is kept here, in one line; undefined where it is. */
  unavailable(): Promise<string | undefined>;
  /** Newest first. */
  list(): Promise<readonly KeptAction[]>;
  /** What an undo would put back, with diffs, as text for the screen. `ok` false: why there is nothing. */
  preview(target: UndoTarget): Promise<UndoResult>;
  /**
   * Puts it back. What somebody changed since is left alone and named.
   * @param shown of a preview: nothing is put back where the target is another one by now
   */
  undo(target: UndoTarget, shown?: string): Promise<UndoResult>;
  /** Gives up what is kept of one action, or of all that have ended; one line. */
  forget(target: number | 'all'): Promise<UndoResult>;
};

export type UndoResult = {
  readonly ok: boolean;
  readonly text: string;
  /** Of a preview: which actions it is about, of whatever machine. */
  readonly shown?: string;
};

const WORDS = ['changed', 'deleted', 'created', 'moved'] as const;

/** `7 files changed, 2 deleted`: what actions did, counted together; `incomplete`: not all of it was kept. */
export function summaryOf(actions: readonly KeptAction[]): string {
  const counted = WORDS.flatMap((word) => {
    const count = actions.reduce((sum, action) => sum + action[word], 0);
    return count === 0 ? [] : [{ word, count }];
  });
  const [first, ...rest] = counted;
  const lacking = actions.some(({ state, complete }) => state === 'ended' && !complete) ? ', incomplete' : '';
  if (!first) return actions.some(({ state }) => state === 'cut') ? 'was cut off' : `modes or times changed${lacking}`;
  const files = first.count === 1 ? 'file' : 'files';
  const words = [`${first.count} ${files} ${first.word}`, ...rest.map(({ word, count }) => `${count} ${word}`)];
  return `${words.join(', ')}${lacking}`;
}

/** A path, and what was done to it. Of what was moved the new name, and `from`, the old one. */
export type ChangedFile = {
  readonly path: string;
  readonly how: 'created' | 'changed' | 'deleted' | 'moved';
  readonly from?: string;
};

/** What a Norris run has changed so far. */
export type RunChanges = {
  /** `2 files changed, 1 created`. */
  readonly summary: string;
  /** Each path once, the earliest first; may lack what has just ended. */
  readonly files: readonly ChangedFile[];
};

const TAKE_BACK = ' · :undo run takes it back';
/** Names in a line, and the characters of one. */
const MAX_NAMES = 3;
const MAX_NAME = 60;

/** What is said at the end of a run that has changed something. Names are hostile: they are spelled out. */
export function changesText({ summary, files }: RunChanges, cwd: string): string {
  const names = files.slice(0, MAX_NAMES).map(({ path }) => nameIn(path, cwd));
  const more = files.length - names.length;
  const listed = [names.join(', '), ...(more > 0 ? [`${more} more`] : [])].join(' and ');
  return `${summary}${names.length > 0 ? `: ${listed}` : ''}${TAKE_BACK}`;
}

/** A path as it is called from a directory; of a long one its end. */
export function nameIn(path: string, cwd: string): string {
  const name = [...nameText(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : shortPath(path))];
  return name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME).join('')}` : name.join('');
}

/** Whether a notice says that. */
export function tellsChanges(notice: string): boolean {
  return notice.endsWith(TAKE_BACK);
}
