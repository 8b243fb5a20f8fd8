/**
 * The change store (EF-1 … EF-3): the old states kept for each action, their budgets, and undo, which the launcher
 * carries out (src/effects/launcher/restore.c).
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Leftover, UnansweredLeftover } from '../../contracts/commands.ts';
import type { ChangedFile, KeptAction, RunChanges, UndoPort, UndoResult, UndoTarget } from '../../contracts/undo.ts';
import { explain, unkeptPaths } from './explained.ts';
import { Kept, refusalIn, warnOf, whatGoes } from './kept.ts';
import { type NotKept, probeStore, type Ran, runLauncher, sharesBlocks } from './launcher.ts';
import { Leftovers } from './leftovers.ts';
import { unkeptIn, whenEnded } from './names.ts';
import { Net, readSteps, writeSteps } from './net.ts';
import { countedFiles } from './preview.ts';
import {
  dropRecord,
  EmptyRecords,
  leftNothing,
  markUndone,
  notesOf,
  numbersIn,
  type Opening,
  openRecord,
  type Place,
  type Recorded,
  readRecord,
  STATUS,
  tidyEmpty,
  unmarkUndone,
} from './record.ts';

/** How long the measured size of the store stays valid, in ms. */
const ROOM_KNOWN_MS = 30_000;

export type ChangeStoreOptions = {
  /** The path of the launcher. */
  readonly launcher: string;
  /** The private directory of all actions of this user, outside the project. */
  readonly directory: string;
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
  /** Call it after the last process has ended. Never throws. */
  end(): void;
  /** Call it instead if the command never began; its record is removed. Never throws. */
  drop(): void;
  /** Call it once after the end: returns the leftovers that the user decides about. Never rejects. */
  left(): Promise<Leftover | undefined>;
  /** Call it after that: returns the action that undoes the command’s changes, and whether it covers them all. */
  attempt(): { readonly action?: number; readonly whole: boolean };
};

/** The launcher’s notes about changes that can’t be undone. */
const LOST = /^(?:unkept|unchecked|skipped|secret) /;

/** Returns the end in ms since 1970; infinity if it has not ended. */
function endedAt({ directory }: Place): number {
  return statSync(join(directory, 'summary'), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

export class ChangeStore implements UndoPort {
  readonly #options: ChangeStoreOptions;
  readonly #running = new Set<number>();
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
    const { session, launcher, maxFileBytes, warn, hide, directory } = options;
    this.#kept = new Kept({
      session,
      unavailable: () => this.unavailable(),
      records: () => Promise.resolve(this.#records()),
      open: async (text, cwd, of) => this.#open('undo', text, cwd, { of }),
      drop: async (place) => this.#drop(place),
      launch: (...args) => this.#launch(...args),
      markUndone: async (action, by) => markUndone(directory, action.number, by),
      unmarkUndone: async (number) => unmarkUndone(directory, number),
      finish: (action) => this.#leftovers.finish(action),
      warn,
      noPlace: 'the replaced files can’t be kept',
      steps: ({ directory }) => readSteps(directory),
    });
    this.#leftovers = new Leftovers({
      ...{ session, launcher, maxFileBytes, warn, hide },
      records: () => this.#records(),
      find: (number) => readRecord(options.directory, number, this.#running),
      launch: (...args) => this.#launch(...args),
      open: (text, cwd, of) => this.#open('undo', text, cwd, of === undefined ? {} : { of }),
      putBack: async (action, into) => (await this.#kept.putBack(action, into)).code === 0,
      drop: async (action) => {
        if (!(await this.#kept.runs(action))) this.#drop(action);
      },
    });
  }

  /**
   * Tests recording by creating a file under supervision and looking for it in the journal. Once, except on a disk that
   * can’t be written at the moment.
   */
  async unavailable(): Promise<string | undefined> {
    const { launcher, directory, budgetBytes } = this.#options;
    this.#probe ??= probeStore(launcher, directory, budgetBytes);
    const trying = this.#probe;
    const found = await trying;
    if (found?.passes && this.#probe === trying) this.#probe = undefined;
    return found?.why;
  }

  /**
   * Starts recording a command; undefined where that is impossible: then the command runs without it. Never throws.
   * @param project the tree in Project mode, where files that others run are set aside
   */
  async keepCommand(command: string, cwd: string, project?: string): Promise<Keeping | undefined> {
    if ((await this.unavailable()) !== undefined) return undefined;
    await this.#recover();
    if (project !== undefined) this.#leftovers.prepare(project);
    const { budgetBytes, maxFileBytes, warn } = this.#options;
    try {
      const used = this.#makeRoom();
      const place = this.#open('command', command, cwd, {
        ...(project === undefined ? {} : { tree: project }),
        pid: process.pid,
      });
      const { number, directory } = place;
      this.#running.add(number);
      if (project !== undefined) this.#inProject.add(number);
      let empty = false;
      const end = () => {
        empty = this.#ended(place);
        if (empty) this.#inProject.delete(number);
      };
      const room = {
        directory,
        statusFile: join(directory, STATUS),
        budgetBytes: Math.max(0, budgetBytes - used),
        fileBytes: maxFileBytes,
        credentials: this.#options.credentials ?? false,
      };
      const left = async () => {
        try {
          return empty ? undefined : await this.#leftBy(number);
        } finally {
          this.#inProject.delete(number);
        }
      };
      const attempt = () => {
        const action = empty ? undefined : this.#records().find((each) => each.number === number);
        if (!action) return { whole: true };
        return { action: number, whole: action.state === 'ended' && action.complete && !this.#unexplained.has(number) };
      };
      const refusal = () => refusalIn(notesOf(directory), cwd);
      return { ...room, tree: project ?? cwd, refusal, end, drop: () => this.#neverBegun(place), left, attempt };
    } catch (error) {
      warn(`nothing is kept of this command: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
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
    this.#makeRoom();
    const { number, directory } = this.#open('patch', text, cwd);
    this.#running.add(number);
    const noted = await this.#launch('--undo', directory, '--note', file);
    if (noted.code !== 0) {
      this.#running.delete(number);
      dropRecord({ directory });
      throw new Error(noted.error || 'its old state could not be kept');
    }
    return {
      end: async (changed) => {
        if (changed) await this.#launch('--undo', directory, '--finish', '--now');
        else dropRecord({ directory });
        this.#running.delete(number);
        if (changed) await this.applied(number);
      },
    };
  }

  /** Whether a command in Project runs, or files that it left for others to run are not set aside yet. */
  get runsInProject(): boolean {
    return this.#inProject.size > 0;
  }

  async list(): Promise<readonly KeptAction[]> {
    await this.#recover();
    return this.#kept.list();
  }

  /** Returns the changes of a run; undefined if it made none that were recorded. */
  ofRun(run: string): RunChanges | undefined {
    const actions = this.#records().filter((action) => action.run === run && action.state === 'ended');
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
    const action = readRecord(this.#options.directory, number, this.#running);
    if (!action) return;
    this.#look(action);
    await this.#leftovers.learn(action);
  }

  /** Reads which files an action has changed. */
  #look(action: Recorded): void {
    const { run, directory, tree, cwd, notes } = action;
    const looking = (this.#looking ?? Promise.resolve()).then(async () => {
      const { code, steps } = await whenEnded(() => this.#launch('--undo', directory));
      const told = code === 0 || code === 1;
      if (told) writeSteps(directory, steps);
      const own = told ? new Net().add(directory, steps).files : undefined;
      const paths = own?.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
      const past = unkeptIn(notes, []).map(({ path }) => path);
      this.#options.changed?.([...(paths ?? [join(tree ?? cwd, 'files that can’t be told')]), ...past]);
      if (run !== undefined && told) {
        const net = (this.#changed?.run === run ? this.#changed.net : new Net()).add(directory, steps);
        this.#changed = { run, net, files: await countedFiles(net).catch(() => net.files) };
      }
      if (this.#looking === looking) this.#looking = undefined;
      this.#options.onChanged?.();
    });
    this.#looking = looking;
  }

  async preview(target: UndoTarget): Promise<UndoResult> {
    if ((await this.unavailable()) === undefined) await this.#recover();
    return this.#kept.preview(target);
  }

  async undo(target: UndoTarget, shown?: string): Promise<UndoResult> {
    if ((await this.unavailable()) === undefined) await this.#recover();
    return this.#kept.undo(target, shown);
  }

  /**
   * Undoes an action completely, or not at all; returns why not, in one line. Does nothing if it was undone already.
   */
  async takeBack(number: number): Promise<string | undefined> {
    const action = readRecord(this.#options.directory, number, this.#running);
    if (!action) return 'it is not kept any more';
    if (action.state === 'undone') return undefined;
    const { code, steps, error } = await whenEnded(() => this.#launch('--undo', action.directory));
    const stays = steps.find(({ verb }) => verb === 'refused');
    if (stays) return `${stays.path}: ${stays.source}`;
    if (code !== 0) return error || 'it can not be looked through';
    const { ok, text } = await this.undo(number);
    return ok ? undefined : text;
  }

  async forget(target: number | 'all'): Promise<UndoResult> {
    const result = await this.#kept.forget(target);
    if (numbersIn(this.#options.directory).every((number) => number === this.#empty.spare?.number))
      rmSync(join(this.#options.directory, 'equal'), { force: true });
    return result;
  }

  /** Returns a line for `doctor`. */
  async describe(): Promise<string> {
    const why = await this.unavailable();
    if (why !== undefined) return why;
    const { directory, budgetBytes } = this.#options;
    const used = Math.round(this.#used() / 1e6);
    const copies = sharesBlocks(directory) ? 'copies share their blocks' : 'no reflinks here, so copies take room';
    return `works; ${this.#records().length} actions, ${used} MB of ${Math.round(budgetBytes / 1e6)} MB; ${copies}`;
  }

  #records(): Recorded[] {
    const { directory } = this.#options;
    this.#empty.settle();
    return numbersIn(directory).flatMap((number) => {
      const action = readRecord(directory, number, this.#running) ?? [];
      return this.#unexplained.has(number) && 'notes' in action ? { ...action, complete: true } : action;
    });
  }

  #open(kind: KeptAction['kind'], text: string, cwd: string, more: Partial<Opening> = {}) {
    const { directory, session, now, hide, run } = this.#options;
    const group = kind === 'undo' ? undefined : run();
    if (kind !== 'command') this.#room = undefined;
    const opening = { kind, text: hide(text), cwd: hide(cwd), session, at: now(), ...more };
    const spare = this.#empty.take();
    return openRecord(directory, group === undefined ? opening : { ...opening, run: group }, undefined, spare);
  }

  #used(): number {
    return this.#records().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Makes room and returns the bytes then in use. It reads all records, so it does not run before each command; other
   * windows’ records are noticed a little later.
   */
  #makeRoom(): number {
    const { now, days, budgetBytes } = this.#options;
    const known = this.#room;
    if (known && known.used <= budgetBytes / 2 && Math.abs(now() - known.at) < ROOM_KNOWN_MS) return known.used;
    const { going, usedBytes: used } = whatGoes(this.#records(), { now: now(), days, budgetBytes });
    for (const action of going) dropRecord(action);
    this.#room = { used, at: now() };
    return used;
  }

  /** Handles the end of an action; returns whether it changed nothing, so that its record was dropped. */
  #ended(place: Place): boolean {
    const { directory, warn } = this.#options;
    this.#running.delete(place.number);
    // The usual case: nothing more is read, since the model’s next step waits.
    if (leftNothing(place)) {
      this.#empty.add(place);
      return true;
    }
    const action = readRecord(directory, place.number, this.#running);
    if (!action || action.state === 'cut') return false;
    const isUnkept = (note: string) => unkeptPaths([note]).length > 0;
    warnOf(
      action.notes.filter((note) => !isUnkept(note)),
      warn,
    );
    // The search for an explaining action continues after the result.
    if (action.notes.some(isUnkept)) this.#unexplained.set(action.number, new Set());
    if (this.#room) this.#room = { ...this.#room, used: this.#room.used + action.bytes };
    if (action.touched) this.#look(action);
    return false;
  }

  #neverBegun(place: Place): void {
    this.#running.delete(place.number);
    this.#inProject.delete(place.number);
    try {
      dropRecord(place);
    } catch {
      // The next program removes it.
    }
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

  async #leftBy(number: number): Promise<Leftover | undefined> {
    const { directory } = this.#options;
    const action = readRecord(directory, number, this.#running);
    if (action?.state !== 'ended') return undefined;
    await this.#explain(action);
    for (const [waiting, running] of this.#unexplained) {
      if (!running.delete(number) || running.size > 0) continue;
      const other = readRecord(directory, waiting, this.#running);
      if (other) await this.#explain(other);
    }
    const explained = readRecord(directory, number, this.#running) ?? action;
    return this.#leftovers.of(explained);
  }

  /**
   * Removes the unrecorded changes that other actions of the session explain; those that a running one may explain stay
   * open.
   */
  async #explain(action: Recorded, tell = true): Promise<void> {
    const { launcher, session, directory, warn } = this.#options;
    if (unkeptPaths(action.notes).length === 0) return;
    const beside = this.#records().filter(
      (other) => other.number !== action.number && other.session === session && endedAt(other) >= action.at,
    );
    const [running, ended] = [true, false].map((runs) => beside.filter(({ state }) => (state === 'running') === runs));
    const all = await explain(launcher, action, ended ?? []);
    if (!all && running?.length) {
      this.#unexplained.set(action.number, new Set(running.map(({ number }) => number)));
      return;
    }
    this.#unexplained.delete(action.number);
    const left = unkeptPaths(readRecord(directory, action.number, this.#running)?.notes ?? []);
    if (tell) {
      warnOf(
        left.map((path) => `unkept ${path}`),
        warn,
      );
    }
  }

  /** Finishes interrupted work. Call once, before anything else. */
  #recover(): Promise<void> {
    this.#recovered ??= this.#finishCut();
    return this.#recovered;
  }

  async #finishCut(): Promise<void> {
    tidyEmpty(this.#options.directory);
    const cut = new Set(this.#records().flatMap(({ number, state }) => (state === 'cut' ? [number] : [])));
    await this.#kept.recover();
    for (const action of this.#records()) if (cut.has(action.number)) this.#look(action);
    await this.#leftovers.catchUp();
    // Jobs that ended with the program.
    for (const action of this.#records())
      if (action.session === this.#options.session && action.state === 'ended') await this.#explain(action, false);
  }

  #drop(place: Pick<Place, 'directory'>): void {
    dropRecord(place);
    this.#room = undefined;
  }

  #launch(...args: readonly string[]): Promise<Ran> {
    return runLauncher(this.#options.launcher, args);
  }
}
