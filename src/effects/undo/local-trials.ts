/** Trials on this machine. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { TrialMode, TrialOutcome } from '../../contracts/trials.ts';
import { makeDirectory, removeTree } from '../../text/files.ts';
import { visible } from '../../text/sanitize.ts';
import { runHere, unwritable } from './launcher.ts';
import {
  type OpenTrial,
  readChanges,
  relationOf,
  SHARED_PLACES,
  type TrialStatus,
  type TrialStore,
  type TrialView,
  treeOptions,
} from './trials.ts';

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

/**
 * Returns what a trial on this machine shows: the tree of its directory, and shared directories that belong to no
 * project.
 */
export async function viewHere(cwd: string, treeOf: (cwd: string) => string): Promise<TrialView> {
  const real = realpathSync(cwd);
  const mounts = mountPoints();
  const free = SHARED_PLACES.filter(
    (place) =>
      existsSync(place) &&
      realpathSync(place) === place &&
      !mounts.some((mount) => relationOf(place, mount) === 'above'),
  );
  return { cwd: real, tree: treeOf(real), free };
}

/**
 * Returns why nothing can be tried on this machine, in one line; undefined if trials work. Found by a test. Never
 * rejects.
 * @param directory the directory of the change store
 */
export async function probeTrials(
  { launcher, createTmp, wrap }: TrialLaunch,
  directory: string,
): Promise<string | undefined> {
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
    const ran = await runHere(program, args);
    const told = ran.code === 0 ? await runHere(launcher, ['--changes', store, ...treeOptions({ trees })]) : ran;
    const listed = told.code === 0 ? readChanges(told.output, [], { directory: store, trees }) : told.error;
    if (typeof listed !== 'string' && listed.changes.length === 1 && !existsSync(join(tree, 'made'))) return undefined;
    return `nothing can be tried: that needs ${NEEDS}${typeof listed === 'string' ? ` (${visible(listed)})` : ''}`;
  } catch (error) {
    const why = error instanceof Error ? (error.message.split(/[:\n]/)[0] ?? '') : String(error);
    return `nothing can be tried: ${unwritable(directory, error) ?? `that needs ${NEEDS} (${why})`}`;
  } finally {
    tmp.dispose();
    if (probe !== undefined) removeTree(probe);
  }
}

function mountPoints(): readonly string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.map((line) =>
    (line.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    ),
  );
}
