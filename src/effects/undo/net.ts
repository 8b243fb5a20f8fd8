/** Computes the net change of several actions, each path once, from the undo steps of each action. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ChangedFile } from '../../contracts/undo.ts';
import type { Step } from './launcher.ts';
import { bytesOfText, textOfBytes } from './paths.ts';

/** A change of a path over all actions. A change of mode or time alone is `mode`. */
export type NetChange = Omit<ChangedFile, 'how'> & {
  readonly how: ChangedFile['how'] | 'mode';
  /** Where its first content is kept: an absolute path, or `empty`. */
  readonly old?: string | undefined;
  readonly isDirectory?: true;
};

/** A file that exists at a path after the actions. */
type Standing = {
  /** An action made it. */
  readonly made?: true;
  /** Its path before all actions, if another. */
  readonly from?: string;
  readonly old?: string;
  readonly mode?: true;
};

type Gone = { readonly old?: string | undefined; readonly isDirectory?: true };

const isBelow = (path: string, directory: string) => path.startsWith(`${directory}/`);

export class Net {
  /** The existing files, by their current path. */
  readonly #now = new Map<string, Standing>();
  /** The files that no longer exist, by their path before all actions. */
  readonly #gone = new Map<string, Gone>();

  /**
   * Adds an action after those before it.
   * @param store the directory with the sources of its steps
   */
  add(store: string, steps: readonly Step[]): this {
    const of = (...verbs: readonly string[]) => steps.filter(({ verb }) => verbs.includes(verb));
    const oldOf = ({ source }: Step) => (source === 'empty' ? source : source === '' ? undefined : join(store, source));
    const moves = of('moved').filter(({ source }) => source.startsWith('/'));
    // All moved files leave their places before any arrives: two files may have swapped.
    const taken = moves.map(({ path, source }) => this.#take(path, source));
    const replaced = new Set(of('replaced').map(({ path }) => path));
    const targets = new Set(moves.map(({ source }) => source));
    for (const step of of('replaced')) {
      if (step.source !== '') this.#drop(step.path, { old: oldOf(step) });
      if (!targets.has(step.path)) this.#now.set(step.path, { made: true });
    }
    for (const [path, standing] of taken.flat()) this.#now.set(path, standing);
    // The contents of a removed directory are listed separately, so their earlier paths are computed before the
    // directory is removed.
    const gone = of('deleted', 'directory').map((step) => [step, this.#before(step.path)] as const);
    for (const [step, before] of gone)
      this.#drop(step.path, step.verb === 'directory' ? { isDirectory: true } : { old: oldOf(step) }, before);
    for (const step of of('changed')) this.#note(step.path, { old: oldOf(step) ?? 'empty' });
    for (const { path } of of('mode')) this.#note(path, { mode: true });
    for (const { path } of of('created')) if (!replaced.has(path)) this.#now.set(path, { made: true });
    return this;
  }

  /** Removes a path and everything below it, and records it as being at `to`. */
  #take(path: string, to: string): readonly (readonly [string, Standing])[] {
    const before = this.#before(path);
    const root = this.#now.get(path);
    const below = [...this.#now].filter(([each]) => isBelow(each, path));
    for (const [each] of [[path], ...below] as const) this.#now.delete(each);
    const { from: _, ...rest } = root ?? {};
    const moved: Standing = root?.made || before === to ? rest : { ...rest, from: before };
    return [[to, moved], ...below.map(([each, standing]) => [to + each.slice(path.length), standing] as const)];
  }

  /** Returns the path before all actions of the file that is now at a path. */
  #before(path: string): string {
    for (let at = path; at !== dirname(at); at = dirname(at)) {
      const from = this.#now.get(at)?.from;
      if (from !== undefined) return from + path.slice(at.length);
    }
    return path;
  }

  #drop(path: string, gone: Gone, before = this.#before(path)): void {
    const standing = this.#now.get(path);
    this.#now.delete(path);
    if (!standing?.made) this.#gone.set(before, { ...gone, ...(standing?.old ? { old: standing.old } : {}) });
  }

  #note(path: string, more: Standing): void {
    const standing = this.#now.get(path);
    if (!standing?.made) this.#now.set(path, { ...more, ...standing });
  }

  /** Returns each changed path once, in the order in which the actions changed them. */
  get changes(): readonly NetChange[] {
    const gone = new Map(this.#gone);
    const left = new Set([...this.#now.values()].map(({ from }) => from));
    const standing = [...this.#now].flatMap(([path, { made, from, old, mode }]): readonly NetChange[] => {
      const before = gone.get(path);
      gone.delete(path);
      const first = before?.old ?? old;
      const kept = first === undefined ? {} : { old: first };
      if (made) return [{ path, how: before || left.has(path) ? 'changed' : 'created', ...kept }];
      if (from !== undefined) {
        const moved: NetChange = { path, how: 'moved', from, ...(old === undefined ? {} : { old }) };
        return before ? [moved, { path, how: 'changed', ...before }] : [moved];
      }
      return old === undefined && !mode ? [] : [{ path, how: old === undefined ? 'mode' : 'changed', ...kept }];
    });
    return [...standing, ...[...gone].map(([path, each]): NetChange => ({ path, how: 'deleted', ...each }))];
  }

  /** Returns the same for people: without changes of mode and time; of two files at one path only the earlier one. */
  get files(): readonly ChangedFile[] {
    const files = new Map<string, ChangedFile>();
    for (const { path, how, from } of this.changes)
      if (how !== 'mode') files.set(path, { path, how, ...(from === undefined || how !== 'moved' ? {} : { from }) });
    return [...files.values()];
  }
}

// Stores the steps that the launcher listed when an action had just ended: later it can’t separate them from the
// changes of other actions.

const STEPS = 'steps';
/** The most steps that are stored; longer lists are made again. */
const MAX_STEPS = 20_000;

/** Stores the steps beside the action. On a full disk they are not stored. */
export function writeSteps(directory: string, steps: readonly Step[]): void {
  if (steps.length > MAX_STEPS) return;
  try {
    const fields = steps.flatMap(({ verb, path, source }) => [verb, path, source]);
    writeFileSync(join(directory, STEPS), bytesOfText(fields.join('\0')), { mode: 0o600 });
  } catch {
    // Without them the preview of a run names more files as unchanged.
  }
}

/** Returns the stored steps; undefined if there are none. */
export function readSteps(directory: string): readonly Step[] | undefined {
  try {
    const fields = textOfBytes(readFileSync(join(directory, STEPS))).split('\0');
    const steps: Step[] = [];
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const [verb = '', path = '', source = ''] = fields.slice(at, at + 3);
      steps.push({ verb, path, source });
    }
    return steps;
  } catch {
    return undefined;
  }
}
