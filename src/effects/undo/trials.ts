/**
 * Trials (EF-5): a command runs in a copy-on-write view of the files; its changes are listed, then applied or
 * discarded.
 */

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { RunningCommand } from '../../contracts/commands.ts';
import type { Applied, RunningTrial, TrialChange, TrialMode, TrialOutcome, Trials } from '../../contracts/trials.ts';
import { visible } from '../../text/sanitize.ts';
import { openingText, type StoreDisk } from './disk.ts';
import { Fields, NOT_RUN, type Step } from './launcher.ts';
import { bytesOfText } from './paths.ts';
import { describeSteps, diffsBetween } from './preview.ts';
import { type Opening, TRIAL } from './record.ts';

/** A trial’s files on the disk. */
export type TrialPlace = {
  readonly number: number;
  /** The trial’s own directory in the store. */
  readonly directory: string;
  /** The directory of its command with links resolved, since a link on the way would mean another tree. */
  readonly cwd: string;
  /** The copy-on-write directories: the tree of that directory, and shared temporary ones. */
  readonly trees: readonly string[];
  /** Whether it shows what a run in Project mode would do. */
  readonly asProject?: true;
};

/** The launcher’s report about a trial’s command. */
export type TrialStatus =
  | { readonly kind: 'notStarted'; readonly why: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: number }
  | { readonly kind: 'stopped'; readonly by: string };

/** The places that a trial of a command in a directory shows copy-on-write. */
export type TrialView = {
  /** The directory, with links resolved. */
  readonly cwd: string;
  /** The tree in which the command works. */
  readonly tree: string;
  /** The shared directories that can be shown. */
  readonly free: readonly string[];
};

/** Directories in which a command leaves files besides its project. */
export const SHARED_PLACES = ['/tmp', '/var/tmp'];

/** Returns the launcher’s options for the trees of a trial. */
export function treeOptions({ trees }: Pick<TrialPlace, 'trees'>): readonly string[] {
  return trees.flatMap((tree) => ['--tree', tree]);
}

/** Code of an apply that has changed nothing, since something changed since the trial. */
const CONFLICTS = 1;

export type TrialOptions = {
  readonly disk: StoreDisk;
  /**
   * Returns why trials are impossible on this machine, in one line; undefined if they work. Found by a test. Never
   * rejects.
   */
  readonly probe: () => Promise<string | undefined>;
  /** Rejects with a line for the user. */
  readonly viewOf: (cwd: string) => Promise<TrialView>;
  /** Returns the current Norris run, to which an applied trial then belongs. */
  readonly group?: () => string | undefined;
  /** The most bytes that a trial may write. */
  readonly spaceBytes: number;
  readonly session: string;
  readonly now: () => number;
  readonly hide: (text: string) => string;
  /** Runs a command of the model in a trial. */
  readonly run: (
    command: string,
    trial: OpenTrial,
    /** `cwd`: the directory as requested. */
    options: {
      readonly cwd: string;
      readonly signal: AbortSignal;
      readonly env: Readonly<Record<string, string>>;
    },
  ) => Promise<{ readonly command: RunningCommand; readonly status: () => Promise<TrialStatus> }>;
  /** Reverts a half-applied trial; undefined on success, otherwise what remains changed. */
  readonly rollBack: (number: number) => Promise<string | undefined>;
  /** Called when a trial was applied as the action with this number. */
  readonly applied?: (number: number) => Promise<void>;
};

/** A trial that is prepared and not started. */
export type OpenTrial = TrialPlace & {
  readonly id: string;
  readonly spaceBytes: number;
  /** Call it when the command has ended. `output`: its output, as far as known. Never rejects. */
  outcome(status: TrialStatus, output: string, interrupted?: boolean): Promise<TrialOutcome>;
};

export class TrialStore implements Trials {
  readonly #options: TrialOptions;
  /** The trials of this process, by name. */
  readonly #open = new Map<string, { readonly place: TrialPlace; readonly opening: Opening }>();
  #probe: Promise<string | undefined> | undefined;

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  async unavailable(): Promise<string | undefined> {
    this.#probe ??= this.#options.probe();
    const trying = this.#probe;
    const why = await trying;
    // The obstacle may disappear: a full disk, a lost connection.
    if (why !== undefined && this.#probe === trying) this.#probe = undefined;
    return why;
  }

  async start(command: string, { cwd, signal, env = {}, mode }: Parameters<Trials['start']>[1]): Promise<RunningTrial> {
    const why = await this.unavailable();
    if (why !== undefined) throw new Error(why);
    signal.throwIfAborted();
    const trial = await this.open(command, cwd, mode);
    try {
      signal.throwIfAborted();
      const { command: running, status } = await this.#options.run(command, trial, { cwd, signal, env });
      const outcome = running.result.then(async ({ head, tail }) =>
        trial.outcome(await status(), `${head}\n${tail}`, signal.aborted),
      );
      return { command: running, outcome };
    } catch (error) {
      await this.discard(trial.id);
      throw error;
    }
  }

  /** Prepares a trial for a caller that starts the command itself. Rejects if there is no room for it. */
  async open(text: string, cwd: string, mode: TrialMode): Promise<OpenTrial> {
    const { disk, session, now, hide, spaceBytes, group, viewOf } = this.#options;
    const run = group?.();
    const opening: Opening = {
      kind: 'command',
      text: hide(text),
      cwd: hide(cwd),
      session,
      at: now(),
      ...(run === undefined ? {} : { run }),
    };
    const { tree, free, cwd: real } = await viewOf(cwd);
    const beside = free.filter((each) => [tree, disk.directory].every((other) => relationOf(each, other) === 'apart'));
    const place: TrialPlace = {
      ...(await disk.open(opening, TRIAL)),
      cwd: real,
      ...(mode === 'project' ? { trees: [tree], asProject: true } : { trees: [tree, ...beside] }),
    };
    const id = String(place.number);
    this.#open.set(id, { place, opening });
    return {
      ...place,
      ...{ id, spaceBytes },
      outcome: (...ended) => this.#outcome(id, place, ...ended),
    };
  }

  async diff(id: string): Promise<string> {
    const place = this.#open.get(id)?.place;
    if (!place) return GONE;
    const listed = await this.#list(place);
    if (typeof listed === 'string') return listed;
    const { changes, upperOf } = listed;
    const pairs = changes
      .filter(({ kind, type }) => kind !== 'mode' && type === 'file')
      .map(({ kind, path }) => ({
        path,
        now: kind === 'created' ? undefined : path,
        becomes: kind === 'deleted' ? undefined : upperOf(path),
      }));
    return diffsBetween(pairs, 'after it', this.#options.disk.read);
  }

  async apply(id: string, digest: string): Promise<Applied> {
    const trial = this.#open.get(id);
    if (!trial) return { ok: false, text: GONE };
    const { disk, rollBack } = this.#options;
    const { place, opening } = trial;
    const listed = await this.#list(place);
    if (typeof listed === 'string' || listed.digest !== digest) {
      const { code, steps } = await disk.launch('--apply', place.directory, '--check', ...treeOptions(place));
      await this.discard(id);
      if (code === CONFLICTS) return refusedFor(steps);
      return { ok: false, text: typeof listed === 'string' ? listed : 'the trial differs from the list you saw' };
    }
    // One call, so that a lost connection leaves either no action or one whose journal tells how far it came.
    const as = openingText({ ...opening, applied: true });
    const ran = await disk.launch('--apply', place.directory, '--as', as, ...treeOptions(place));
    this.#open.delete(id);
    if (ran.code === 0) await this.#options.applied?.(place.number);
    if (ran.code === 0) return { ok: true, text: `applied: ${countOf(listed.changes.length)}`, action: place.number };
    if (ran.lost) return { ok: false, text: `${visible(ran.error)}; ${LOST}` };
    if (ran.code !== CONFLICTS && ran.code !== NOT_RUN) {
      const left = await rollBack(place.number);
      const what = left === undefined ? 'its changes were undone' : `not all of its changes could be undone:\n${left}`;
      return { ok: false, text: `not applied: ${visible(ran.error)}; ${what}` };
    }
    await this.#remove(place);
    if (ran.code !== CONFLICTS) return { ok: false, text: `not applied: ${visible(ran.error)}` };
    return refusedFor(ran.steps);
  }

  async discard(id: string): Promise<void> {
    const trial = this.#open.get(id);
    if (!trial) return;
    this.#open.delete(id);
    await this.#remove(trial.place);
  }

  /** Discards the trials of programs that have ended. Never rejects. */
  async discardAbandoned(): Promise<void> {
    try {
      for (const trial of await this.#options.disk.abandonedTrials()) await this.#remove(trial);
    } catch {
      // The next program removes them.
    }
  }

  /** Removes a trial; on failure the next program does it. */
  async #remove({ directory }: Pick<TrialPlace, 'directory'>): Promise<void> {
    await this.#options.disk.drop(directory).catch(() => undefined);
  }

  async #outcome(
    id: string,
    place: TrialPlace,
    status: TrialStatus,
    output: string,
    interrupted = false,
  ): Promise<TrialOutcome> {
    const listed = await this.#told(place, status, output, interrupted);
    if (typeof listed === 'string') {
      await this.discard(id);
      const exit = status.kind === 'exited' ? { exitCode: status.code } : {};
      return { kind: 'cannotTell', why: listed, ...exit };
    }
    const { digest, changes, deletedBytes, writtenBytes } = listed;
    // Project mode blocks these as well.
    const outside = place.asProject ? [] : listed.outside;
    const exitCode = status.kind === 'exited' ? status.code : status.kind === 'killed' ? 128 + status.signal : 128;
    const doubts = doubtsOf(output, listed.outside);
    return { kind: 'changes', id, exitCode, changes, deletedBytes, writtenBytes, digest, doubts, outside };
  }

  /** Returns why the trial can’t tell its changes, in one line. */
  async #told(place: TrialPlace, status: TrialStatus, output: string, interrupted: boolean): Promise<Listed | string> {
    if (status.kind === 'notStarted' && relationOf(place.trees[0] ?? '/', dirname(place.directory)) !== 'apart')
      return OWN_STORE;
    if (interrupted) return 'it was interrupted';
    if (status.kind === 'notStarted') return visible(status.why);
    if (status.kind === 'stopped') return status.by === 'space' ? TOO_MUCH : `it was stopped (${status.by})`;
    if (status.kind === 'running') return 'its end is not known';
    if (FOREIGN_OWNER.test(output)) return OTHERS;
    if (DIRECTORY_MOVED.test(output)) return MOVED;
    return this.#list(place);
  }

  async #list(place: TrialPlace): Promise<Listed | string> {
    const { disk } = this.#options;
    const { code, output, error } = await disk.run('--changes', place.directory, ...treeOptions(place));
    if (code !== 0) return visible(error || 'what it would change can’t be listed');
    if (disk.host !== undefined && output.length > MAX_LIST_CHARS) return 'it would change more than can be listed';
    return readChanges(output, await disk.notes(place), place);
  }
}

/** The most characters of a host's list. */
const MAX_LIST_CHARS = 16_000_000;
const GONE = 'this trial no longer exists';
const LOST = 'when the host answers again, the apply is finished or undone as a whole; :undo list shows which';
const OWN_STORE = 'the undo store lies below the directory it would run in: try it in a project';
const TOO_MUCH = 'it wrote more than a trial has room for';
const OTHERS = 'it touches files of another owner or group, which a trial can’t';
const MOVED = 'it renames a directory, which a trial can’t do';
const DIRECTORY_MOVED = /Invalid cross-device link|EXDEV/;
const FOREIGN_OWNER = /Value too large for defined data type|EOVERFLOW/;
const READ_ONLY = /Read-only file system|EROFS/;
const DOUBTS: readonly (readonly [RegExp, string])[] = [
  [
    /Operation not permitted|EPERM|Permission denied|EACCES/,
    'something was refused: a trial refuses network, sockets and signals',
  ],
  [
    /Connection refused|ECONNREFUSED|Network is unreachable|Temporary failure in name resolution/,
    'there is no network',
  ],
];

function doubtsOf(output: string, outside: readonly string[]): readonly string[] {
  const [first, ...more] = outside;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const where = first === undefined ? '' : `: ${visible(first)}${others}`;
  const refused =
    first !== undefined || READ_ONLY.test(output) ? [`it was refused to write outside its directory${where}`] : [];
  return [...refused, ...DOUBTS.flatMap(([pattern, text]) => (pattern.test(output) ? [text] : []))];
}

function refusedFor(conflicts: readonly Step[]): Applied {
  const steps = conflicts.map(({ path, source }) => ({ verb: 'refused', path, source }));
  return { ok: false, text: `not applied, since this changed meanwhile:\n${describeSteps(steps)}` };
}

function countOf(changes: number): string {
  return changes === 1 ? '1 change' : `${changes} changes`;
}

// Parses the launcher’s list of a trial’s changes.

const KINDS: ReadonlyMap<string, TrialChange['kind']> = new Map([
  ['A', 'created'],
  ['D', 'deleted'],
  ['M', 'changed'],
  ['P', 'mode'],
]);
const TYPES: ReadonlyMap<string, TrialChange['type']> = new Map([
  ['f', 'file'],
  ['d', 'directory'],
  ['l', 'link'],
  ['o', 'other'],
]);

const MARKED = 'carries marks of an overlay (user.overlay.…, trusted.overlay.…), which a trial can’t show';

export type Listed = {
  readonly changes: readonly TrialChange[];
  readonly deletedBytes: number;
  readonly writtenBytes: number;
  readonly digest: string;
  /** Paths outside the trees that the trial was not allowed to write. */
  readonly outside: readonly string[];
  /** Returns the path of a listed file’s new content. */
  readonly upperOf: (path: string) => string;
};

const REFUSED = 'refused ';
const UNREADABLE = 'the list of changes can’t be read';
const MOST_MODE = 0o7777;

/** Returns the notes on changes that a trial can’t show. */
function untold(notes: readonly string[]): string | undefined {
  for (const note of notes) {
    const [word = '', path = ''] = note.split(/ (.*)/s);
    if (word === 'shared') return `${visible(path)} has other names, which a real run may change with it`;
    if (word === 'deep') return `${visible(path.slice(-40))} has a path that is too long`;
    if (word === 'foreign')
      return `${visible(path)} gets an access list that names others, which a trial of an ordinary user can’t set`;
    if (word === 'socket') return `it makes the socket ${visible(path)}, which a trial can’t`;
    if (word === 'moved') return `it renames the whole directory ${visible(path)}, which a trial can’t`;
  }
  return undefined;
}

/**
 * Parses the launcher’s list; or returns why it can’t be used. Every path must be in the trees, whoever made the list.
 * @param notes the launcher’s notes
 */
export function readChanges(
  output: string,
  notes: readonly string[],
  { directory, trees }: Pick<TrialPlace, 'directory' | 'trees'>,
): Listed | string {
  const why = untold(notes);
  if (why !== undefined) return why;
  const fields = new Fields(output);
  const changes: TrialChange[] = [];
  while (fields.more) {
    const [facts, path] = [fields.next(), fields.next()];
    if (facts === undefined || path === undefined) return UNREADABLE;
    if (/^X [fdlo] /.test(facts)) return `${visible(path)} ${MARKED}`;
    const change = readChange(facts, path, trees);
    if (!change) return UNREADABLE;
    changes.push(change);
  }
  changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const sum = (...kinds: readonly string[]) =>
    changes.reduce((bytes, change) => bytes + (kinds.includes(change.kind) ? change.bytes : 0), 0);
  return {
    changes,
    deletedBytes: sum('deleted'),
    writtenBytes: sum('created', 'changed'),
    outside: [...new Set(notes)].filter((note) => note.startsWith(REFUSED)).map((note) => note.slice(REFUSED.length)),
    digest: createHash('sha256').update(bytesOfText(output)).digest('hex'),
    upperOf: (path) => {
      const number = trees.findIndex((tree) => relationOf(tree, path) !== 'apart');
      return join(directory, 'trial', `upper${number}`, path.slice((trees[number] ?? '').length));
    },
  };
}

/** Parses one line; undefined if it is invalid. */
function readChange(facts: string, path: string, trees: readonly string[]): TrialChange | undefined {
  const [kind = '', type = '', mode, bytes, , flags] = facts.split(' ');
  const [known, thing, bits, size] = [KINDS.get(kind), TYPES.get(type), Number(mode), Number(bytes)];
  const whole = [bits, size].every((number) => Number.isSafeInteger(number) && number >= 0) && bits <= MOST_MODE;
  const names = path.slice(1).split('/');
  // The root of a tree can’t be created or removed.
  const inside = trees.some((tree) => relationOf(tree, path) === 'above' || (tree === path && kind === 'P'));
  if (!known || !thing || !whole || !inside || names.some((name) => name === '' || name === '.' || name === '..'))
    return undefined;
  return { path, kind: known, type: thing, mode: bits, bytes: size, shared: flags === 's' };
}

/** Returns the relation of directory `a` to `b`, both absolute and without links. */
export function relationOf(a: string, b: string): 'same' | 'above' | 'below' | 'apart' {
  const below = (path: string, top: string) => path.startsWith(top === '/' ? '/' : `${top}/`);
  return a === b ? 'same' : below(b, a) ? 'above' : below(a, b) ? 'below' : 'apart';
}
