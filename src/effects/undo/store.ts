/**
 * The change store (EF-1 … EF-3): the old states kept for each action, their budgets, and undo, which the launcher
 * carries out (src/effects/launcher/restore.c).
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Leftover, UnansweredLeftover } from '../../contracts/commands.ts';
import type { ChangedFile, KeptAction, RunChanges, UndoPort, UndoResult, UndoTarget } from '../../contracts/undo.ts';
import { messageOf } from '../../text/errors.ts';
import { visible } from '../../text/sanitize.ts';
import { LauncherReplaced, type StoreDisk } from './disk.ts';
import { explain, unkeptPaths } from './explained.ts';
import { Kept, refusalIn, warnOf, whatGoes } from './kept.ts';
import { type NotKept, sharesBlocks } from './launcher.ts';
import { Leftovers } from './leftovers.ts';
import { unkeptIn, whenEnded } from './names.ts';
import { Net, readSteps, writeSteps } from './net.ts';
import { countedFiles } from './preview.ts';
import {
  EmptyRecords,
  leftNothing,
  notesOf,
  numbersIn,
  type Opening,
  type Place,
  type Recorded,
  STATUS,
  tidyEmpty,
} from './record.ts';

/** How long the measured size of the store stays valid, in ms. */
const ROOM_KNOWN_MS = 30_000;

export type ChangeStoreOptions = {
  /** The disk on which the changes are kept. */
  readonly disk: StoreDisk;
  /** The most bytes kept in total; 0 keeps nothing. */
  readonly budgetBytes: number;
  /** The most bytes of one file where the file system can’t share blocks with a copy. */
  readonly maxFileBytes: number;
  /** Keys and passwords are kept too. */
  readonly credentials?: boolean;
  readonly days: number;
  readonly session: string;
  /** Returns the id of the current Norris run. */
  readonly run: () => string | undefined;
  readonly now: () => number;
  /** Returns a text without secrets, fit for the disk. */
  readonly hide: (text: string) => string;
  /** Tells the user about changes that were not recorded. */
  readonly warn: (text: string) => void;
  /** Called with the files that an action of a model has changed. */
  readonly changed?: (files: readonly string[]) => void;
  /** Called when more changes of the current run are known. */
  readonly onChanged?: () => void;
};

/** How a kept command is started, and how its end is reported to the store. */
export type Keeping = {
  readonly directory: string;
  /** The file for the launcher’s report about the command’s end. */
  readonly statusFile: string;
  /** The directory that is searched for unrecorded changes at the end. */
  readonly tree: string;
  readonly budgetBytes: number;
  readonly fileBytes: number;
  readonly credentials: boolean;
  /** Returns for the model, after the end, what the command was not allowed to change. Never throws. */
  refusal(): string | undefined;
  /**
   * Call it after the last process has ended, or when the command never began; then its record is removed. Resolves to
   * the leftovers that the user decides about.
   */
  end(began: boolean): Promise<Leftover | undefined>;
  /** Call it after `end`. Returns the action that undoes the command’s changes, and whether it covers them all. */
  attempt(): { readonly action?: number; readonly whole: boolean };
};

/** The launcher’s notes about changes that can’t be undone. */
const LOST = /^(?:unkept|unchecked|skipped|secret) /;

/** Returns the end in ms since 1970; infinity if it has not ended. */
function endedAt({ directory }: Place): number {
  return statSync(join(directory, 'summary'), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

/** On a host the store doesn’t know which files the session made, nor the changes of a run. */
export class ChangeStore implements UndoPort {
  readonly #options: ChangeStoreOptions;
  readonly #disk: StoreDisk;
  readonly #running = new Set<number>();
  /** Records about to be removed, since their command never ran. */
  readonly #neverBegan = new Set<number>();
  /** Commands in Project whose files have not been checked yet for ones that others run. */
  readonly #inProject = new Set<number>();
  /** Actions with unrecorded changes, each with the running actions of the session that may explain them. */
  readonly #unexplained = new Map<number, Set<number>>();
  readonly #leftovers: Leftovers;
  #probe: Promise<NotKept | undefined> | undefined;
  readonly #kept: Kept;
  #recovered: Promise<void> | undefined;
  readonly #empty = new EmptyRecords();
  /** The changes of the last run, as far as they were read. */
  #changed: { readonly run: string; readonly net: Net; readonly files: readonly ChangedFile[] } | undefined;
  /** The reading of changes that is under way. */
  #looking: Promise<void> | undefined;
  /** The measured bytes in use, and the time of the measurement. */
  #room: { readonly used: number; readonly at: number } | undefined;

  constructor(options: ChangeStoreOptions) {
    this.#options = options;
    this.#disk = options.disk;
    const { session, maxFileBytes, warn, hide, disk } = options;
    const common = {
      ...{ session, disk, warn },
      records: (only?: number) => this.#records(only),
    };
    this.#kept = new Kept({
      ...common,
      drop: (place) => this.#drop(place),
      unavailable: () => this.unavailable(),
      open: (text, cwd, of) => this.#open('undo', text, cwd, { of }),
      finish: (action) => this.#leftovers.finish(action),
      steps: ({ directory }) => (disk.host === undefined ? readSteps(directory) : undefined),
    });
    this.#leftovers = new Leftovers({
      ...common,
      ...{ maxFileBytes, hide },
      here: (only) => this.#here(only),
      open: (text, cwd, of) => this.#open('undo', text, cwd, of === undefined ? {} : { of }),
      putBack: async (action, into) => (await this.#kept.putBack(action, into)).code === 0,
      drop: async (action) => {
        if (!(await this.#kept.runs(action))) await this.#drop(action);
      },
    });
  }

  /**
   * Tests recording by creating a file under supervision and looking for it in the journal. Once, except on a disk that
   * can’t be written at the moment.
   */
  async unavailable(): Promise<string | undefined> {
    this.#probe ??= this.#disk.probe(this.#options.budgetBytes);
    const trying = this.#probe;
    const found = await trying;
    if (found?.passes && this.#probe === trying) this.#probe = undefined;
    return found?.why;
  }

  /**
   * Starts recording a command; undefined where that is impossible: then the command runs without it.
   * @param project the tree in Project mode: files in it that others would run are set aside
   * @param directory `cwd` without its host
   * @throws if the launcher of a host was replaced
   */
  async keepCommand(command: string, cwd: string, project?: string, directory = cwd): Promise<Keeping | undefined> {
    if ((await this.unavailable()) !== undefined) return undefined;
    try {
      await this.#recover();
      if (project !== undefined) this.#leftovers.prepare(project);
      const used = await this.#makeRoom();
      const place = await this.#open('command', command, cwd, project === undefined ? {} : { tree: project });
      return this.#keep(place, cwd, used, { project, tree: project ?? directory });
    } catch (error) {
      if (error instanceof LauncherReplaced) throw error;
      this.#options.warn(`nothing is kept of this command: ${visible(messageOf(error))}`);
      return undefined;
    }
  }

  #keep(
    place: Place,
    cwd: string,
    used: number,
    { project, tree }: { readonly project: string | undefined; readonly tree: string },
  ): Keeping {
    const { budgetBytes, maxFileBytes, credentials = false } = this.#options;
    const { number, directory } = place;
    this.#running.add(number);
    if (project !== undefined) this.#inProject.add(number);
    let empty = false;
    return {
      ...{ directory, tree, credentials, statusFile: join(directory, STATUS) },
      budgetBytes: Math.max(0, budgetBytes - used),
      fileBytes: maxFileBytes,
      refusal: () => refusalIn(notesOf(directory), cwd),
      end: (began) =>
        this.#ended(place, began, () => {
          empty = true;
        }),
      attempt: () => {
        const [action] = empty ? [] : this.#here(number);
        if (!action) return { whole: true };
        return { action: number, whole: action.state === 'ended' && action.complete && !this.#unexplained.has(number) };
      },
    };
  }

  /**
   * Keeps the state of `file` (absolute, links resolved) before this program itself changes it. Resolves to a function
   * that reports the end; undefined where nothing can be kept.
   */
  async keepFile(
    file: string,
    text: string,
    cwd: string,
  ): Promise<{ end(changed: boolean): Promise<void> } | undefined> {
    if ((await this.unavailable()) !== undefined) return undefined;
    await this.#recover();
    await this.#makeRoom();
    const { number, directory } = await this.#open('patch', text, cwd);
    this.#running.add(number);
    const noted = await this.#disk.launch('--undo', directory, '--note', file);
    if (noted.code !== 0) {
      this.#running.delete(number);
      await this.#disk.drop(directory);
      throw new Error(noted.error || 'its old state could not be kept');
    }
    return {
      end: async (changed) => {
        if (changed) await this.#disk.launch('--undo', directory, '--finish', '--now');
        else await this.#disk.drop(directory);
        this.#running.delete(number);
        if (changed) await this.applied(number);
      },
    };
  }

  /** Finishes, closes or sets aside what a crash or a lost connection interrupted. Never rejects. */
  async recover(): Promise<void> {
    await this.#recover().catch(() => undefined);
  }

  /** Whether a command in Project runs, or files that it left for others to run are not set aside yet. */
  get runsInProject(): boolean {
    return this.#inProject.size > 0;
  }

  async list(): Promise<readonly KeptAction[]> {
    await this.#recover();
    return (await this.#records()).toReversed();
  }

  /** Returns the changes of a run; undefined if it made none that were recorded. */
  ofRun(run: string): RunChanges | undefined {
    const actions = this.#here().filter((action) => action.run === run && action.state === 'ended');
    if (actions.length === 0) return undefined;
    const lost = actions.flatMap(({ notes }) => notes.filter((note) => LOST.test(note)));
    return { files: this.changedBy(run), lost: [...new Set(lost.map((note) => note.replace(LOST, '')))] };
  }

  /** Returns the files that the last run has changed, as far as they were read; costs nothing. */
  changedBy(run: string): readonly ChangedFile[] {
    return this.#changed?.run === run ? this.#changed.files : [];
  }

  /**
   * Resolves when the actions that just ended are included in their run’s files; undefined if none is missing. Never
   * rejects.
   */
  get looking(): Promise<void> | undefined {
    return this.#looking;
  }

  /**
   * Reports the end of an action that was not one of this store’s commands: a patch, an applied trial. Never rejects.
   */
  async applied(number: number): Promise<void> {
    const [action] = this.#here(number);
    if (!action) return;
    this.#look(action);
    await this.#leftovers.learn(action);
  }

  /** Reads which files an action has changed. */
  #look(action: Recorded): void {
    const { run, directory, tree, cwd, notes } = action;
    if (this.#disk.host !== undefined) return;
    const looking = (this.#looking ?? Promise.resolve()).then(async () => {
      const { code, steps } = await whenEnded(() => this.#disk.launch('--undo', directory));
      const told = code === 0 || code === 1;
      if (told) writeSteps(directory, steps);
      const own = told ? new Net().add(directory, steps).files : undefined;
      const paths = own?.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
      const past = unkeptIn(notes, []).map(({ path }) => path);
      this.#options.changed?.([...(paths ?? [join(tree ?? cwd, 'files that can’t be listed')]), ...past]);
      if (run !== undefined && told) {
        const net = (this.#changed?.run === run ? this.#changed.net : new Net()).add(directory, steps);
        this.#changed = { run, net, files: await countedFiles(net).catch(() => net.files) };
      }
      if (this.#looking === looking) this.#looking = undefined;
      this.#options.onChanged?.();
    });
    this.#looking = looking;
  }

  preview(target: UndoTarget): Promise<UndoResult> {
    return this.#afterRecovery(() => this.#kept.preview(target));
  }

  undo(target: UndoTarget, shown?: string): Promise<UndoResult> {
    return this.#afterRecovery(() => this.#kept.undo(target, shown));
  }

  async #afterRecovery(work: () => Promise<UndoResult>): Promise<UndoResult> {
    try {
      if ((await this.unavailable()) === undefined) await this.#recover();
    } catch (error) {
      return { ok: false, text: `not done: ${visible(messageOf(error))}` };
    }
    return work();
  }

  /**
   * Undoes an action completely, or not at all; returns why not, in one line. Does nothing if it was undone already.
   */
  async takeBack(number: number): Promise<string | undefined> {
    const [action] = await this.#records(number);
    if (!action) return 'it is not kept any more';
    if (action.state === 'undone') return undefined;
    const { code, steps, error } = await whenEnded(() => this.#disk.launch('--undo', action.directory));
    const stays = steps.find(({ verb }) => verb === 'refused');
    if (stays) return `${stays.path}: ${stays.source}`;
    if (code !== 0) return error || 'it can not be looked through';
    const { ok, text } = await this.undo(number);
    return ok ? undefined : text;
  }

  async forget(target: number | 'all'): Promise<UndoResult> {
    const result = await this.#kept.forget(target);
    const { host, directory } = this.#disk;
    if (host === undefined && numbersIn(directory).every((number) => number === this.#empty.spare?.number))
      rmSync(join(directory, 'equal'), { force: true });
    return result;
  }

  /** Returns a line for `doctor`. */
  async describe(): Promise<string> {
    const why = await this.unavailable();
    if (why !== undefined) return why;
    const { directory } = this.#disk;
    const used = Math.round(this.#here().reduce((sum, { bytes }) => sum + bytes, 0) / 1e6);
    const copies = sharesBlocks(directory) ? 'copies share their blocks' : 'no reflinks here, so copies take room';
    return `works; ${this.#here().length} actions, ${used} MB of ${Math.round(this.#options.budgetBytes / 1e6)} MB; ${copies}`;
  }

  /** Returns the records of this machine in ascending order, or the one with this number; none of a host. */
  #here(only?: number): readonly Recorded[] {
    this.#empty.settle();
    const found = this.#disk.host === undefined ? this.#disk.records(this.#running, only) : [];
    return found instanceof Promise ? [] : this.#asKnown(found);
  }

  /** Returns the records, also those of a host, in ascending order. Rejects if the host does not answer. */
  async #records(only?: number): Promise<readonly Recorded[]> {
    this.#empty.settle();
    return this.#asKnown(await this.#disk.records(this.#running, only));
  }

  #asKnown(records: readonly Recorded[]): readonly Recorded[] {
    return records
      .filter(({ number }) => !this.#neverBegan.has(number))
      .map((action) => (this.#unexplained.has(action.number) ? { ...action, complete: true } : action));
  }

  async #open(kind: KeptAction['kind'], text: string, cwd: string, more: Partial<Opening> = {}): Promise<Place> {
    const { session, now, hide, run } = this.#options;
    const group = kind === 'undo' ? undefined : run();
    if (kind !== 'command') this.#room = undefined;
    const opening = { kind, text: hide(text), cwd: hide(cwd), session, at: now(), ...more };
    const spare = this.#empty.take();
    return this.#disk.open(group === undefined ? opening : { ...opening, run: group }, undefined, spare);
  }

  /**
   * Makes room and returns the bytes then in use. It reads all records, so it does not run before each command; other
   * windows’ records are noticed a little later.
   */
  async #makeRoom(): Promise<number> {
    const { now, days, budgetBytes } = this.#options;
    const known = this.#room;
    if (known && known.used <= budgetBytes / 2 && Math.abs(now() - known.at) < ROOM_KNOWN_MS) return known.used;
    const { going, usedBytes: used } = whatGoes(await this.#records(), { now: now(), days, budgetBytes });
    for (const action of going) await this.#disk.drop(action.directory);
    this.#room = { used, at: now() };
    return used;
  }

  async #ended(place: Place, began: boolean, wasEmpty: () => void): Promise<Leftover | undefined> {
    const { number, directory } = place;
    const isHere = this.#disk.host === undefined;
    this.#running.delete(number);
    try {
      if (!began) {
        this.#neverBegan.add(number);
        // If this fails, the next program removes the record.
        await this.#disk.drop(directory).catch(() => undefined);
        // Its number may be used again.
        this.#neverBegan.delete(number);
        return undefined;
      }
      // The usual case: nothing more is read, since the model’s next step waits.
      if (isHere && leftNothing(place)) {
        this.#empty.add(place);
        wasEmpty();
        return undefined;
      }
      let [action] = isHere ? this.#here(number) : await this.#records(number);
      // The launcher was killed, so its journal is closed here.
      if (action?.tree !== undefined && action.state === 'cut' && !(await this.#kept.runs(action)))
        [action] = await this.#records(number);
      if (!action || action.state === 'cut') return undefined;
      return await this.#over(action);
    } finally {
      this.#inProject.delete(number);
    }
  }

  async #over(action: Recorded): Promise<Leftover | undefined> {
    const { notes, number, touched, bytes } = action;
    const isHere = this.#disk.host === undefined;
    // The search for an explaining action continues after the result.
    const isOpen = (note: string) => isHere && unkeptPaths([note]).length > 0;
    warnOf(
      notes.filter((note) => !isOpen(note)),
      this.#options.warn,
    );
    if (notes.some(isOpen)) this.#unexplained.set(number, new Set());
    if (this.#room) this.#room = { ...this.#room, used: this.#room.used + bytes };
    if (!touched && notes.length === 0) return void (await this.#drop(action));
    if (touched) this.#look(action);
    return this.#leftBy(action);
  }

  /** Completes all pending work. Idempotent; the store can still be used. */
  close(): void {
    this.#empty.settle();
  }

  /**
   * Reverts a half-applied trial and removes its record. Returns undefined on success, otherwise what remains changed.
   */
  rollBack(number: number): Promise<string | undefined> {
    return this.#kept.rollBack(number);
  }

  /** Returns whether the session made the file at this path, without replacing one of the user’s. */
  madeHere(path: string): boolean {
    return this.#leftovers.made(path);
  }

  /** Returns the questions of earlier programs of this session that nobody answered. Never rejects. */
  async waiting(): Promise<readonly UnansweredLeftover[]> {
    if ((await this.unavailable()) !== undefined) return [];
    await this.#recover();
    return this.#leftovers.waiting();
  }

  async #leftBy(action: Recorded): Promise<Leftover | undefined> {
    const { number } = action;
    await this.#explain(action);
    for (const [waiting, running] of this.#unexplained) {
      if (!running.delete(number) || running.size > 0) continue;
      const [other] = this.#here(waiting);
      if (other) await this.#explain(other);
    }
    return this.#leftovers.of(this.#here(number)[0] ?? action);
  }

  /**
   * Removes the unrecorded changes that other actions of the session explain; those that a running one may explain stay
   * open.
   */
  async #explain(action: Recorded, tell = true): Promise<void> {
    const { session, warn } = this.#options;
    if (this.#disk.host !== undefined || unkeptPaths(action.notes).length === 0) return;
    const beside = this.#here().filter(
      (other) => other.number !== action.number && other.session === session && endedAt(other) >= action.at,
    );
    const [running, ended] = [true, false].map((runs) => beside.filter(({ state }) => (state === 'running') === runs));
    const all = await explain(this.#disk.launch, action, ended ?? []);
    if (!all && running?.length) {
      this.#unexplained.set(action.number, new Set(running.map(({ number }) => number)));
      return;
    }
    this.#unexplained.delete(action.number);
    const left = unkeptPaths(this.#here(action.number)[0]?.notes ?? []);
    if (tell) {
      warnOf(
        left.map((path) => `unkept ${path}`),
        warn,
      );
    }
  }

  /** Finishes interrupted work as `recover` does, and rejects if the records can’t be read. */
  #recover(): Promise<void> {
    const again = () => {
      this.#recovered = undefined;
    };
    this.#recovered ??= this.#finishCut().then(
      (all) => (all ? undefined : again()),
      (error: unknown) => {
        again();
        throw error;
      },
    );
    return this.#recovered;
  }

  /** Returns false if a command in Project still runs on a host, so that it must be checked later. */
  async #finishCut(): Promise<boolean> {
    const { host, directory } = this.#disk;
    if (host === undefined) tidyEmpty(directory);
    const cut = new Set((await this.#records()).flatMap(({ number, state }) => (state === 'cut' ? [number] : [])));
    let all = await this.#kept.recover();
    for (const action of await this.#records()) {
      if (cut.has(action.number)) this.#look(action);
      if (host !== undefined && action.tree !== undefined && action.state === 'cut')
        all = !(await this.#kept.runs(action)) && all;
    }
    await this.#leftovers.catchUp();
    // Jobs end with the program; their records are closed here.
    for (const action of this.#here())
      if (action.session === this.#options.session && action.state === 'ended') await this.#explain(action, false);
    return all;
  }

  #drop(place: Pick<Place, 'directory'>): Promise<unknown> {
    this.#room = undefined;
    return this.#disk.drop(place.directory);
  }
}
