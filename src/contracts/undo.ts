/** What was kept of the agent's actions, and the way back (EF-1 … EF-3). */

import { shortPath } from '../text/display.ts';
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
 * Of this session the newest action that is not undone, or the newest run; of any the action of this number, all of
 * these numbers, or this run.
 */
export type UndoTarget = 'last' | 'run' | number | readonly number[] | { readonly run: string };

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
  /** Each path once; may lack what has just ended. */
  readonly files: readonly ChangedFile[];
  /** Paths that changed and can't be taken back. */
  readonly lost: readonly string[];
};

const TAKE_BACK = / · :undo run takes (?:it|the rest) back$/;
/** Up to so many names are all given; of more the first few. */
const MAX_NAMES = 5;
const FIRST_NAMES = 3;
/** The characters of one. */
const MAX_NAME = 60;
const GIT_OWN = /(^|\/)\.git(\/|$)/;
/** Directories that programs fill for themselves. */
const CACHES =
  /(^|\/)(node_modules|__pycache__|\.(cache|venv|tox|nox|gradle|parcel-cache|(pytest|mypy|ruff|turbo)(_cache)?))(\/|$)/;

/** The paths above a path, the nearest first. */
function above(path: string): readonly string[] {
  const all: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) all.push(path.slice(0, end));
  return all;
}

/** Those that lie below no other of them. */
function topmostOf(files: readonly ChangedFile[]): readonly string[] {
  const all = new Set(files.map(({ path }) => path));
  return [...all].filter((path) => !above(path).some((each) => all.has(each)));
}

/** `2 files changed, 1 created`. A directory is not counted beside what lies in it. */
function countsOf(changed: readonly ChangedFile[]): string {
  const directories = new Set(changed.flatMap(({ path }) => above(path)));
  const files = changed.filter(({ path }) => !directories.has(path));
  const counted = WORDS.map((word) => ({ word, count: files.filter(({ how }) => how === word).length }));
  const [first, ...rest] = counted.filter(({ count }) => count > 0);
  if (!first) return '';
  const head = `${first.count} ${first.count === 1 ? 'file' : 'files'} ${first.word}`;
  return [head, ...rest.map(({ word, count }) => `${count} ${word}`)].join(', ');
}

/** Paths as they are called from a directory: all of a few, the first of many. */
export function namesOf(paths: readonly string[], cwd: string): string {
  const shown = paths.slice(0, paths.length > MAX_NAMES ? FIRST_NAMES : MAX_NAMES);
  const names = shown.map((path) => nameIn(path, cwd)).join(', ');
  return paths.length > shown.length ? `${names} and ${paths.length - shown.length} more` : names;
}

/** What is said at the end of a run that has changed something. Names are hostile: they are spelled out. */
export function changesText({ files, lost }: RunChanges, cwd: string): string {
  const git = files.filter(({ path }) => GIT_OWN.test(path));
  const caches = files.filter(({ path }) => !GIT_OWN.test(path) && CACHES.test(path));
  const yours = files.filter(({ path }) => !GIT_OWN.test(path) && !CACHES.test(path));
  const parts = [
    ...(yours.length > 0 ? [`${countsOf(yours)}: ${namesOf(topmostOf(yours), cwd)}`] : []),
    ...(git.length > 0 ? [`git's own: ${git.length}`] : []),
    ...(caches.length > 0 ? [`caches: ${caches.length}`] : []),
  ];
  const all = parts.length > 0 ? parts.join(' · ') : 'only modes or times changed';
  if (lost.length === 0) return `${all} · :undo run takes it back`;
  const gone = `not kept: ${namesOf(lost, cwd)}`;
  return parts.length === 0 ? `changed, and ${gone}` : `${all} · ${gone} · :undo run takes the rest back`;
}

/** A path as it is called from a directory; of a long one its end. */
export function nameIn(path: string, cwd: string): string {
  const name = [...nameText(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : shortPath(path))];
  return name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME).join('')}` : name.join('');
}

/** Whether a notice says that. */
export function tellsChanges(notice: string): boolean {
  return TAKE_BACK.test(notice);
}
