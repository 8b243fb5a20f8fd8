/** Trials (EF-5): a command runs in a copy-on-write view, what it would change is listed, then applied or thrown away. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningCommand } from '../contracts/commands.ts';
import type { Applied, RunningTrial, TrialOutcome, Trials } from '../contracts/trials.ts';
import { visible } from '../text/sanitize.ts';
import { type Listed, listChanges, relationOf } from './changes.ts';
import { runLauncher, type Step } from './launcher.ts';
import { describeSteps, diffsBetween } from './preview.ts';
import { lives, markApplied, numbersIn, openRecord, readTrial, removeTree, TRIAL } from './record.ts';

/** Where a command leaves things besides its project. */
const SHARED_PLACES = ['/tmp', '/var/tmp'];
const CONFLICTS = 1;
const HALFWAY = 2;

/** The private temporary directory of a trial, and what the launcher said of it. */
export type TrialTmp = {
  readonly path: string;
  readonly statusFile: string;
  status():
    | { readonly kind: 'notStarted'; readonly why: string }
    | { readonly kind: 'running' }
    | { readonly kind: 'exited'; readonly code: number }
    | { readonly kind: 'killed'; readonly signal: number }
    | { readonly kind: 'stopped'; readonly by: string };
  dispose(): void;
};

export type TrialOptions = {
  /** The Norris run under way, which an applied trial is then a part of. */
  readonly group?: () => string | undefined;
  readonly launcher: string;
  /** The directory of the change store, outside what is worked on. */
  readonly directory: string;
  /** Bytes that a trial may write. */
  readonly spaceBytes: number;
  readonly session: string;
  readonly now: () => number;
  readonly hide: (text: string) => string;
  readonly createTmp: () => TrialTmp;
  /** The argument vector that runs `argv` in a trial. */
  readonly wrap: (launch: {
    readonly argv: readonly string[];
    readonly cwd: string;
    readonly store: string;
    readonly trees: readonly string[];
    readonly spaceBytes: number;
    readonly tmpDir: string;
    readonly statusFile: string;
    readonly launcher: string;
  }) => readonly string[];
  /** Starts a command of the model behind `launcher`, with its own temporary directory. */
  readonly run: (
    command: string,
    options: {
      readonly cwd: string;
      readonly tmpDir: string;
      readonly env: Readonly<Record<string, string>>;
      readonly launcher: (argv: readonly string[]) => readonly string[];
    },
  ) => Promise<RunningCommand>;
  /** The tree that a command in this directory works on. */
  readonly treeOf: (cwd: string) => string;
  /** Takes back what was applied halfway; undefined when all is as before, else what is not. */
  readonly rollBack: (number: number) => Promise<string | undefined>;
};

/** A trial that is set up and not started: for whoever starts the command themselves. */
export type Prepared = {
  readonly id: string;
  readonly tmpDir: string;
  readonly wrap: (argv: readonly string[]) => readonly string[];
  /** To be called when the command has ended. `output`: what of it is known. Never rejects. */
  outcome(output: string, interrupted?: boolean): Promise<TrialOutcome>;
};

export class TrialStore implements Trials {
  readonly #options: TrialOptions;
  /** What is seen copy-on-write, by trial: of this process alone. */
  readonly #trees = new Map<string, readonly string[]>();
  #probe: Promise<string | undefined> | undefined;

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  unavailable(): Promise<string | undefined> {
    this.#probe ??= this.#try();
    return this.#probe;
  }

  async start(command: string, { cwd, signal, env = {} }: Parameters<Trials['start']>[1]): Promise<RunningTrial> {
    const why = await this.unavailable();
    if (why !== undefined) throw new Error(why);
    signal.throwIfAborted();
    const prepared = this.prepare(command, cwd);
    let running: RunningCommand;
    try {
      running = await this.#options.run(command, { cwd, tmpDir: prepared.tmpDir, env, launcher: prepared.wrap });
    } catch (error) {
      await this.discard(prepared.id);
      throw error;
    }
    const outcome = running.result.then(({ head, tail }) => prepared.outcome(`${head}\n${tail}`, signal.aborted));
    return { command: running, outcome };
  }

  prepare(text: string, cwd: string): Prepared {
    const { directory, session, now, hide, spaceBytes, launcher, group } = this.#options;
    const run = group?.();
    const opening = {
      kind: 'command',
      text: hide(text),
      cwd: hide(cwd),
      session,
      at: now(),
      pid: process.pid,
      ...(run === undefined ? {} : { run }),
    } as const;
    const record = openRecord(directory, opening, TRIAL);
    const id = String(record.number);
    // Named as the kernel will: a link on the way would be another tree.
    const real = realpathSync(cwd);
    const trees = treesFor(this.#options.treeOf(real), directory);
    this.#trees.set(id, trees);
    const tmp = this.#options.createTmp();
    const common = { store: record.directory, trees, spaceBytes, tmpDir: tmp.path, launcher };
    return {
      id,
      tmpDir: tmp.path,
      wrap: (argv) => this.#options.wrap({ ...common, argv, cwd: real, statusFile: tmp.statusFile }),
      outcome: async (output, interrupted = false) => {
        const status = tmp.status();
        tmp.dispose();
        const cannotTell = async (why: string): Promise<TrialOutcome> => {
          await this.discard(id);
          const exit = status.kind === 'exited' ? { exitCode: status.code } : {};
          return { kind: 'cannotTell', why, ...exit };
        };
        if (status.kind === 'notStarted' && relationOf(trees[0] ?? '/', directory) !== 'apart')
          return cannotTell(OWN_STORE);
        if (interrupted) return cannotTell('it was interrupted');
        if (status.kind === 'notStarted') return cannotTell(visible(status.why));
        if (status.kind === 'stopped')
          return cannotTell(status.by === 'space' ? TOO_MUCH : `it was stopped (${status.by})`);
        if (status.kind === 'running') return cannotTell('its end is not known');
        if (FOREIGN_OWNER.test(output)) return cannotTell(OTHERS);
        if (DIRECTORY_MOVED.test(output)) return cannotTell(MOVED);
        const listed = await this.#list(id, trees);
        if (typeof listed === 'string') return cannotTell(listed);
        const { digest, changes, deletedBytes, writtenBytes, outside } = listed;
        const exitCode = status.kind === 'exited' ? status.code : 128 + status.signal;
        return {
          kind: 'changes',
          id,
          exitCode,
          changes,
          deletedBytes,
          writtenBytes,
          digest,
          doubts: doubtsOf(output, outside),
        };
      },
    };
  }

  async diff(id: string): Promise<string> {
    const trial = this.#find(id);
    if (!trial) return 'this trial is gone';
    const trees = this.#trees.get(id) ?? [];
    const listed = await this.#list(id, trees);
    if (typeof listed === 'string') return listed;
    const { changes, upperOf } = listed;
    const pairs = changes
      .filter(({ kind, type }) => kind !== 'mode' && type === 'file')
      .map(({ kind, path }) => ({
        path,
        now: kind === 'created' ? undefined : path,
        becomes: kind === 'deleted' ? undefined : upperOf(path),
      }));
    return diffsBetween(pairs, 'after it');
  }

  async apply(id: string, digest: string): Promise<Applied> {
    const trial = this.#find(id);
    if (!trial) return { ok: false, text: 'this trial is gone' };
    const trees = this.#trees.get(id) ?? [];
    const listed = await this.#list(id, trees);
    if (typeof listed === 'string' || listed.digest !== digest) {
      const { code, steps } = await this.#launch('--apply', trial.directory, '--check', ...treeOptions(trees));
      await this.discard(id);
      if (code === CONFLICTS) return refusedFor(steps);
      return { ok: false, text: typeof listed === 'string' ? listed : 'what was tried is not what was shown' };
    }
    markApplied(trial);
    const number = Number(id);
    const store = trial.directory;
    const ran = await this.#launch('--apply', store, ...treeOptions(trees));
    if (ran.code === 0) {
      removeTree(join(store, 'trial'));
      return { ok: true, text: `applied: ${countOf(listed.changes.length)}`, action: number };
    }
    if (ran.code === HALFWAY) {
      const left = await this.#options.rollBack(number);
      const what = left === undefined ? 'what was done was taken back' : `not all of it could be taken back:\n${left}`;
      return { ok: false, text: `not applied: ${visible(ran.error)}; ${what}` };
    }
    removeTree(store);
    if (ran.code !== CONFLICTS) return { ok: false, text: `not applied: ${visible(ran.error)}` };
    return refusedFor(ran.steps);
  }

  async discard(id: string): Promise<void> {
    const trial = this.#find(id);
    if (trial) removeTree(trial.directory);
  }

  async discardAbandoned(): Promise<void> {
    for (const number of numbersIn(this.#options.directory)) {
      try {
        const trial = readTrial(this.#options.directory, number);
        if (trial && !lives(trial.pid)) removeTree(trial.directory);
      } catch {
        // Another window is at it, or it is somebody else's.
      }
    }
  }

  #launch(...args: readonly string[]) {
    return runLauncher(this.#options.launcher, args);
  }

  #find(id: string) {
    return /^\d{1,9}$/.test(id) ? readTrial(this.#options.directory, Number(id)) : undefined;
  }

  #list(id: string, trees: readonly string[]): Promise<Listed | string> {
    const store = join(this.#options.directory, id);
    return listChanges(this.#options.launcher, store, trees);
  }

  async #try(): Promise<string | undefined> {
    const { directory, launcher } = this.#options;
    if (process.platform !== 'linux') return `nothing can be tried: that needs Linux; this is ${process.platform}`;
    let probe: string | undefined;
    const tmp = this.#options.createTmp();
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      probe = mkdtempSync(join(directory, 'probe-'));
      const [store, tree] = [join(probe, 'stores', '1'), join(probe, 'tree')];
      mkdirSync(store, { recursive: true, mode: 0o700 });
      mkdirSync(tree);
      const argv = ['/bin/sh', '-c', ': > made'];
      const common = { store, trees: [tree], spaceBytes: 1e9, tmpDir: tmp.path, statusFile: tmp.statusFile };
      const [program = '', ...args] = this.#options.wrap({ ...common, launcher, argv, cwd: tree });
      const ran = await runLauncher(program, args);
      const listed = ran.code === 0 ? await listChanges(launcher, store, [tree]) : ran.error;
      if (typeof listed !== 'string' && listed.changes.length === 1 && !existsSync(join(tree, 'made')))
        return undefined;
      return `nothing can be tried: that needs ${NEEDS}${typeof listed === 'string' ? ` (${visible(listed)})` : ''}`;
    } catch (error) {
      const why = error instanceof Error ? (error.message.split(/[:\n]/)[0] ?? '') : String(error);
      return `nothing can be tried: that needs ${NEEDS} (${why})`;
    } finally {
      tmp.dispose();
      if (probe !== undefined) removeTree(probe);
    }
  }
}

const NEEDS = 'Linux 5.12 or newer with overlays and user namespaces for everybody, and the launcher';
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

function treeOptions(trees: readonly string[]): readonly string[] {
  return trees.flatMap((tree) => ['--tree', tree]);
}

/** The tree, and places that are nobody's. */
function treesFor(tree: string, store: string): readonly string[] {
  const mounts = mountPoints();
  const free = SHARED_PLACES.filter(
    (place) =>
      existsSync(place) &&
      realpathSync(place) === place &&
      [tree, store].every((other) => relationOf(place, other) === 'apart') &&
      !mounts.some((mount) => relationOf(place, mount) === 'above'),
  );
  return [tree, ...free];
}

function mountPoints(): readonly string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.map((line) =>
    (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    ),
  );
}

function countOf(changes: number): string {
  return changes === 1 ? '1 change' : `${changes} changes`;
}
