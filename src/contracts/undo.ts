/** Recorded changes of the agent's actions, and their undo (EF-1 … EF-3). */

import { shortPath, textWidth } from '../text/display.ts';
import { nameText } from '../text/spelled.ts';

/** A recorded command, patch, or undo. */
export type KeptAction = {
  /** Larger than all recorded numbers at its start, over all sessions of this user. */
  readonly number: number;
  readonly kind: 'command' | 'patch' | 'undo';
  /** The command, with handles instead of secrets. */
  readonly text: string;
  readonly cwd: string;
  readonly session: string;
  /** The Norris run of the action. */
  readonly run?: string;
  /** The time of the action, in ms since 1970. */
  readonly at: number;
  /** `running`: one of its processes still runs. `cut`: it was killed before the final state was recorded. */
  readonly state: 'running' | 'ended' | 'cut' | 'undone';
  /** Counts of names and files; unknown for a killed command. */
  readonly created: number;
  readonly deleted: number;
  readonly changed: number;
  readonly moved: number;
  /** The size in the store, in bytes. */
  readonly bytes: number;
  /** Whether every change was recorded, as far as known. */
  readonly complete: boolean;
  /** Changes that were blocked or not recorded: a word and a path each. */
  readonly notes: readonly string[];
};

/**
 * `last`: the newest action of this session that is not undone; `run`: its newest run. Others: the action with this
 * number, all with these numbers, or this run of any session.
 */
export type UndoTarget = 'last' | 'run' | number | readonly number[] | { readonly run: string };

export type UndoPort = {
  /** Returns why changes are not recorded here, in one line; undefined if they are recorded. */
  unavailable(): Promise<string | undefined>;
  /** Returns the recorded actions, newest first. */
  list(): Promise<readonly KeptAction[]>;
  /**
   * Returns the changes that an undo would make, with diffs, as text for the screen. `ok` false: why there are none.
   */
  preview(target: UndoTarget): Promise<UndoResult>;
  /**
   * Undoes it. Later changes by others are left alone and reported.
   * @param shown from a preview: nothing is undone if the target is different by now
   */
  undo(target: UndoTarget, shown?: string): Promise<UndoResult>;
  /** Deletes the record of one action, or of all ended ones; returns one line. */
  forget(target: number | 'all'): Promise<UndoResult>;
};

export type UndoResult = {
  readonly ok: boolean;
  readonly text: string;
  /** For a preview: identifies the actions that it covers, on any machine. */
  readonly shown?: string;
};

const WORDS = ['changed', 'deleted', 'created', 'moved'] as const;

/** `7 files changed, 2 deleted`: the total of several actions; `incomplete`: not everything was recorded. */
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

/** A path and its change. For a moved one the new name, and `from`, the old one. */
export type ChangedFile = {
  readonly path: string;
  readonly how: 'created' | 'changed' | 'deleted' | 'moved';
  readonly from?: string;
  /** Lines added and removed, where it is a text of moderate size. */
  readonly lines?: { readonly added: number; readonly removed: number };
};

/** The changes that a Norris run has made so far. */
export type RunChanges = {
  /** Each path once; the latest change may be missing. */
  readonly files: readonly ChangedFile[];
  /** Changed paths that can't be restored. */
  readonly lost: readonly string[];
};

const TAKE_BACK = /(?:^| · ):undo run takes (?:it|the rest) back/m;
/** Files of a run that are named at its end. */
const MAX_ROWS = 8;
/** The most names that are all listed; of more only the first few are. */
const MAX_NAMES = 5;
const FIRST_NAMES = 3;
/** The maximum length of a name. */
const MAX_NAME = 60;
const GIT_OWN = /(^|\/)\.git(\/|$)/;
/** Directories that programs use as caches. */
const CACHES =
  /(^|\/)(node_modules|__pycache__|\.(cache|venv|tox|nox|gradle|parcel-cache|(pytest|mypy|ruff|turbo)(_cache)?))(\/|$)/;

/** Returns the parents of a path, nearest first. */
function above(path: string): readonly string[] {
  const all: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) all.push(path.slice(0, end));
  return all;
}

/** Returns the paths that are not below another one. */
function topmostOf(files: readonly ChangedFile[]): readonly string[] {
  const all = new Set(files.map(({ path }) => path));
  return [...all].filter((path) => !above(path).some((each) => all.has(each)));
}

/** `2 files changed, 1 created`. A directory is not counted in addition to its content. */
function countsOf(changed: readonly ChangedFile[]): string {
  const directories = new Set(changed.flatMap(({ path }) => above(path)));
  const files = changed.filter(({ path }) => !directories.has(path));
  const counted = WORDS.map((word) => ({ word, count: files.filter(({ how }) => how === word).length }));
  const [first, ...rest] = counted.filter(({ count }) => count > 0);
  if (!first) return '';
  const head = `${first.count} ${first.count === 1 ? 'file' : 'files'} ${first.word}`;
  return [head, ...rest.map(({ word, count }) => `${count} ${word}`)].join(', ');
}

/** Lists paths relative to a directory: all if few, the first of many. */
export function namesOf(paths: readonly string[], cwd: string): string {
  const shown = paths.slice(0, paths.length > MAX_NAMES ? FIRST_NAMES : MAX_NAMES);
  const names = shown.map((path) => nameIn(path, cwd)).join(', ');
  return paths.length > shown.length ? `${names} and ${paths.length - shown.length} more` : names;
}

/** The report at the end of a run that has changed something. Names are hostile and get escaped. */
export function changesText({ files, lost }: RunChanges, cwd: string): string {
  const git = files.filter(({ path }) => GIT_OWN.test(path));
  const caches = files.filter(({ path }) => !GIT_OWN.test(path) && CACHES.test(path));
  const yours = files.filter(({ path }) => !GIT_OWN.test(path) && !CACHES.test(path));
  const others = [
    ...(git.length > 0 ? [`git's own: ${git.length}`] : []),
    ...(caches.length > 0 ? [`caches: ${caches.length}`] : []),
  ].join(' · ');
  const first = countsOf(yours) || (others === '' ? 'only modes or times changed' : 'none of your files changed');
  return [
    first,
    ...rowsOf(yours, cwd),
    ...(others === '' ? [] : [others]),
    `cannot be taken back: ${lost.length === 0 ? 'nothing' : namesOf(lost, cwd)}`,
    `:undo run takes ${lost.length === 0 ? 'it' : 'the rest'} back · :undo list chooses`,
  ].join('\n');
}

/** Returns a row for each file: its name, and its kind of change. A directory represents everything below it. */
function rowsOf(files: readonly ChangedFile[], cwd: string): readonly string[] {
  const top = topmostOf(files);
  const shown = top.slice(0, top.length > MAX_ROWS ? MAX_ROWS - 1 : MAX_ROWS);
  const names = shown.map((path) => nameIn(path, cwd));
  const widest = Math.max(0, ...names.map(textWidth));
  const rows = names.map((name, at) => {
    const path = shown[at] ?? '';
    const below = files.filter((file) => file.path.startsWith(`${path}/`));
    const file = files.find((each) => each.path === path);
    const how = below.length > 0 ? countsOf(below) : file ? fateOf(file, cwd) : '';
    return `  ${name}${' '.repeat(widest - textWidth(name))}  ${how}`;
  });
  return [...rows, ...(top.length > shown.length ? [`  and ${top.length - shown.length} more`] : [])];
}

/** `+4 −2`, `created, +12`, `moved from a`. */
export function fateOf({ how, from, lines }: ChangedFile, cwd: string): string {
  const word = how === 'moved' && from !== undefined ? `moved from ${nameIn(from, cwd)}` : how;
  if (!lines || how === 'deleted') return word;
  const { added, removed } = lines;
  if (how === 'created') return `${word}, +${added}`;
  return `${how === 'moved' ? `${word}, ` : ''}+${added} −${removed}`;
}

/** Returns a path relative to a directory; only the end of a long one. */
export function nameIn(path: string, cwd: string): string {
  const name = [...nameText(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : shortPath(path))];
  return name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME).join('')}` : name.join('');
}

/** Whether a notice is such a report. */
export function tellsChanges(notice: string): boolean {
  return TAKE_BACK.test(notice);
}
