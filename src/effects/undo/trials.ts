/**
 * Trials (EF-5): a command runs in a copy-on-write view, what it would change is listed, then applied or thrown away.
 */

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { RunningCommand } from '../../contracts/commands.ts';
import type { Applied, RunningTrial, TrialChange, TrialMode, TrialOutcome, Trials } from '../../contracts/trials.ts';
import { visible } from '../../text/sanitize.ts';
import { Fields, type Ran, type Step } from './launcher.ts';
import { textOfBytes } from './paths.ts';
import { describeSteps, diffsBetween, type ReadText } from './preview.ts';
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
  /** It shows what a run in Project mode would do. */
  readonly asProject?: true;
};

/** How the launcher says that the command of a trial went. */
export type TrialStatus =
  | { readonly kind: 'notStarted'; readonly why: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: number }
  | { readonly kind: 'stopped'; readonly by: string };

/** Where trials lie and are worked on: this machine (`local-trials.ts`), or a host (`far-trials.ts`). */
export type TrialDisk = {
  /** Why nothing can be tried there, in one line; undefined where it can. Found by trying. Never rejects. */
  probe(): Promise<string | undefined>;
  /** Makes the directory of a trial of a command in `cwd`. Rejects with a line for the user. */
  open(opening: Opening, cwd: string, mode: TrialMode): Promise<TrialPlace>;
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

/** Codes of an apply that has changed nothing: something changed since the trial, or it was not begun. */
const CONFLICTS = 1;
const NOT_BEGUN = 126;

export type TrialOptions = {
  readonly disk: TrialDisk;
  /** The Norris run under way, which an applied trial is then a part of. */
  readonly group?: () => string | undefined;
  /** Bytes that a trial may write. */
  readonly spaceBytes: number;
  readonly session: string;
  readonly now: () => number;
  readonly hide: (text: string) => string;
  /** Starts a command of the model in a trial. */
  readonly run: (
    command: string,
    trial: OpenTrial,
    /** `cwd`: as it was asked for. */
    options: {
      readonly cwd: string;
      readonly signal: AbortSignal;
      readonly env: Readonly<Record<string, string>>;
    },
  ) => Promise<{ readonly command: RunningCommand; readonly status: () => Promise<TrialStatus> }>;
  /** Takes back what was applied halfway; undefined when all is as before, else what is not. */
  readonly rollBack: (number: number) => Promise<string | undefined>;
  /** One was applied, and is an action of this number. */
  readonly applied?: (number: number) => Promise<void>;
};

/** A trial that is set up and not started. */
export type OpenTrial = TrialPlace & {
  readonly id: string;
  readonly spaceBytes: number;
  /** To be called when the command has ended. `output`: what of it is known. Never rejects. */
  outcome(status: TrialStatus, output: string, interrupted?: boolean): Promise<TrialOutcome>;
};

export class TrialStore implements Trials {
  readonly #options: TrialOptions;
  /** Those of this process, by their names. */
  readonly #open = new Map<string, { readonly place: TrialPlace; readonly opening: Opening }>();
  #probe: Promise<string | undefined> | undefined;

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  async unavailable(): Promise<string | undefined> {
    this.#probe ??= this.#options.disk.probe();
    const trying = this.#probe;
    const why = await trying;
    // What stands in the way may be mended: a full disk, a connection.
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

  /** Sets a trial up, for whoever starts the command themselves. Rejects where there is no place for it. */
  async open(text: string, cwd: string, mode: TrialMode): Promise<OpenTrial> {
    const { disk, session, now, hide, spaceBytes, group } = this.#options;
    const run = group?.();
    const opening: Opening = {
      kind: 'command',
      text: hide(text),
      cwd: hide(cwd),
      session,
      at: now(),
      ...(run === undefined ? {} : { run }),
    };
    const place = await disk.open(opening, cwd, mode);
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
      const { code, steps } = await disk.conflicts(place);
      await this.discard(id);
      if (code === CONFLICTS) return refusedFor(steps);
      return { ok: false, text: typeof listed === 'string' ? listed : 'the trial differs from the list you saw' };
    }
    const ran = await disk.apply(place, opening);
    this.#open.delete(id);
    if (ran.code === 0) await this.#options.applied?.(place.number);
    if (ran.code === 0) return { ok: true, text: `applied: ${countOf(listed.changes.length)}`, action: place.number };
    if (ran.lost) return { ok: false, text: `${visible(ran.error)}; ${LOST}` };
    if (ran.code !== CONFLICTS && ran.code !== NOT_BEGUN) {
      const left = await rollBack(place.number);
      const what = left === undefined ? 'its changes were undone' : `not all of its changes could be undone:\n${left}`;
      return { ok: false, text: `not applied: ${visible(ran.error)}; ${what}` };
    }
    await disk.remove(place);
    if (ran.code !== CONFLICTS) return { ok: false, text: `not applied: ${visible(ran.error)}` };
    return refusedFor(ran.steps);
  }

  async discard(id: string): Promise<void> {
    const trial = this.#open.get(id);
    if (!trial) return;
    this.#open.delete(id);
    await this.#options.disk.remove(trial.place);
  }

  discardAbandoned(): Promise<void> {
    return this.#options.disk.discardAbandoned();
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
    // Project mode refuses these as well.
    const outside = place.asProject ? [] : listed.outside;
    const exitCode = status.kind === 'exited' ? status.code : status.kind === 'killed' ? 128 + status.signal : 128;
    const doubts = doubtsOf(output, listed.outside);
    return { kind: 'changes', id, exitCode, changes, deletedBytes, writtenBytes, digest, doubts, outside };
  }

  /** Why nothing can be said, in a line. */
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
    const output = await disk.changes(place);
    if (typeof output === 'string') return visible(output);
    return readChanges(output, await disk.notes(place), place);
  }
}

const GONE = 'this trial no longer exists';
const LOST = 'when the host answers again, the apply is finished or undone as a whole; :undo list shows which';
const OWN_STORE = 'the undo store lies below the directory it would run in: try it in a project';
const TOO_MUCH = 'it wrote more than a trial has room for';
const OTHERS = 'it touches files of another owner or group, which a trial can’t';
const MOVED = 'it renames a whole directory, which a trial can’t';
const DIRECTORY_MOVED = /Invalid cross-device link|EXDEV/;
const FOREIGN_OWNER = /Value too large for defined data type|EOVERFLOW/;
const READ_ONLY = /Read-only file system|EROFS/;
const DOUBTS: readonly (readonly [RegExp, string])[] = [
  [/Operation not permitted|EPERM|Permission denied|EACCES/, 'something was refused: network, sockets and signals are'],
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

// What it would change, as the launcher lists it.

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
  /** Paths outside the trees that it was refused to write. */
  readonly outside: readonly string[];
  /** Where the new content of a path of the list stands. */
  readonly upperOf: (path: string) => string;
};

const REFUSED = 'refused ';
const UNREADABLE = 'the list of changes can’t be read';
const MOST_MODE = 0o7777;

/** What the trial itself noted that it can't show. */
function untold(notes: readonly string[]): string | undefined {
  for (const note of notes) {
    const [word = '', path = ''] = note.split(/ (.*)/s);
    if (word === 'shared') return `${visible(path)} has other names, which a real run may change with it`;
    if (word === 'deep') return `${visible(path.slice(-40))} lies deeper than a path can name`;
    if (word === 'foreign')
      return `${visible(path)} gets an access list that names others, which a trial of an ordinary user can’t set`;
    if (word === 'socket') return `it makes the socket ${visible(path)}, which a trial can’t`;
    if (word === 'moved') return `it renames the whole directory ${visible(path)}, which a trial can’t`;
  }
  return undefined;
}

/**
 * The launcher's list, as it printed it; or why it can't be told. What it names must lie in the trees, whoever says so.
 * @param notes what it noted besides
 */
export function readChanges(
  output: Buffer,
  notes: readonly string[],
  { directory, trees }: Pick<TrialPlace, 'directory' | 'trees'>,
): Listed | string {
  const why = untold(notes);
  if (why !== undefined) return why;
  const fields = new Fields(textOfBytes(output));
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
    digest: createHash('sha256').update(output).digest('hex'),
    upperOf: (path) => {
      const number = trees.findIndex((tree) => relationOf(tree, path) !== 'apart');
      return join(directory, 'trial', `upper${number}`, path.slice((trees[number] ?? '').length));
    },
  };
}

/** Undefined for what is no line of such a list. */
function readChange(facts: string, path: string, trees: readonly string[]): TrialChange | undefined {
  const [kind = '', type = '', mode, bytes, , flags] = facts.split(' ');
  const [known, thing, bits, size] = [KINDS.get(kind), TYPES.get(type), Number(mode), Number(bytes)];
  const whole = [bits, size].every((number) => Number.isSafeInteger(number) && number >= 0) && bits <= MOST_MODE;
  const names = path.slice(1).split('/');
  // A tree's own root can't be made or go.
  const inside = trees.some((tree) => relationOf(tree, path) === 'above' || (tree === path && kind === 'P'));
  if (!known || !thing || !whole || !inside || names.some((name) => name === '' || name === '.' || name === '..'))
    return undefined;
  return { path, kind: known, type: thing, mode: bits, bytes: size, shared: flags === 's' };
}

/** How the directory `a` lies to `b`, both absolute and without links. */
export function relationOf(a: string, b: string): 'same' | 'above' | 'below' | 'apart' {
  const below = (path: string, top: string) => path.startsWith(top === '/' ? '/' : `${top}/`);
  return a === b ? 'same' : below(b, a) ? 'above' : below(a, b) ? 'below' : 'apart';
}
