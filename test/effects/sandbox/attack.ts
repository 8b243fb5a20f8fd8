/** Runs the hostile operations of a scene, outside or inside the sandbox, and returns the result of each. */
import { spawn } from 'node:child_process';
import { chownSync, copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createPrivateTmp, projectArgv, sandboxArgv, trialArgv } from '../../../src/effects/sandbox/index.ts';
import { inPty } from './pty.ts';
import type { Scene } from './scene.ts';
import type { Tools } from './tools.ts';

/**
 * The place where an operation runs: outside, or inside with the kernel’s own Landlock (`full`) or a simulated older
 * version.
 */
export type Place = 'outside' | 'full' | number | Wide;

/**
 * Profiles with something writable: a tree in Project mode, with and without namespaces, or a copy of it in a trial.
 */
export type Wide = 'project' | 'held' | 'trial';
export const WIDE: readonly Wide[] = ['project', 'held', 'trial'];
export const isWide = (place: Place): place is Wide => WIDE.some((wide) => wide === place);

/** The results by operation: `done`, `absent`, or the name of the error that refused it. */
export type Results = ReadonlyMap<string, string>;

const GROUPS = ['files', 'metadata', 'network', 'processes', 'kernel', 'wanted'];

/**
 * Error codes that count as refusals. EBADF: the descriptor was closed. EXDEV: Landlock's error for linking across
 * rights.
 */
const REFUSALS = new Set(['EACCES', 'EPERM', 'ENOSYS', 'EXDEV', 'EROFS', 'EBADF', 'EAFNOSUPPORT']);
/** Errors of operations on processes, networks and System V objects that do not exist inside namespaces. */
const NOT_THERE = new Set(
  'absent ESRCH ENOENT ECONNREFUSED ENETUNREACH EADDRNOTAVAIL EINVAL EIDRM ENODEV ENXIO'.split(' '),
);

/** Returns whether a result counts as a refusal in this place. */
export function isRefusal(place: Place, result: string): boolean {
  if (REFUSALS.has(result)) return true;
  // Attributes are reported as unsupported, so that programs continue without them.
  if (place === 'held') return result === 'EOPNOTSUPP';
  return isWide(place) && NOT_THERE.has(result);
}

export async function attack(tools: Tools, scene: Scene, place: Place): Promise<Results> {
  const tmp = createPrivateTmp();
  try {
    if (process.getuid?.() === 0)
      for (const path of [dirname(tmp.path), tmp.path]) chownSync(path, scene.uid, scene.uid);
    const plain = await throughPipes(scene, command(tools, scene, place, tmp, GROUPS), dirFor(place, tmp.path));
    const screen = createPrivateTmp();
    if (process.getuid?.() === 0)
      for (const path of [dirname(screen.path), screen.path]) chownSync(path, scene.uid, scene.uid);
    const terminal = await throughPty(
      scene,
      command(tools, scene, place, screen, ['terminal']),
      dirFor(place, screen.path),
    );
    screen.dispose();
    return new Map([...parse(plain), ...parse(terminal)]);
  } finally {
    tmp.dispose();
  }
}

function command(
  tools: Tools,
  scene: Scene,
  place: Place,
  tmp: { readonly path: string; readonly statusFile: string },
  groups: readonly string[],
): readonly string[] {
  const start = [tools.hostile, '--start', String(scene.uid)];
  const run = [tools.hostile, '--run', ...groups];
  if (place === 'outside') return [...start, ...run];
  if (isWide(place)) return [...start, ...wide(tools, scene, place, tmp.path, run)];
  const launcher = place === 'full' ? tools.launcher : tools.testLauncher;
  const [program = '', ...rest] = sandboxArgv({ launcher, argv: run, tmpDir: tmp.path, statusFile: tmp.statusFile });
  return [...start, program, ...(place === 'full' ? [] : ['--abi', String(place)]), ...rest];
}

/** Project mode has a `/tmp` of its own. */
const dirFor = (place: Place, tmpDir: string) => (place === 'project' ? '/tmp' : tmpDir);

/** The targets of the attacks are outside the tree. */
function wide(tools: Tools, scene: Scene, place: Wide, tmpDir: string, argv: readonly string[]): readonly string[] {
  const tree = mkdtempSync(join(scene.beside, 'tree-'));
  const hostile = join(tree, 'hostile');
  copyFileSync(tools.hostile, hostile);
  const launch = { launcher: tools.launcher, argv: [hostile, ...argv.slice(1)], cwd: scene.directory };
  if (process.getuid?.() === 0) chownSync(tree, scene.uid, scene.uid);
  const found =
    place === 'trial'
      ? trialArgv({ ...launch, store: storeFor(scene), trees: [tree], spaceBytes: 1e9, tmpDir })
      : projectArgv({ ...launch, project: tree, held: place === 'held', tmpDir });
  // setpriv, which changes the user, is the launcher's parent instead of the test.
  const at = found.indexOf('--parent');
  return [...found.slice(0, at), ...found.slice(at + 2)];
}

function storeFor(scene: Scene): string {
  const above = mkdtempSync(join(scene.beside, 'store-'));
  const store = join(above, '1');
  mkdirSync(store, { mode: 0o700 });
  if (process.getuid?.() === 0) for (const path of [above, store]) chownSync(path, scene.uid, scene.uid);
  return store;
}

function throughPipes(scene: Scene, argv: readonly string[], tmpDir: string): Promise<string> {
  const [program = '', ...rest] = argv;
  return new Promise((resolve) => {
    const child = spawn(program, rest, { cwd: scene.directory, env: { ...scene.environment, TMPDIR: tmpDir } });
    let text = '';
    child.stdout.on('data', (data) => (text += data));
    child.stderr.on('data', (data) => (text += data));
    child.on('close', () => resolve(text));
  });
}

async function throughPty(scene: Scene, argv: readonly string[], tmpDir: string): Promise<string> {
  const pty = inPty([...argv], { cwd: scene.directory, env: { ...scene.environment, TMPDIR: tmpDir } });
  await pty.ended;
  return pty.text();
}

function parse(text: string): [string, string][] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [group, name, result] = line.replace(/^x+/, '').split('\t');
    return group && name && result ? [[`${group}: ${name}`, result] as [string, string]] : [];
  });
}
