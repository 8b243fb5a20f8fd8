/**
 * The rules of undo for any machine: which actions are meant, in which order, and how an interrupted one is finished.
 */
import { join } from 'node:path';
import { namesOf, type UndoResult, type UndoTarget } from '../../contracts/undo.ts';
import { messageOf } from '../../text/errors.ts';
import { visible } from '../../text/sanitize.ts';
import type { StoreDisk } from './disk.ts';
import { NOT_RUN, type Ran, type Step } from './launcher.ts';
import { NOT_ENDED } from './names.ts';
import { describeSteps, previewOf, previewOfRun, undoneOf } from './preview.ts';
import type { Place, Recorded } from './record.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The name of a file beside an undone action, with the number of the undo. */
const UNDONE = 'undone';
/** The launcher’s message that it has no journal, so that nothing was begun. */
const NOT_BEGUN = /: No such file or directory$/;

/** The operations of the store that this module needs. */
export type KeptPort = {
  readonly session: string;
  readonly disk: StoreDisk;
  /** Returns why nothing can be recorded, in one line; undefined if it can. */
  unavailable(): Promise<string | undefined>;
  /** Returns all records in ascending order, or the one with this number. Rejects if they are unknown. */
  records(only?: number): Promise<readonly Recorded[]>;
  /** Creates the record for an undo of action `of`. Rejects if there is no room. */
  open(text: string, cwd: string, of: number): Promise<Place>;
  drop(place: Pick<Place, 'directory'>): Promise<unknown>;
  /** Returns the steps of an undo as the launcher listed them when the action had just ended, if they were saved. */
  steps(action: Recorded): readonly Step[] | undefined;
  /** Finishes another kind of interrupted work; returns false if the action is an ordinary one. */
  finish(action: Recorded): Promise<boolean>;
  /** Reports the files that an interrupted undo left alone when it was continued. */
  warn(text: string): void;
};

const OTHERS = 'something has changed since the preview: run it again without yes to see the changes now';

const BUSY = 'not done: it is still running, or another undo of it is under way';

/** Returns the ids of actions. Numbers are unique per machine, not across machines. */
const idOf = (actions: readonly Recorded[]) => actions.map(({ number, at }) => `${number} ${at}`).join();

export class Kept {
  readonly #port: KeptPort;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(port: KeptPort) {
    this.#port = port;
  }

  preview(target: UndoTarget): Promise<UndoResult> {
    return this.#inTurn(async () => {
      const found = await this.#find(target);
      if ('text' in found) return found;
      const { launch, read } = this.#port.disk;
      const parts = await Promise.all(
        found.actions.map(async (action) => ({
          ...{ action, ran: await launch('--undo', action.directory) },
          atEnd: this.#port.steps(action),
        })),
      );
      const [first, ...rest] = parts;
      if (!first) return { ok: false, text: 'nothing to undo' };
      const one = rest.length === 0;
      const text = await (one ? previewOf(first.action, first.ran, read) : previewOfRun(parts, read));
      return { ok: true, text, shown: idOf(found.actions) };
    });
  }

  undo(target: UndoTarget, shown?: string): Promise<UndoResult> {
    return this.#inTurn(async () => {
      const found = await this.#find(target);
      if ('text' in found) return found;
      if (shown !== undefined && shown !== idOf(found.actions)) return { ok: false, text: OTHERS };
      const lines: string[] = [];
      let ok = true;
      for (const action of found.actions) {
        const into = await this.#openUndo(action).catch(messageOf);
        if (typeof into === 'string') return { ok: false, text: [...lines, visible(into)].join('\n') };
        const ran = await this.putBack(action, into);
        if (ran.code === NOT_ENDED) {
          // Another window may be finishing this very action.
          const begun = await this.#port.disk.launch('--undo', into.directory, '--finish');
          if (begun.code > 1 && NOT_BEGUN.test(begun.error)) await this.#port.drop(into);
          return { ok: false, text: [...lines, BUSY].join('\n') };
        }
        ok &&= ran.code === 0;
        lines.push(...undoneOf(action, into.number, ran));
      }
      return { ok, text: lines.join('\n') };
    });
  }

  forget(target: number | 'all'): Promise<UndoResult> {
    return this.#inTurn(async () => {
      const meant = (await this.#port.records()).filter(({ number }) => target === 'all' || number === target);
      let gone = 0;
      for (const action of meant) {
        if (await this.runs(action)) continue;
        await this.#port.drop(action);
        gone += 1;
      }
      if (gone === 0) return { ok: false, text: target === 'all' ? 'nothing is kept' : `there is no action ${target}` };
      return { ok: true, text: gone === 1 ? 'forgotten' : `${gone} actions forgotten` };
    });
  }

  /**
   * Reverts a half-applied trial and removes its record. Returns undefined on success, otherwise what remains changed.
   */
  async rollBack(number: number): Promise<string | undefined> {
    const taken = await this.#takeBack(number).catch((error: unknown) => visible(messageOf(error)));
    return taken === NOT_ENDED ? undefined : taken;
  }

  async putBack(action: Recorded, into: Place): Promise<Ran> {
    const { launch, put, drop, directory } = this.#port.disk;
    const ran = await launch('--undo', action.directory, '--into', into.directory);
    try {
      if (ran.code === 0) await put(join(action.directory, UNDONE), `${into.number}\n`);
      if (ran.code <= 1 && action.of !== undefined) await drop(join(directory, String(action.of), UNDONE));
      return ran;
    } catch (error) {
      return { ...ran, code: NOT_RUN, error: messageOf(error), lost: true };
    }
  }

  /**
   * Returns whether a process of an action still runs, here or in another window. Closes the record of an interrupted
   * one.
   */
  async runs({ state, directory }: Recorded): Promise<boolean> {
    if (state !== 'cut') return state === 'running';
    return (await this.#port.disk.launch('--undo', directory, '--finish')).code === NOT_ENDED;
  }

  /**
   * Closes the journals of interrupted actions, and finishes interrupted undos. Returns false while a trial is being
   * applied, so that it must be done again.
   */
  async recover(): Promise<boolean> {
    let all = true;
    for (const action of (await this.#port.records()).filter(({ state }) => state === 'cut')) {
      if (await this.#port.finish(action)) continue;
      if (action.applied) {
        all &&= (await this.#takeBack(action.number)) !== NOT_ENDED;
        continue;
      }
      const target = (await this.#port.records()).find(({ number }) => number === action.of);
      if (target && target.state !== 'undone') await this.#goOn(target, action);
      await this.#close(action);
    }
    return all;
  }

  async #goOn(target: Recorded, into: Recorded): Promise<void> {
    const ran = await this.putBack(target, into);
    if (ran.code === 1)
      this.#port.warn(`an undo that was cut off went on\n${undoneOf(target, into.number, ran).join('\n')}`);
  }

  /** Closes the journal of an action. An undo without a journal did nothing, so its record is removed. */
  async #close(action: Recorded): Promise<void> {
    const { disk, drop } = this.#port;
    const ended = await disk.launch('--undo', action.directory, '--finish');
    if (action.of !== undefined && ended.code > 1 && NOT_BEGUN.test(ended.error)) await drop(action);
  }

  async #takeBack(number: number): Promise<string | undefined | typeof NOT_ENDED> {
    const { records, drop, disk } = this.#port;
    const [action] = await records(number);
    if (!action) return undefined;
    const into = await this.#openUndo(action);
    const ran = await disk.launch('--undo', action.directory, '--into', into.directory);
    if (ran.code === 0 || ran.code === NOT_ENDED) await drop(into);
    if (ran.code === 0) await drop(action);
    if (ran.code === 0) return undefined;
    if (ran.code === NOT_ENDED) return NOT_ENDED;
    return describeSteps(ran.steps.filter(({ verb }) => verb === 'refused')) || visible(ran.error);
  }

  #openUndo({ number, text, cwd }: Recorded): Promise<Place> {
    return this.#port.open(`undo of ${number}: ${text}`, cwd, number);
  }

  /** Returns the actions that are meant, newest first; or why there are none. */
  async #find(target: UndoTarget): Promise<Meant> {
    const why = await this.#port.unavailable();
    if (why !== undefined) return { ok: false, text: why };
    const meant = meantBy(target, (await this.#port.records()).toReversed(), this.#port.session);
    if ('text' in meant) return meant;
    const running = await Promise.all(meant.actions.map((action) => this.runs(action)));
    if (running.includes(true))
      return { ok: false, text: 'it has not ended yet; undo opens when its last process has' };
    if (meant.actions.some(({ state }) => state === 'undone')) return { ok: false, text: 'it is undone already' };
    return meant;
  }

  /** Runs the work after all earlier work. Never rejects: the result says what failed. */
  #inTurn(work: () => Promise<UndoResult>): Promise<UndoResult> {
    const result = this.#queue
      .then(work)
      .catch((error: unknown) => ({ ok: false, text: `not done: ${visible(messageOf(error))}` }));
    this.#queue = result;
    return result;
  }
}

/**
 * Returns the actions to remove for room: those that are too old, then the oldest until half of the budget is free, so
 * that no command starts with a full store. An interrupted one may be running in another window.
 */
export function whatGoes(
  records: readonly Recorded[],
  { now, days, budgetBytes }: { readonly now: number; readonly days: number; readonly budgetBytes: number },
): { readonly going: readonly Recorded[]; readonly usedBytes: number } {
  let usedBytes = records.reduce((sum, { bytes }) => sum + bytes, 0);
  const going: Recorded[] = [];
  for (const action of records) {
    const old = now - action.at > days * DAY_MS;
    if (action.state === 'running' || (!old && (usedBytes <= budgetBytes / 2 || action.state === 'cut'))) continue;
    usedBytes -= action.bytes;
    going.push(action);
  }
  return { going, usedBytes };
}

type Meant = { readonly actions: readonly Recorded[] } | UndoResult;

/** Returns the meant actions of `all`, newest first; or why there are none. */
function meantBy(target: UndoTarget, all: readonly Recorded[], session: string): Meant {
  if (typeof target === 'number') {
    const actions = all.filter(({ number }) => number === target);
    return actions.length > 0
      ? { actions }
      : { ok: false, text: `there is no action ${target}; :undo list shows them` };
  }
  if (isList(target)) {
    const actions = all.filter(({ number }) => target.includes(number));
    return actions.length > 0 ? { actions } : { ok: false, text: 'nothing of it is kept' };
  }
  const open = all.filter(({ kind, state }) => kind !== 'undo' && state !== 'undone');
  const own = open.filter((action) => action.session === session);
  const [last] = own;
  if (target === 'last') return last ? { actions: [last] } : { ok: false, text: 'nothing to undo' };
  const run = target === 'run' ? own.find((action) => action.run !== undefined)?.run : target.run;
  const actions = open.filter((action) => run !== undefined && action.run === run);
  return actions.length > 0 ? { actions } : { ok: false, text: 'no run to undo' };
}

function isList(target: UndoTarget): target is readonly number[] {
  return Array.isArray(target);
}

/**
 * Returns the paths that a command was not allowed to change, each once, in words for the model; undefined if there are
 * none.
 */
export function refusalIn(notes: readonly string[], cwd: string): string | undefined {
  const said = notes.filter((note) => note.startsWith('protected ')).map((note) => note.slice('protected '.length));
  if (said.length === 0) return undefined;
  const names = namesOf([...new Set(said)], cwd);
  return `not changed: ${names} (no copy of keys and passwords is kept; a command that names the file asks the user)`;
}

/** Reports the changes of an action that were not recorded, and those that were blocked for that reason. */
export function warnOf(notes: readonly string[], warn: (text: string) => void): void {
  const of = (word: string) =>
    notes.filter((note) => note.startsWith(`${word} `)).map((note) => note.slice(word.length + 1));
  const named = (paths: readonly string[]) =>
    `${paths.slice(0, 3).map(visible).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`;
  const [full, refused, unkept, skipped] = [of('full'), of('refused'), of('unkept'), of('skipped')];
  const [secret, guarded] = [of('secret'), of('protected')];
  if (secret.length > 0) warn(`keys or passwords, and not kept (undo.credentials keeps them): ${named(secret)}`);
  if (guarded.length > 0)
    warn(`not changed, since no copy of keys and passwords is kept: ${named([...new Set(guarded)])}`);
  if (skipped.length > 0) warn(`shredded on purpose, and not kept: ${named(skipped)}`);
  if (full.length > 0)
    warn(
      `no room to keep ${named(full)}: the command was told that the disk is full. :undo forget all makes room; undo.budget and undo.max_file set it`,
    );
  const outside = of('outside');
  if (outside.length > 0)
    warn(
      `not written: it has a hard link outside the project: ${named(outside)}. Use Unrestricted mode, or replace it by a copy`,
    );
  if (refused.length > 0) warn(`refused, since the old state could not be kept: ${named(refused)}`);
  if (unkept.length > 0)
    warn(`changed while the command ran, by it or by somebody else, and not kept: ${named(unkept)}`);
}
