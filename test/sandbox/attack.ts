/** Runs the hostile operations of a scene, outside or inside, and tells what became of each. */
import { spawn } from 'node:child_process';
import { chownSync } from 'node:fs';
import { dirname } from 'node:path';
import { createPrivateTmp, sandboxArgv } from '../../src/sandbox/index.ts';
import { inPty } from './pty.ts';
import type { Scene } from './scene.ts';
import type { Tools } from './tools.ts';

/** Where it runs: outside, or inside with the Landlock of the kernel (`full`) or an older one pretended. */
export type Place = 'outside' | 'full' | number;

/** Name of the operation → `done`, `absent`, or the name of the error that refused it. */
export type Results = ReadonlyMap<string, string>;

const GROUPS = ['files', 'metadata', 'network', 'processes', 'kernel', 'wanted'];

/** Refusals. EBADF: the descriptor was closed. EXDEV: Landlock's word for linking across rights. */
export const REFUSALS = new Set(['EACCES', 'EPERM', 'ENOSYS', 'EXDEV', 'EROFS', 'EBADF', 'EAFNOSUPPORT']);

export async function attack(tools: Tools, scene: Scene, place: Place): Promise<Results> {
  const tmp = createPrivateTmp();
  try {
    if (process.getuid?.() === 0)
      for (const path of [dirname(tmp.path), tmp.path]) chownSync(path, scene.uid, scene.uid);
    const plain = await throughPipes(scene, command(tools, scene, place, tmp, GROUPS), tmp.path);
    const screen = createPrivateTmp();
    if (process.getuid?.() === 0)
      for (const path of [dirname(screen.path), screen.path]) chownSync(path, scene.uid, scene.uid);
    const terminal = await throughPty(scene, command(tools, scene, place, screen, ['terminal']), screen.path);
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
  const launcher = place === 'full' ? tools.launcher : tools.testLauncher;
  const [program = '', ...rest] = sandboxArgv({ launcher, argv: run, tmpDir: tmp.path, statusFile: tmp.statusFile });
  return [...start, program, ...(place === 'full' ? [] : ['--abi', String(place)]), ...rest];
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
