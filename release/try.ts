/**
 * `node release/try.ts TARBALL LAUNCHER_FOLDER…`: what a stranger does with the package, for each Node and kind of user:
 * installs it into an empty home with install scripts blocked, asks for its version, reaches a goal, and in a terminal
 * runs a line, answers a HALT and leaves. Needs the npm registry, for node-pty and for the Nodes.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Scratch } from '../test/support/program.ts';
import { startRig } from '../test/support/rig.ts';
import { ROOT } from './manifest.ts';
import { type PackageJson, serveRegistry } from './registry.ts';

/** The oldest that `engines` names, and the newest long-term one. */
const NODES = ['22.12.0', '24.21.0'];
const MAX_INSTALLED_MB = 12;
/** `nobody`: an ordinary user who owns nothing. */
const NOBODY = { uid: 65534, gid: 65534 };
const GOAL = 'count the Python files here';

type Where = { readonly cwd: string; readonly env: Record<string, string>; readonly user: User };
type User = { readonly uid: number; readonly gid: number } | undefined;

const [tarball = '', ...launchers] = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), 'aish-release-'));
chmodSync(place, 0o755);
const users: readonly (readonly [string, User])[] =
  process.getuid?.() === 0
    ? [
        ['root', undefined],
        ['an ordinary user', NOBODY],
      ]
    : [['this user', undefined]];

const registry = await serveRegistry(
  launchers.map((folder) => {
    const manifest: PackageJson = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { manifest, tarball: `${folder}.tgz` };
  }),
);
try {
  for (const version of NODES) {
    const node = fetchNode(version);
    for (const [who, user] of users) await tryAs(version, node, who, user);
  }
} finally {
  registry.close();
  rmSync(place, { recursive: true, force: true });
}

async function tryAs(version: string, node: string, who: string, user: User): Promise<void> {
  const home = mkdtempSync(join(place, 'home-'));
  const work = join(home, 'work');
  mkdirSync(work);
  for (const name of ['a.py', 'b.py', 'old.log.1']) writeFileSync(join(work, name), 'x');
  for (const path of [home, work, ...readdirSync(work).map((name) => join(work, name))])
    if (user) chownSync(path, user.uid, user.gid);
  const env = environment(home, node);
  const began = performance.now();
  const prefix = join(home, 'npm');
  await must(
    'npm',
    [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      tarball,
      `--@aish-tui:registry=${registry.url}`,
    ],
    { cwd: home, env, user },
  );
  const seconds = (performance.now() - began) / 1000;
  const modules = join(prefix, 'lib/node_modules');
  const { bytes, files } = sizeOf(modules);
  const carried = join(modules, 'aish-tui/node_modules/@aish-tui');
  const other = existsSync(carried) ? readdirSync(carried).filter((name) => !name.endsWith(process.arch)) : [];
  if (other.length > 0) throw new Error(`npm installed launchers of other machines: ${other.join(', ')}`);
  if (bytes > MAX_INSTALLED_MB * 1e6) throw new Error(`installed it takes ${bytes} bytes`);

  const program = join(prefix, 'bin/aish-tui');
  const said = (await must(program, ['--version'], { cwd: work, env, user })).trim();
  const sandbox = /^.*sandbox.*$/m.exec(
    spawnSync(program, ['doctor'], { cwd: work, env, ...user, encoding: 'utf8' }).stdout,
  )?.[0];
  const ran = await must(program, ['run', GOAL], { cwd: work, env, user });
  if (!ran.includes('There are 2 Python files')) throw new Error(`the demo's goal ended otherwise:\n${ran}`);
  await onScreen(program, { home, work, env, [Symbol.dispose]() {} }, user);
  if (!user && process.getuid?.() === 0 && version === NODES.at(-1))
    await inEmptyRoot(program, { cwd: work, env, user });
  if (!existsSync(join(work, 'old.log.1'))) throw new Error('a skipped removal removed');
  console.log(
    `${said} on Node ${version} as ${who}: ${(bytes / 1e6).toFixed(1)} MB, ${files} files, installed in ${seconds.toFixed(1)} s\n  ${sandbox ?? 'no word on the sandbox'}`,
  );
}

/** The same in a root that holds nothing else, as in a small container. */
async function inEmptyRoot(program: string, { cwd, env, user }: Where): Promise<void> {
  const within = (...words: string[]) => [
    join(ROOT, 'release/empty-root.sh'),
    place,
    ...['/bin/sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', cwd, program, ...words],
  ];
  const ran = await must('/bin/sh', within('run', GOAL), { cwd, env, user });
  if (!ran.includes('There are 2 Python files')) throw new Error(`in an empty root the goal ended otherwise:\n${ran}`);
  await onScreen('/bin/sh', { home: env.HOME ?? cwd, work: cwd, env, [Symbol.dispose]() {} }, user, within());
  console.log('in an empty root: start, goal, HALT, quit');
}

/** Start, a line of the shell, a goal that HALTs, skip, quit. */
async function onScreen(file: string, scratch: Scratch, user: User, args: readonly string[] = []): Promise<void> {
  await using rig = startRig(scratch, { file, args, columns: 100, rows: 35, ...(user ? { user } : {}) });
  await rig.waitFor('[aish:demo]>', 60_000);
  rig.type('echo he""llo\r');
  await rig.waitFor(/^\W*hello$/m);
  rig.type(':norris clean up old logs here\r');
  await rig.waitFor('HALT');
  await rig.waitFor(/all shown/);
  rig.type('s');
  await rig.waitFor('a step was skipped');
  await rig.waitFor('[aish:demo]>');
  rig.type(':quit\r');
  const { code } = await rig.exited;
  if (code !== 0) throw new Error(`it left with ${code}:\n${rig.text()}`);
}

/** How this machine reaches the registry stays; nothing else of a person's set-up does. */
function environment(home: string, node: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|https?_proxy)$/i.test(name),
  );
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ''])),
    HOME: home,
    PATH: `${join(node, 'bin')}:/usr/local/bin:/usr/bin:/bin`,
    SHELL: '/bin/bash',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  };
}

function fetchNode(version: string): string {
  const name = `node-linux-${process.arch}`;
  const prefix = join(place, `node-${version}`);
  execFileSync(
    'npm',
    [
      'install',
      '--prefix',
      prefix,
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      `${name}@${version}`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  return join(prefix, 'node_modules', name);
}

/** Resolves to what it printed. Beside the registry, which must answer meanwhile. */
async function must(file: string, args: readonly string[], { user, ...where }: Where): Promise<string> {
  const child = spawn(file, args, { ...where, ...user, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}:\n${out}${err}`);
  return out;
}

function sizeOf(folder: string): { readonly bytes: number; readonly files: number } {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = all.reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length, 0);
  return { bytes, files: all.length };
}
