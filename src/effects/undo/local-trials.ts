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

/** Where a command leaves things besides its project. */
const SHARED_PLACES = ['/tmp', '/var/tmp'];
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
const NEEDS = 'Linux 5.12 or newer with overlays and user namespaces for everybody, and the launcher';

/** The private temporary directory of a trial, and what the launcher said of it. */
export type TrialTmp = {
  readonly path: string;
  readonly statusFile: string;
  status(): TrialStatus;
  dispose(): void;
};

/** How commands are put into trials here. */
export type TrialLaunch = {
  readonly launcher: string;
  readonly createTmp: () => TrialTmp;
  /** The argument vector that runs `argv` in a trial. */
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
  /** The directory of the change store, outside what is worked on. */
  readonly directory: string;
  /** The tree that a command in this directory works on. */
  readonly treeOf: (cwd: string) => string;
};

/** What a command in a trial is started with. */
export type Behind = {
  /** Variables for the temporary directory: its own, where that of the real run can't be shown. */
  readonly temporary: (env: Readonly<Record<string, string | undefined>>) => Readonly<Record<string, string>>;
  readonly wrap: (argv: readonly string[]) => readonly string[];
  /** To be called once, when it has ended. */
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
  /** To be called when the command has ended. `output`: what of it is known. Never rejects. */
  outcome(output: string): Promise<TrialOutcome>;
};

/** A trial for whoever starts the command themselves. Rejects where there is no place for it. */
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

/** What the launcher prints of what a trial would change; or why not. Never rejects. */
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
        // Another window is at it, or it is somebody else's.
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

/** The tree, and places that are nobody's. */
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

/** Whether a place that is nobody's has nothing to do with the tree and the store. */
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
