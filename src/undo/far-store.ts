/** The change store on a host: what it keeps lies there, and is worked on by the launcher there; which and when is decided here. */
import type { KeptAction, UndoPort, UndoResult, UndoTarget } from '../contracts/undo.ts';
import { visible } from '../text/sanitize.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { type AskFar, farRecords, openFar, readFarText, removeFar, writeFar } from './far-records.ts';
import type { Ran } from './launcher.ts';
import { type Meant, meantBy } from './meant.ts';
import { describeSteps, previewOf, undoneOf } from './preview.ts';
import type { Opening, Recorded } from './record.ts';
import type { Keeping } from './store.ts';
import { warnOf } from './warnings.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOT_ENDED = 75;

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

type KeepingFar = Omit<Keeping, 'left' | 'end'> & {
  /** To be called once its last process has ended, or it is known that it never ran. */
  end(began: boolean): void;
};

export class FarStore implements UndoPort {
  readonly #options: FarStoreOptions;
  readonly #running = new Set<number>();
  #probe: Promise<string | undefined> | undefined;
  #recovered: Promise<void> | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: FarStoreOptions) {
    this.#options = options;
  }

  unavailable(): Promise<string | undefined> {
    const { budgetBytes, probe } = this.#options;
    this.#probe ??= budgetBytes === 0 ? Promise.resolve('nothing is kept: undo.budget is 0') : probe();
    return this.#probe;
  }

  /** Undefined where nothing can be kept. Never rejects. @param tree where what passed by is looked for at the end, there */
  async keepCommand(command: string, place: string, tree: string): Promise<KeepingFar | undefined> {
    if ((await this.unavailable()) !== undefined) return undefined;
    await this.#recover();
    const { budgetBytes, maxFileBytes, credentials = false, warn, host } = this.#options;
    const used = await this.#makeRoom();
    const opened = used === undefined ? undefined : await this.#open('command', command, place);
    if (!opened || used === undefined) {
      warn(`nothing is kept of this command: ${host} did not make a place for it`);
      return undefined;
    }
    const { number, directory } = opened;
    this.#running.add(number);
    const room = { budgetBytes: Math.max(0, budgetBytes - used), fileBytes: maxFileBytes, credentials };
    return { ...room, directory, tree, end: (began) => void this.#ended(number, began) };
  }

  async list(): Promise<readonly KeptAction[]> {
    await this.#recover();
    return (await this.#records()).toReversed();
  }

  async preview(target: UndoTarget): Promise<UndoResult> {
    const found = await this.#find(target);
    if ('text' in found) return found;
    const parts: string[] = [];
    for (const action of found.actions)
      parts.push(
        await previewOf(action, await this.#launch('--undo', action.directory), (path) =>
          readFarText(this.#options.ask, path),
        ),
      );
    return { ok: true, text: parts.join('\n') };
  }

  undo(target: UndoTarget): Promise<UndoResult> {
    return this.#inTurn(() => this.#undo(target));
  }

  forget(target: number | 'all'): Promise<UndoResult> {
    return this.#inTurn(() => this.#forget(target));
  }

  async #undo(target: UndoTarget): Promise<UndoResult> {
    const found = await this.#find(target);
    if ('text' in found) return found;
    const lines: string[] = [];
    let ok = true;
    for (const action of found.actions) {
      const text = `undo of ${action.number}: ${action.text}`;
      const into = await this.#open('undo', text, action.cwd, { of: action.number });
      if (!into) return { ok: false, text: `${this.#options.host} did not make a place for what is replaced` };
      const ran = await this.#putBack(action, into.number);
      ok &&= ran.code === 0;
      lines.push(...undoneOf(action, into.number, ran));
    }
    return { ok, text: lines.join('\n') };
  }

  async #forget(target: number | 'all'): Promise<UndoResult> {
    const meant = (await this.#records()).filter(({ number }) => target === 'all' || number === target);
    let gone = 0;
    for (const action of meant) {
      if (await this.#runs(action)) continue;
      await this.#remove(action.directory);
      gone += 1;
    }
    if (gone === 0) return { ok: false, text: target === 'all' ? 'nothing is kept' : `there is no action ${target}` };
    return { ok: true, text: gone === 1 ? 'forgotten' : `${gone} actions forgotten` };
  }

  /** Takes back what a trial had applied halfway, and forgets it; undefined: all is as before, else what is not. */
  async rollBack(number: number): Promise<string | undefined> {
    const action = (await this.#records()).find((found) => found.number === number);
    if (!action) return undefined;
    const into = await this.#open('undo', `undo of ${number}: ${action.text}`, action.cwd, { of: number });
    if (!into) return `${this.#options.host} does not answer`;
    const ran = await this.#launch('--undo', action.directory, '--into', into.directory);
    const done = ran.code === 0 || ran.code === NOT_ENDED;
    if (done) await this.#remove(into.directory);
    if (ran.code === 0) await this.#remove(action.directory);
    return done ? undefined : describeSteps(ran.steps.filter(({ verb }) => verb === 'refused')) || visible(ran.error);
  }

  async #records(): Promise<readonly Recorded[]> {
    const { ask, directory } = this.#options;
    return (await farRecords(ask, directory, this.#running)) ?? [];
  }

  #open(kind: KeptAction['kind'], text: string, cwd: string, more: Partial<Opening> = {}) {
    const { ask, directory, session, now, hide, run } = this.#options;
    const group = kind === 'undo' ? undefined : run();
    const opening = { kind, text: hide(text), cwd: hide(cwd), session, at: now(), ...more };
    return openFar(ask, directory, group === undefined ? opening : { ...opening, run: group });
  }

  /** What is too old goes, then the oldest, until half of the room is free. Bytes in use; undefined: no answer. */
  async #makeRoom(): Promise<number | undefined> {
    const { now, days, budgetBytes, ask, directory } = this.#options;
    const records = await farRecords(ask, directory, this.#running);
    if (!records) return undefined;
    let used = records.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const action of records) {
      const old = now() - action.at > days * DAY_MS;
      if (action.state === 'running' || (!old && (used <= budgetBytes / 2 || action.state === 'cut'))) continue;
      used -= action.bytes;
      await this.#remove(action.directory);
    }
    return used;
  }

  async #ended(number: number, began: boolean): Promise<void> {
    const { ask, directory, warn } = this.#options;
    this.#running.delete(number);
    if (!began) return void (await this.#remove(`${directory}/${number}`));
    const [action] = (await farRecords(ask, directory, this.#running, number)) ?? [];
    if (!action || action.state === 'cut') return;
    warnOf(action.notes, warn);
    if (action.notes.length === 0 && !action.touched) await this.#remove(action.directory);
  }

  async #find(target: UndoTarget): Promise<Meant> {
    const why = await this.unavailable();
    if (why !== undefined) return { ok: false, text: why };
    await this.#recover();
    const meant = meantBy(target, (await this.#records()).toReversed(), this.#options.session);
    if ('text' in meant) return meant;
    for (const action of meant.actions)
      if (await this.#runs(action))
        return { ok: false, text: 'it has not ended yet; undo opens when its last process has' };
    if (meant.actions.some(({ state }) => state === 'undone')) return { ok: false, text: 'it is undone already' };
    return meant;
  }

  async #putBack(action: Recorded, into: number): Promise<Ran> {
    const { ask, directory } = this.#options;
    const ran = await this.#launch('--undo', action.directory, '--into', `${directory}/${into}`);
    if (ran.code === 0) await ask(writeFar(`${action.directory}/undone`, `${into}\n`));
    if (ran.code <= 1 && action.of !== undefined) await ask(`rm -f ${shellQuote(`${directory}/${action.of}/undone`)}`);
    return ran;
  }

  #recover(): Promise<void> {
    this.#recovered ??= this.#finishCut();
    return this.#recovered;
  }

  /** What a lost connection or a crash cut off: journals are ended, and an undo that was begun is finished. */
  async #finishCut(): Promise<void> {
    const all = await this.#records();
    for (const action of all.filter(({ state }) => state === 'cut')) {
      if (action.applied) {
        await this.rollBack(action.number);
        continue;
      }
      const target = all.find(({ number }) => number === action.of);
      if (target && target.state !== 'undone') await this.#putBack(target, action.number);
      else await this.#runs(action);
    }
  }

  /** Whether a process of it is still there. One that was cut is ended on the way. */
  async #runs({ state, directory }: Recorded): Promise<boolean> {
    if (state !== 'cut') return state === 'running';
    return (await this.#launch('--undo', directory, '--finish')).code === NOT_ENDED;
  }

  #remove(directory: string) {
    return this.#options.work(removeFar(directory));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #launch(...args: readonly string[]): Promise<Ran> {
    return this.#options.launch(args);
  }
}
