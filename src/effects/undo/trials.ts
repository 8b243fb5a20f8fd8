/** Trials (EF-5): a command runs in a copy-on-write view, what it would change is listed, then applied or thrown away. */
import { dirname } from 'node:path';
import type { RunningCommand } from '../../contracts/commands.ts';
import type { Applied, RunningTrial, TrialOutcome, Trials } from '../../contracts/trials.ts';
import { visible } from '../../text/sanitize.ts';
import { type Listed, readChanges, relationOf } from './changes.ts';
import type { Step } from './launcher.ts';
import { describeSteps, diffsBetween } from './preview.ts';
import type { Opening } from './record.ts';
import type { TrialDisk, TrialPlace, TrialStatus } from './trial-disk.ts';

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
  readonly applied?: (number: number) => void;
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

  unavailable(): Promise<string | undefined> {
    this.#probe ??= this.#options.disk.probe();
    return this.#probe;
  }

  async start(command: string, { cwd, signal, env = {} }: Parameters<Trials['start']>[1]): Promise<RunningTrial> {
    const why = await this.unavailable();
    if (why !== undefined) throw new Error(why);
    signal.throwIfAborted();
    const trial = await this.open(command, cwd);
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
  async open(text: string, cwd: string): Promise<OpenTrial> {
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
    const place = await disk.open(opening, cwd);
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
      return { ok: false, text: typeof listed === 'string' ? listed : 'what was tried is not what was shown' };
    }
    const ran = await disk.apply(place, opening);
    this.#open.delete(id);
    if (ran.code === 0) this.#options.applied?.(place.number);
    if (ran.code === 0) return { ok: true, text: `applied: ${countOf(listed.changes.length)}`, action: place.number };
    if (ran.lost) return { ok: false, text: `${visible(ran.error)}; ${LOST}` };
    if (ran.code !== CONFLICTS && ran.code !== NOT_BEGUN) {
      const left = await rollBack(place.number);
      const what = left === undefined ? 'what was done was taken back' : `not all of it could be taken back:\n${left}`;
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
    const { digest, changes, deletedBytes, writtenBytes, outside } = listed;
    const exitCode = status.kind === 'exited' ? status.code : status.kind === 'killed' ? 128 + status.signal : 128;
    const doubts = doubtsOf(output, outside);
    return { kind: 'changes', id, exitCode, changes, deletedBytes, writtenBytes, digest, doubts };
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

const GONE = 'this trial is gone';
const LOST =
  'what was begun there is finished or taken back, as a whole, when it answers again: :undo list shows it then';
const OWN_STORE = 'what is kept of other actions lies below the directory it would run in; try it in a project';
const TOO_MUCH = 'it wrote more than a trial has room for';
const OTHERS = 'it touches files of another owner or group, which a trial can’t';
const MOVED = 'it moves a directory by its name alone, which a trial can’t';
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
