/** A tree for kept commands, its change store, and the launcher between them. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectArgv, supervisedArgv, trialArgv } from '../../../src/effects/sandbox/index.ts';
import { runHere, runLauncher, type Step } from '../../../src/effects/undo/launcher.ts';
import { notesOf } from '../../../src/effects/undo/record.ts';
import { type Listed, readChanges } from '../../../src/effects/undo/trials.ts';
import { removeTree } from '../../../src/text/files.ts';

/** An ordinary account, for tests that must work without root. */
const NOBODY = 65_534;
/** The words before a command line that run it as that account. */
export const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

export type Scene = {
  readonly root: string;
  readonly tree: string;
  readonly store: string;
  /** Runs a bash script in the tree, recorded under the next number. */
  keep(script: string, options?: KeepOptions): Promise<Kept>;
  /** Runs a script in a trial of the tree under the next number, and lists its changes. */
  try(script: string, options?: KeepOptions): Promise<Kept & { readonly listed: Listed | string }>;
  apply(of: number): Promise<Undone>;
  /** Runs a script without recording it. */
  real(script: string): Promise<number | null>;
  /** Lets the launcher undo an action; `number` is where the undo keeps what it replaces. */
  undo(of: number): Promise<Undone>;
  plan(of: number): Promise<Undone>;
  launcher(...args: readonly string[]): Promise<Undone>;
  /** Returns everything about the tree that an undo restores. `inTree` counts only links with a name in the tree. */
  snapshot(inTree?: boolean): ReadonlyMap<string, string>;
  next(): { readonly number: number; readonly directory: string };
  dispose(): void;
};

export type KeepOptions = {
  /** Runs within the bounds of Project mode, with the tree as the project. */
  readonly project?: boolean;
  /** Uses Landlock alone, as on systems without namespaces. */
  readonly held?: boolean;
  /** Whether the command runs without the store, so that nothing is recorded. */
  readonly nothing?: boolean;
  readonly budgetBytes?: number;
  readonly fileBytes?: number;
  /** Whether keys and passwords are kept too. */
  readonly credentials?: boolean;
  /** Forbids changes to files that are not kept. */
  readonly protects?: boolean;
  /** aish-tui's own directories. */
  readonly own?: readonly string[];
  /** Whether the tree already belongs to the account that runs the command. */
  readonly given?: boolean;
  /** Called with the process id of the launcher as soon as it runs. */
  readonly started?: (pid: number, directory: string) => void;
};
export type Kept = {
  readonly number: number;
  readonly code: number | null;
  readonly out: string;
  readonly summary: string;
  readonly notes: readonly string[];
};
export type Undone = {
  readonly number: number;
  readonly code: number;
  readonly steps: readonly Step[];
  readonly error: string;
};

/**
 * @param ordinary run commands and undos as an ordinary user, which needs root for the change
 * @param elsewhere a directory on another file system, for the store
 */
export function makeScene(launcher: string, ordinary = false, elsewhere?: string): Scene {
  const root = mkdtempSync(join(tmpdir(), 'aish-undo-'));
  const beside = elsewhere === undefined ? root : mkdtempSync(join(elsewhere, 'aish-undo-'));
  const [tree, store] = [join(root, 'tree'), join(beside, 'store')];
  mkdirSync(tree);
  mkdirSync(store, { mode: 0o700 });
  mkdirSync(join(root, 'tmp'), { mode: 0o700 });
  const as = ordinary ? asNobody : [];
  const give = () => {
    chmodSync(root, 0o755);
    chmodSync(beside, 0o755);
    if (ordinary) execFileSync('chown', ['-hR', `${NOBODY}:${NOBODY}`, root, beside]);
  };
  let number = 0;
  const next = () => {
    number += 1;
    const directory = join(store, String(number));
    mkdirSync(directory, { mode: 0o700 });
    if (ordinary) execFileSync('chown', [`${NOBODY}:${NOBODY}`, directory]);
    return { number, directory };
  };
  const act = async (...args: readonly string[]) => {
    const [program = '', ...rest] = [...as, launcher, ...args];
    return { ...(await runLauncher(program, rest)), number: 0 };
  };
  const run = async (argv: readonly string[], started?: (pid: number) => void) => {
    // setpriv between is the launcher's parent, so --parent is left out.
    const at = argv.indexOf('--parent');
    const [program = '', ...rest] = [...as, ...(at < 0 ? argv : [...argv.slice(0, at), ...argv.slice(at + 2)])];
    const dates = { GIT_AUTHOR_DATE: '2020-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z' };
    const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C', ...dates };
    const child = spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (out += data));
    if (child.pid !== undefined) started?.(child.pid);
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, out };
  };
  return {
    root,
    tree,
    store,
    next,
    launcher: act,
    snapshot: (inTree = false) => snapshot(tree, inTree),
    async keep(script, options = {}) {
      give();
      const { number: mine, directory } = next();
      const { budgetBytes = 2e9, fileBytes = 2e8, credentials = false, protects = false, own = [] } = options;
      const keep = { directory, tree, budgetBytes, fileBytes, credentials, protects, own };
      const launch = { launcher, argv: ['bash', '-c', script], cwd: tree, ...(options.nothing ? {} : { keep }) };
      const tmpDir = join(root, 'tmp');
      const held = options.held ? { held: true, tmpDir } : {};
      const wrapped = options.project ? projectArgv({ ...launch, project: tree, ...held }) : supervisedArgv(launch);
      const { code, out } = await run(wrapped, (pid) => options.started?.(pid, directory));
      return { number: mine, code, out, summary: textOf(join(directory, 'summary')).trim(), notes: notesOf(directory) };
    },
    async try(script, options = {}) {
      if (!options.given) give();
      const { number: mine, directory } = next();
      const where = { store: directory, trees: [tree], spaceBytes: options.budgetBytes ?? 2e9 };
      const wrapped = trialArgv({ launcher, argv: ['bash', '-c', script], cwd: tree, ...where });
      const { code, out } = await run(wrapped, (pid) => options.started?.(pid, directory));
      const notes = notesOf(directory);
      const told = await runHere(launcher, ['--changes', where.store, '--tree', tree]);
      const listed = told.code === 0 ? readChanges(told.output, notes, { directory, trees: [tree] }) : told.error;
      return { number: mine, code, out, summary: '', notes, listed };
    },
    async apply(of) {
      return { ...(await act('--apply', join(store, String(of)), '--tree', tree)), number: of };
    },
    async real(script) {
      return (await run(['bash', '-c', `cd "$0" && ${script}`, tree])).code;
    },
    plan: (of) => act('--undo', join(store, String(of))),
    async undo(of) {
      const { number: mine, directory } = next();
      return { ...(await act('--undo', join(store, String(of)), '--into', directory)), number: mine };
    },
    dispose: () => {
      // Nobody may enter an overlay's work directory, not even its owner.
      for (const made of [root, beside]) removeTree(made);
    },
  };
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

export function snapshot(tree: string, inTree: boolean): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const first = new Map<bigint, string>();
  const visit = (path: string) => {
    const st = lstatSync(path, { bigint: true });
    const file = !st.isDirectory();
    const content = st.isFile() ? readFileSync(path).toString('base64') : st.isSymbolicLink() ? readlinkSync(path) : '';
    const same = file ? (first.get(st.ino) ?? path) : '';
    if (file) first.set(st.ino, same);
    const links = file && !inTree ? st.nlink : '';
    found.set(path, [st.mode, st.uid, st.gid, links, file ? st.size : '', st.mtimeNs, same, content].join(' '));
    if (!file) for (const name of readdirSync(path).sort()) visit(join(path, name));
  };
  visit(tree);
  return found;
}
