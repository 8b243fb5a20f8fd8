/** The change store (EF-1 … EF-3): what was kept of each action, budgets, and the way back. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LeftBehind, Leftover } from '../contracts/commands.ts';
import { type KeptAction, summaryOf, type UndoPort, type UndoResult, type UndoTarget } from '../contracts/undo.ts';
import { visible } from '../text/sanitize.ts';
import { type Ran, runLauncher } from './launcher.ts';
import { Leftovers } from './leftovers.ts';
import { type Meant, meantBy } from './meant.ts';
import { describeSteps, previewOf, undoneOf } from './preview.ts';
import { probeStore, sharesBlocks } from './probe.ts';
import {
  dropEmpty,
  dropRecord,
  emptyRecord,
  markUndone,
  numbersIn,
  type Opening,
  openRecord,
  type Place,
  type Recorded,
  readRecord,
  tidyEmpty,
  unmarkUndone,
} from './record.ts';
import { warnOf } from './warnings.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOT_ENDED = 75;
/** How long the bytes in use are taken for what they were. */
const ROOM_KNOWN_MS = 30_000;

export type ChangeStoreOptions = {
  /** The launcher's program. */
  readonly launcher: string;
  /** The private directory of all actions of this user, outside what is worked on. */
  readonly directory: string;
  /** Bytes of all that is kept; 0 keeps nothing. */
  readonly budgetBytes: number;
  /** Bytes of one file where the file system can't share its blocks with a copy. */
  readonly maxFileBytes: number;
  /** Keys and passwords are kept as well. */
  readonly credentials?: boolean;
  readonly days: number;
  readonly session: string;
  /** The Norris run under way. */
  readonly run: () => string | undefined;
  readonly now: () => number;
  /** A text as it may stand on the disk: without secrets. */
  readonly hide: (text: string) => string;
  /** Tells the user what passed by the store. */
  readonly warn: (text: string) => void;
};

/** What a kept command is started with, and how its end is told. */
export type Keeping = {
  readonly directory: string;
  /** Changes below it that passed by are looked for at the end. */
  readonly tree: string;
  readonly budgetBytes: number;
  readonly fileBytes: number;
  readonly credentials: boolean;
  /** To be called once its last process has ended. Never throws. */
  end(): void;
  /** Behind it, once: what the action left that the user decides on. Never rejects. */
  left(): Promise<Leftover | undefined>;
};

export class ChangeStore implements UndoPort {
  readonly #options: ChangeStoreOptions;
  readonly #running = new Set<number>();
  readonly #leftovers: Leftovers;
  #probe: Promise<string | undefined> | undefined;
  #recovered: Promise<void> | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** An empty directory for the next action. */
  #spare: Place | undefined;
  /** Bytes in use, as of when. */
  #room: { readonly used: number; readonly at: number } | undefined;

  constructor(options: ChangeStoreOptions) {
    this.#options = options;
    const { session, launcher, maxFileBytes, warn, hide } = options;
    this.#leftovers = new Leftovers({
      ...{ session, launcher, maxFileBytes, warn, hide },
      records: () => this.#records(),
      find: (number) => readRecord(options.directory, number, this.#running),
      launch: (...args) => this.#launch(...args),
      open: (text, cwd, of) => this.#open('undo', text, cwd, of === undefined ? {} : { of }),
      putBack: async (action, into) => (await this.#putBack(action, into)).code === 0,
      drop: async (action) => {
        if (!(await this.#runs(action))) dropRecord(action);
        this.#room = undefined;
      },
    });
  }

  /** Found by trying, once: a file is made under supervision, and its making is found in the journal. */
  unavailable(): Promise<string | undefined> {
    const { launcher, directory, budgetBytes } = this.#options;
    this.#probe ??= probeStore(launcher, directory, budgetBytes);
    return this.#probe;
  }

  /**
   * Undefined where nothing can be kept: then the command runs as it would without the store. Never throws.
   * @param project the tree in Project mode: what is made in it for others to run is set aside
   */
  async keepCommand(command: string, cwd: string, project?: string): Promise<Keeping | undefined> {
    if ((await this.unavailable()) !== undefined) return undefined;
    await this.#recover();
    const { budgetBytes, maxFileBytes, warn } = this.#options;
    try {
      const used = this.#makeRoom();
      const { number, directory } = this.#open('command', command, cwd, {
        ...(project === undefined ? {} : { tree: project }),
        pid: process.pid,
      });
      this.#running.add(number);
      const left = Math.max(0, budgetBytes - used);
      let empty = false;
      const end = () => {
        empty = this.#ended(number);
      };
      const room = {
        directory,
        budgetBytes: left,
        fileBytes: maxFileBytes,
        credentials: this.#options.credentials ?? false,
      };
      return { ...room, tree: project ?? cwd, end, left: async () => (empty ? undefined : this.#leftBy(number)) };
    } catch (error) {
      warn(`nothing is kept of this command: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /**
   * Keeps what `file` (absolute, behind all links) is, for a change that this program makes itself. Resolves to how its end is
   * told; undefined where nothing can be kept.
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
        if (changed) await this.#launch('--undo', directory, '--finish');
        else dropRecord({ directory });
        this.#running.delete(number);
      },
    };
  }

  async list(): Promise<readonly KeptAction[]> {
    await this.#recover();
    return this.#records().reverse();
  }

  /** What a run has changed, in a line; undefined where it changed nothing that is kept. */
  ofRun(run: string): string | undefined {
    const actions = this.#records().filter((action) => action.run === run && action.state === 'ended');
    return actions.length === 0 ? undefined : summaryOf(actions);
  }

  preview(target: UndoTarget): Promise<UndoResult> {
    return this.#inTurn(async () => {
      const found = await this.#find(target);
      if ('text' in found) return found;
      const parts = await Promise.all(
        found.actions.map(async (action) => previewOf(action, await this.#launch('--undo', action.directory))),
      );
      return { ok: true, text: parts.join('\n') };
    });
  }

  undo(target: UndoTarget): Promise<UndoResult> {
    return this.#inTurn(async () => {
      const found = await this.#find(target);
      if ('text' in found) return found;
      const lines: string[] = [];
      let ok = true;
      for (const action of found.actions) {
        const { number } = this.#open('undo', `undo of ${action.number}: ${action.text}`, action.cwd, {
          of: action.number,
        });
        const ran = await this.#putBack(action, number);
        ok &&= ran.code === 0;
        lines.push(...undoneOf(action, number, ran));
      }
      return { ok, text: lines.join('\n') };
    });
  }

  forget(target: number | 'all'): Promise<UndoResult> {
    return this.#inTurn(async () => {
      const meant = this.#records().filter(({ number }) => target === 'all' || number === target);
      const gone: Recorded[] = [];
      for (const action of meant) if (!(await this.#runs(action))) gone.push(action);
      if (gone.length === 0)
        return { ok: false, text: target === 'all' ? 'nothing is kept' : `there is no action ${target}` };
      for (const action of gone) dropRecord(action);
      this.#room = undefined;
      if (numbersIn(this.#options.directory).every((number) => number === this.#spare?.number))
        rmSync(join(this.#options.directory, 'equal'), { force: true });
      return { ok: true, text: gone.length === 1 ? 'forgotten' : `${gone.length} actions forgotten` };
    });
  }

  /** A line for `doctor`. */
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
    return numbersIn(directory).flatMap((number) => readRecord(directory, number, this.#running) ?? []);
  }

  #open(kind: KeptAction['kind'], text: string, cwd: string, more: Partial<Opening> = {}) {
    const { directory, session, now, hide, run } = this.#options;
    const group = kind === 'undo' ? undefined : run();
    if (kind !== 'command') this.#room = undefined;
    const opening = { kind, text: hide(text), cwd: hide(cwd), session, at: now(), ...more };
    const spare = this.#spare;
    this.#spare = undefined;
    return openRecord(directory, group === undefined ? opening : { ...opening, run: group }, undefined, spare);
  }

  #used(): number {
    return this.#records().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * What is too old goes, then the oldest, until half of the room is free: no command begins with a full store. Returns the
   * bytes that are in use. All records are read for it, so not before each command: what other windows keep meanwhile is
   * seen a little later.
   */
  #makeRoom(): number {
    const { now, days, budgetBytes } = this.#options;
    const known = this.#room;
    if (known && known.used <= budgetBytes / 2 && Math.abs(now() - known.at) < ROOM_KNOWN_MS) return known.used;
    let used = this.#used();
    for (const action of this.#records()) {
      const old = now() - action.at > days * DAY_MS;
      // One that was cut may be running in another window.
      if (action.state === 'running' || (!old && (used <= budgetBytes / 2 || action.state === 'cut'))) continue;
      used -= action.bytes;
      dropRecord(action);
    }
    this.#room = { used, at: now() };
    return used;
  }

  /** Whether it left nothing, so that there is no record of it any more. */
  #ended(number: number): boolean {
    const { directory, warn } = this.#options;
    this.#running.delete(number);
    const action = readRecord(directory, number, this.#running);
    if (!action || action.state === 'cut') return false;
    warnOf(action.notes, warn);
    if (this.#room) this.#room = { ...this.#room, used: this.#room.used + action.bytes };
    if (action.notes.length > 0 || action.touched) return false;
    if (emptyRecord(action)) this.#keepSpare(action);
    return true;
  }

  /** Most commands change nothing: making and removing a directory for each costs more than all else that is written. */
  #keepSpare({ number, directory }: Place): void {
    if (this.#spare) dropEmpty(this.#spare.directory);
    this.#spare = { number, directory };
  }

  /** Takes back what a trial had applied halfway, and forgets it; undefined: all is as before, else what is not. */
  async rollBack(number: number): Promise<string | undefined> {
    const action = this.#records().find((found) => found.number === number);
    if (!action) return undefined;
    const into = this.#open('undo', `undo of ${number}: ${action.text}`, action.cwd, { of: number });
    const ran = await this.#launch('--undo', action.directory, '--into', into.directory);
    if (ran.code === 0 || ran.code === NOT_ENDED) dropRecord(into);
    if (ran.code === 0) dropRecord(action);
    if (ran.code === 0 || ran.code === NOT_ENDED) return undefined;
    return describeSteps(ran.steps.filter(({ verb }) => verb === 'refused')) || visible(ran.error);
  }

  /** Whether an action of this session made this, no directory, and nobody has touched it since. */
  madeHere(path: string): Promise<boolean> {
    return this.#leftovers.made(path);
  }

  /** What earlier programs of this session have asked of the user in vain. Never rejects. */
  async waiting(): Promise<readonly LeftBehind[]> {
    if ((await this.unavailable()) !== undefined) return [];
    await this.#recover();
    return this.#leftovers.waiting();
  }

  async #leftBy(number: number): Promise<Leftover | undefined> {
    const action = readRecord(this.#options.directory, number, this.#running);
    return action?.state === 'ended' ? this.#leftovers.of(action) : undefined;
  }

  /** Which actions are meant, newest first; or why there are none. */
  async #find(target: UndoTarget): Promise<Meant> {
    const why = await this.unavailable();
    if (why !== undefined) return { ok: false, text: why };
    await this.#recover();
    const all = this.#records().reverse();
    const meant = meantBy(target, all, this.#options.session);
    if ('text' in meant) return meant;
    const { actions } = meant;
    const running = await Promise.all(actions.map((action) => this.#runs(action)));
    if (running.includes(true))
      return { ok: false, text: 'it has not ended yet; undo opens when its last process has' };
    if (actions.some(({ state }) => state === 'undone')) return { ok: false, text: 'it is undone already' };
    return { actions };
  }

  async #putBack(action: Recorded, into: number): Promise<Ran> {
    const { directory } = this.#options;
    const ran = await this.#launch('--undo', action.directory, '--into', join(directory, String(into)));
    if (ran.code === 0 || ran.code === 1) {
      if (ran.code === 0) markUndone(directory, action.number, into);
      if (action.of !== undefined) unmarkUndone(directory, action.of);
    }
    return ran;
  }

  /** What a crash cut off: journals are ended, and an undo that was begun is finished. */
  #recover(): Promise<void> {
    this.#recovered ??= this.#finishCut();
    return this.#recovered;
  }

  async #finishCut(): Promise<void> {
    tidyEmpty(this.#options.directory);
    for (const action of this.#records().filter(({ state }) => state === 'cut')) {
      if (await this.#leftovers.finish(action)) continue;
      if (action.applied) {
        await this.rollBack(action.number);
        continue;
      }
      const target = action.of === undefined ? undefined : this.#records().find(({ number }) => number === action.of);
      if (target && target.state !== 'undone') {
        await this.#putBack(target, action.number);
        continue;
      }
      await this.#runs(action);
    }
    await this.#leftovers.catchUp();
  }

  /** Whether a process of it is still there, here or in another window. One that was cut is ended on the way. */
  async #runs({ state, directory }: Recorded): Promise<boolean> {
    if (state !== 'cut') return state === 'running';
    return (await this.#launch('--undo', directory, '--finish')).code === NOT_ENDED;
  }

  #launch(...args: readonly string[]): Promise<Ran> {
    return runLauncher(this.#options.launcher, args);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
