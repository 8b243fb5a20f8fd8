/** The change store on a host: what it keeps lies there, and is worked on by the launcher there; which and when is decided here. */
import type { Leftover } from '../../contracts/commands.ts';
import type { KeptAction, UndoPort, UndoResult, UndoTarget } from '../../contracts/undo.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { FarLeftovers } from './far-leftovers.ts';
import { type AskFar, farRecords, HOLDS, openFar, readFarText, removeFar, writeFar } from './far-records.ts';
import { Kept, whatGoes } from './kept.ts';
import type { Ran } from './launcher.ts';
import { ACTION, type Opening, type Recorded } from './record.ts';
import type { Keeping } from './store.ts';
import { warnOf } from './warnings.ts';

export type FarStoreOptions = {
  readonly host: string;
  /** The directory of all actions, there. */
  readonly directory: string;
  readonly ask: AskFar;
  /** The same for what may take its time. */
  readonly work: AskFar;
  /** The launcher's work there, which may take its time; with what it says where it is not what was sent. Never rejects. */
  readonly launch: (args: readonly string[]) => Promise<Ran>;
  /** Whether it works there: why not, in a line. */
  readonly probe: () => Promise<string | undefined>;
  /** Bytes of all that is kept there; 0 keeps nothing. */
  readonly budgetBytes: number;
  readonly maxFileBytes: number;
  readonly credentials?: boolean;
  readonly days: number;
  readonly session: string;
  readonly run: () => string | undefined;
  readonly now: () => number;
  readonly hide: (text: string) => string;
  readonly warn: (text: string) => void;
};

type KeepingFar = Omit<Keeping, 'left' | 'end' | 'drop'> & {
  /** To be called once its last process has ended, or it is known that it never ran: what it left that the user decides on. Never rejects. */
  end(began: boolean): Promise<Leftover | undefined>;
};

export class FarStore implements UndoPort {
  readonly #options: FarStoreOptions;
  readonly #running = new Set<number>();
  /** What is about to be removed, since nothing ran. */
  readonly #neverBegan = new Set<number>();
  #probe: Promise<string | undefined> | undefined;
  readonly #kept: Kept;
  readonly #leftovers: FarLeftovers;
  #caughtUp: Promise<void> | undefined;

  constructor(options: FarStoreOptions) {
    this.#options = options;
    const { host, ask, directory, session, launch } = options;
    this.#kept = new Kept({
      session,
      unavailable: () => this.unavailable(),
      records: () => this.#records(),
      open: (text, cwd, of) => this.#open('undo', text, cwd, { of }),
      drop: (place) => this.#remove(place.directory),
      launch: (...args) => launch(args),
      markUndone: (action, by) => ask(writeFar(`${action.directory}/undone`, `${by}\n`)),
      unmarkUndone: (number) => ask(`rm -f ${shellQuote(`${directory}/${number}/undone`)}`),
      read: (path) => readFarText(ask, path),
      warn: options.warn,
      noPlace: `${host} did not make a place for what is replaced`,
    });
    this.#leftovers = new FarLeftovers({
      ...{ host, ask, directory },
      hide: options.hide,
      warn: options.warn,
      launch: (...args) => launch(args),
      find: async (number) => (await this.#records(number))[0],
      open: (text, cwd, of) => this.#open('undo', text, cwd, of === undefined ? {} : { of }),
      putBack: async (action, into) => (await this.#kept.putBack(action, into)).code === 0,
    });
  }

  unavailable(): Promise<string | undefined> {
    const { budgetBytes, probe } = this.#options;
    this.#probe ??= budgetBytes === 0 ? Promise.resolve('nothing is kept: undo.budget is 0') : probe();
    return this.#probe;
  }

  /**
   * Undefined where nothing can be kept. Never rejects.
   * @param tree where what passed by is looked for at the end, there
   * @param project it is a project's: what is made in it for others to run is set aside
   */
  async keepCommand(command: string, place: string, tree: string, project = false): Promise<KeepingFar | undefined> {
    if ((await this.unavailable()) !== undefined) return undefined;
    await this.recover();
    const { budgetBytes, maxFileBytes, credentials = false, warn, host } = this.#options;
    const used = await this.#makeRoom();
    const opened =
      used === undefined ? undefined : await this.#open('command', command, place, project ? { tree } : {});
    if (!opened || used === undefined) {
      warn(`nothing is kept of this command: ${host} did not make a place for it`);
      return undefined;
    }
    const { number, directory } = opened;
    this.#running.add(number);
    const room = { budgetBytes: Math.max(0, budgetBytes - used), fileBytes: maxFileBytes, credentials };
    return { ...room, directory, tree, end: (began) => this.#ended(number, began) };
  }

  /** What a lost connection or a crash cut off is ended, finished, or set aside. Never rejects. */
  async recover(): Promise<void> {
    await this.#kept.recover();
    this.#caughtUp ??= this.#catchUp().then((all) => {
      if (!all) this.#caughtUp = undefined;
    });
    await this.#caughtUp;
  }

  list(): Promise<readonly KeptAction[]> {
    return this.#kept.list();
  }

  preview(target: UndoTarget): Promise<UndoResult> {
    return this.#kept.preview(target);
  }

  undo(target: UndoTarget, shown?: string): Promise<UndoResult> {
    return this.#kept.undo(target, shown);
  }

  forget(target: number | 'all'): Promise<UndoResult> {
    return this.#kept.forget(target);
  }

  /** Takes back what a trial had applied halfway, and forgets it; undefined: all is as before, else what is not. */
  rollBack(number: number): Promise<string | undefined> {
    return this.#kept.rollBack(number);
  }

  /** False: a command in Project is still there, and is to be looked at later. */
  async #catchUp(): Promise<boolean> {
    let all = true;
    for (const action of await this.#records())
      if (action.tree !== undefined && action.state === 'cut') all = !(await this.#kept.runs(action)) && all;
    await this.#leftovers.catchUp(await this.#records());
    return all;
  }

  async #records(only?: number): Promise<readonly Recorded[]> {
    const { ask, directory } = this.#options;
    const records = (await farRecords(ask, directory, this.#running, only)) ?? [];
    return records.filter(({ number }) => !this.#neverBegan.has(number));
  }

  #open(kind: KeptAction['kind'], text: string, cwd: string, more: Partial<Opening> = {}) {
    const { ask, directory, session, now, hide, run } = this.#options;
    const group = kind === 'undo' ? undefined : run();
    const opening = { kind, text: hide(text), cwd: hide(cwd), session, at: now(), ...more };
    return openFar(ask, directory, group === undefined ? opening : { ...opening, run: group }, ACTION, HOLDS);
  }

  /** Bytes in use behind it; undefined: no answer. */
  async #makeRoom(): Promise<number | undefined> {
    const { now, days, budgetBytes, ask, directory } = this.#options;
    const records = await farRecords(ask, directory, this.#running);
    if (!records) return undefined;
    const { going, usedBytes } = whatGoes(records, { now: now(), days, budgetBytes });
    for (const action of going) await this.#remove(action.directory);
    return usedBytes;
  }

  async #ended(number: number, began: boolean): Promise<Leftover | undefined> {
    const { directory, warn } = this.#options;
    this.#running.delete(number);
    if (!began) {
      this.#neverBegan.add(number);
      await this.#remove(`${directory}/${number}`);
      return undefined;
    }
    let [action] = await this.#records(number);
    // The launcher was killed: its journal is ended in its place.
    if (action?.tree !== undefined && action.state === 'cut' && !(await this.#kept.runs(action)))
      [action] = await this.#records(number);
    if (!action || action.state === 'cut') return undefined;
    warnOf(action.notes, warn);
    if (action.notes.length > 0 || action.touched) return this.#leftovers.of(action);
    await this.#remove(action.directory);
    return undefined;
  }

  #remove(directory: string) {
    return this.#options.work(removeFar(directory));
  }
}
