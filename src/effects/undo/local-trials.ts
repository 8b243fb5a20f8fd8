/** Trials on this machine. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { TrialMode, TrialOutcome } from '../../contracts/trials.ts';
import { makeDirectory, removeTree } from '../../text/files.ts';
import { visible } from '../../text/sanitize.ts';
import { runLauncher, unwritable } from './launcher.ts';
import { readText } from './preview.ts';
import { lives, markApplied, notesOf, numbersIn, type Opening, openRecord, readTrial, TRIAL } from './record.ts';
import {
  type OpenTrial,
  readChanges,
  relationOf,
  type TrialDisk,
  type TrialPlace,
  type TrialStatus,
  type TrialStore,
  treeOptions,
} from './trials.ts';

/** Directories in which a command leaves files besides its project. */
const SHARED_PLACES = ['/tmp', '/var/tmp'];
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
const NEEDS = 'Linux 5.12 or newer with overlays and user namespaces for everybody, and the launcher';

/** The private temporary directory of a trial, and the launcher’s report about it. */
export type TrialTmp = {
  readonly path: string;
  readonly statusFile: string;
  status(): TrialStatus;
  dispose(): void;
};

/** How commands are run in trials here. */
export type TrialLaunch = {
  readonly launcher: string;
  readonly createTmp: () => TrialTmp;
  /** Returns the arguments that run `argv` in a trial. */
  readonly wrap: (launch: {
    readonly argv: readonly string[];
    readonly cwd: string;
    readonly store: string;
    readonly trees: readonly string[];
    readonly spaceBytes: number;
    readonly asProject?: true | undefined;
    readonly tmpDir?: string;
    readonly statusFile: string;
    readonly launcher: string;
  }) => readonly string[];
};

export type LocalTrialsOptions = TrialLaunch & {
  /** The directory of the change store, outside the project. */
  readonly directory: string;
  /** Returns the tree in which a command of this directory works. */
  readonly treeOf: (cwd: string) => string;
};

/** How a command in a trial is started. */
export type Behind = {
  /** Returns the variables for the temporary directory: the trial’s own, if that of the real run can’t be shown. */
  readonly temporary: (env: Readonly<Record<string, string | undefined>>) => Readonly<Record<string, string>>;
  readonly wrap: (argv: readonly string[]) => readonly string[];
  /** Call once, when the command has ended. */
  ended(): TrialStatus;
};

export function behindTrial(
  {
    directory: store,
    trees,
    spaceBytes,
    cwd,
    asProject,
  }: Pick<OpenTrial, 'directory' | 'trees' | 'spaceBytes' | 'cwd' | 'asProject'>,
  { launcher, createTmp, wrap }: TrialLaunch,
): Behind {
  const tmp = createTmp();
  const { path, statusFile } = tmp;
  const common = { store, trees, spaceBytes, asProject, ...(asProject ? {} : { tmpDir: path }), statusFile };
  return {
    temporary({ TMPDIR = '/tmp' }) {
      if (asProject || trees.some((tree) => /same|above/.test(relationOf(tree, TMPDIR)))) return {};
      return { TMPDIR: path, TMP: path, TEMP: path };
    },
    wrap: (argv) => wrap({ ...common, launcher, cwd, argv }),
    ended() {
      const status = tmp.status();
      tmp.dispose();
      return status;
    },
  };
}

export type Prepared = Pick<Behind, 'temporary' | 'wrap'> & {
  readonly id: string;
  /** Call it when the command has ended. `output`: its output, as far as known. Never rejects. */
  outcome(output: string): Promise<TrialOutcome>;
};

/** Prepares a trial for a caller that starts the command itself. Rejects if there is no room for it. */
export async function prepareTrial(
  trials: Pick<TrialStore, 'open'>,
  text: string,
  cwd: string,
  how: TrialLaunch,
  mode: TrialMode = 'unrestricted',
): Promise<Prepared> {
  const trial = await trials.open(text, cwd, mode);
  const { temporary, wrap, ended } = behindTrial(trial, how);
  return { id: trial.id, temporary, wrap, outcome: (output) => trial.outcome(ended(), output) };
}

/** Returns the launcher’s list of a trial’s changes, or why there is none. Never rejects. */
export function listChanges(launcher: string, store: string, trees: readonly string[]): Promise<Buffer | string> {
  const args = ['--changes', store, ...treeOptions({ trees })];
  const options = { encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES, env: {} } as const;
  return new Promise((resolve) => {
    execFile(launcher, args, options, (error, stdout, stderr) => {
      resolve(error ? stderr.toString().trim() || error.message : stdout);
    });
  });
}

export class LocalTrialDisk implements TrialDisk {
  readonly #options: LocalTrialsOptions;
  readonly read = readText;

  constructor(options: LocalTrialsOptions) {
    this.#options = options;
  }

  async open(opening: Opening, cwd: string, mode: TrialMode): Promise<TrialPlace> {
    const { directory, treeOf } = this.#options;
    const real = realpathSync(cwd);
    const place = openRecord(directory, { ...opening, pid: process.pid }, TRIAL);
    const tree = treeOf(real);
    if (mode === 'project') return { ...place, cwd: real, trees: [tree], asProject: true };
    return { ...place, cwd: real, trees: treesFor(tree, directory) };
  }

  changes({ directory, trees }: Pick<TrialPlace, 'directory' | 'trees'>): Promise<Buffer | string> {
    return listChanges(this.#options.launcher, directory, trees);
  }

  notes({ directory }: TrialPlace): Promise<readonly string[]> {
    return Promise.resolve(notesOf(directory));
  }

  conflicts(trial: TrialPlace) {
    return runLauncher(this.#options.launcher, ['--apply', trial.directory, '--check', ...treeOptions(trial)]);
  }

  async apply(trial: TrialPlace, opening: Opening) {
    markApplied(trial, opening);
    const ran = await runLauncher(this.#options.launcher, ['--apply', trial.directory, ...treeOptions(trial)]);
    if (ran.code === 0) removeTree(join(trial.directory, 'trial'));
    return ran;
  }

  remove({ directory }: Pick<TrialPlace, 'directory'>): Promise<void> {
    removeTree(directory);
    return Promise.resolve();
  }

  async discardAbandoned(): Promise<void> {
    for (const number of numbersIn(this.#options.directory)) {
      try {
        const trial = readTrial(this.#options.directory, number);
        if (trial && !lives(trial.pid)) removeTree(trial.directory);
      } catch {
        // Another window is removing it, or it belongs to somebody else.
      }
    }
  }

  async probe(): Promise<string | undefined> {
    const { directory, launcher, createTmp, wrap } = this.#options;
    if (process.platform !== 'linux') return `nothing can be tried: that needs Linux; this is ${process.platform}`;
    let probe: string | undefined;
    const tmp = createTmp();
    try {
      makeDirectory(directory);
      probe = mkdtempSync(join(directory, 'probe-'));
      const [store, tree] = [join(probe, 'stores', '1'), join(probe, 'tree')];
      makeDirectory(store);
      mkdirSync(tree);
      const argv = ['/bin/sh', '-c', ': > made'];
      const trees = [tree];
      const common = { store, trees, spaceBytes: 1e9, tmpDir: tmp.path, statusFile: tmp.statusFile };
      const [program = '', ...args] = wrap({ ...common, launcher, argv, cwd: tree });
      const ran = await runLauncher(program, args);
      const output = ran.code === 0 ? await this.changes({ directory: store, trees }) : ran.error;
      const listed = typeof output === 'string' ? output : readChanges(output, [], { directory: store, trees });
      if (typeof listed !== 'string' && listed.changes.length === 1 && !existsSync(join(tree, 'made')))
        return undefined;
      return `nothing can be tried: that needs ${NEEDS}${typeof listed === 'string' ? ` (${visible(listed)})` : ''}`;
    } catch (error) {
      const why = error instanceof Error ? (error.message.split(/[:\n]/)[0] ?? '') : String(error);
      return `nothing can be tried: ${unwritable(directory, error) ?? `that needs ${NEEDS} (${why})`}`;
    } finally {
      tmp.dispose();
      if (probe !== undefined) removeTree(probe);
    }
  }
}

/** Returns the tree, and the shared temporary directories. */
function treesFor(tree: string, store: string): readonly string[] {
  const mounts = mountPoints();
  const free = SHARED_PLACES.filter(
    (place) =>
      existsSync(place) &&
      realpathSync(place) === place &&
      isBeside(place, tree, store) &&
      !mounts.some((mount) => relationOf(place, mount) === 'above'),
  );
  return [tree, ...free];
}

/** Returns whether a shared directory is separate from the tree and the store. */
export function isBeside(place: string, tree: string, store: string): boolean {
  return [tree, store].every((other) => relationOf(place, other) === 'apart');
}

function mountPoints(): readonly string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.map((line) =>
    (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    ),
  );
}
