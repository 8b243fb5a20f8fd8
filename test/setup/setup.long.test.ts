/** `setup.sh` and the `aish-tui` shim, with fakes of Node and npm that print how they were called. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRig } from '../support/rig.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MACHINE = process.arch === 'arm64' ? 'arm64' : 'x64';

/** A fake Node that prints its version, "builds", or its arguments. */
const NODE = (version: string) => `#!/bin/sh
case $1 in
  --version) echo v${version} ;;
  build.mjs) [ ! -f broken ] || { echo 'a fault in the source' >&2; exit 1; }; mkdir -p dist && touch dist/aish-tui.mjs ;;
  *) echo "node ${version}" "$@" ;;
esac
`;

/** A fake npm that installs the requested packages, unless the registry is down. */
const NPM = `#!/bin/sh
echo "npm $*" >> npm.log
[ ! -f registry-is-down ] || { echo 'npm error network' >&2; exit 1; }
until [ ! -f registry-is-slow ]; do sleep 0.05; done
case $1 in
  ci)
    mkdir -p node_modules && touch node_modules/.package-lock.json
    case $* in *--include=dev*) mkdir -p node_modules/vitest ;; esac ;;
  install) mkdir -p .runtime/node_modules/node-linux-${MACHINE}/bin && cp private-node .runtime/node_modules/node-linux-${MACHINE}/bin/node ;;
esac
`;

let place: string;
const at = (path: string) => join(place, path);

function program(path: string, text: string): void {
  mkdirSync(join(at(path), '..'), { recursive: true });
  writeFileSync(at(path), text, { mode: 0o755 });
}

function run(file: string, args: readonly string[], input = '') {
  const env = { PATH: `${at('bin')}:/usr/bin:/bin`, HOME: place };
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: place, env, input, encoding: 'utf8' });
  return { status, out: stdout, err: stderr };
}

const setUp = (args: readonly string[], input?: string) => run('/bin/sh', ['setup.sh', ...args], input);
const nodeOnPath = (version: string) => program('bin/node', NODE(version));

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'aish-setup-'));
  mkdirSync(at('scripts'));
  for (const name of ['setup.sh', 'scripts/find-node.sh', 'aish-tui']) copyFileSync(join(ROOT, name), at(name));
  writeFileSync(at('package-lock.json'), '{}');
  for (const source of [
    'src',
    'components',
    'hooks',
    'build.mjs',
    'release/added.mjs',
    'release/notices.mjs',
    'package.json',
    'tsconfig.json',
  ])
    mkdirSync(at(source), { recursive: true });
  program('bin/npm', NPM);
  program('private-node', NODE('24.21.0'));
  nodeOnPath('22.12.0');
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

describe('setup.sh', () => {
  it('installs and builds with a line for each; a second run does nothing and prints nothing', () => {
    expect(setUp(['echo', 'hello'])).toEqual({
      status: 0,
      out: 'hello\n',
      err: 'aish-tui: installing packages\naish-tui: building\n',
    });
    expect(setUp(['echo', 'hello'])).toEqual({ status: 0, out: 'hello\n', err: '' });
  });

  it('builds again when a source is newer, and installs again when the lock file is', () => {
    setUp([]);
    const later = Date.now() / 1000 + 60;
    writeFileSync(at('src/cli.ts'), '');
    utimesSync(at('src/cli.ts'), later, later);
    expect(setUp([]).err).toBe('aish-tui: building\n');
    utimesSync(at('package-lock.json'), later, later);
    expect(setUp([]).err).toContain('aish-tui: installing packages\n');
  });

  it('installs the packages of the tests only with --tests, and then keeps them', () => {
    const installs = () => readFileSync(at('npm.log'), 'utf8').match(/(?<=^npm ci .*)--(?:omit|include)=dev/gm);
    setUp([]);
    expect(setUp(['--tests', 'echo', 'hello'])).toMatchObject({ status: 0, out: 'hello\n' });
    setUp(['--tests']);
    expect(installs()).toEqual(['--omit=dev', '--include=dev']);
    const later = Date.now() / 1000 + 60;
    utimesSync(at('package-lock.json'), later, later);
    setUp([]);
    expect(installs()).toEqual(['--omit=dev', '--include=dev', '--include=dev']);
  });

  it('builds where it can’t determine whether a source is newer', () => {
    setUp([]);
    program('bin/find', '#!/bin/sh\necho find: not found >&2; exit 127\n');
    expect(setUp([]).err).toBe('aish-tui: building\n');
  });

  it('leaves standard input to the command, and its exit code to the caller', () => {
    expect(setUp(['sh', '-c', 'cat; exit 7'], 'for the command')).toMatchObject({ status: 7, out: 'for the command' });
  });

  it.runIf(process.platform === 'linux')('installs a private Node once where the machine’s is too old', () => {
    nodeOnPath('20.20.2');
    const first = setUp(['node', 'x']);
    expect(first).toMatchObject({ status: 0, out: 'node 24.21.0 x\n' });
    expect(first.err).toMatch(/^aish-tui: Node v20\.20\.2 is older than 22\.12: fetching Node 24\.21\.0 .*\n/);
    expect(setUp(['node', 'x'])).toEqual({ status: 0, out: 'node 24.21.0 x\n', err: '' });
  });

  it('shows npm’s message when it fails, does not run the command, and continues the next time', () => {
    writeFileSync(at('registry-is-down'), '');
    const failed = setUp(['echo', 'hello']);
    expect(failed).toMatchObject({ status: 1, out: '' });
    expect(failed.err).toMatch(/npm error network\naish-tui: installing packages failed; .*\n$/);
    rmSync(at('registry-is-down'));
    expect(setUp(['echo', 'hello'])).toMatchObject({ status: 0, out: 'hello\n' });
  });

  it.each(['ends', 'is stopped'])('shows on a terminal the seconds of a long step, until that %s', async (how) => {
    writeFileSync(at('registry-is-slow'), '');
    const env = { PATH: `${at('bin')}:/usr/bin:/bin`, HOME: place, TERM: 'xterm-256color' };
    const slow = { work: place, home: place, env, [Symbol.dispose]() {} };
    await using rig = startRig(slow, { file: '/bin/sh', args: ['setup.sh', 'echo', 'hello'] });
    await rig.waitFor(/^aish-tui: installing packages, [2-9] s \(Ctrl-C stops\)$/m);
    if (how === 'ends') rmSync(at('registry-is-slow'));
    else rig.key('ctrl-c');
    expect((await rig.exited).code).toBe(how === 'ends' ? 0 : 130);
    expect(rig.text().trimEnd()).toMatch(
      how === 'ends' ? /^aish-tui: installing packages\naish-tui: building\nhello$/ : /^aish-tui: installing packages/,
    );
    expect(existsSync(at('.runtime/set-up.lock'))).toBe(false);
  });

  it('shows why a build failed', () => {
    writeFileSync(at('broken'), '');
    expect(setUp(['echo', 'hello']).err).toMatch(/a fault in the source\naish-tui: the build failed; .*\n$/);
  });

  it('explains that this account can’t write, instead of waiting', () => {
    writeFileSync(at('.runtime'), '');
    const refused = setUp(['echo', 'hello']);
    expect(refused).toMatchObject({ status: 1, out: '' });
    expect(refused.err).toMatch(/^aish-tui: \S+ is to be set up, and \S+ can't write there\. .*sh setup\.sh\n$/);
  });

  it('avoids an npm cache with files of another user, and says so', () => {
    const cache = at('.npm');
    mkdirSync(cache);
    program('bin/id', '#!/bin/sh\necho 4242\n');
    program('bin/npm', NPM.replace('"npm $*"', '"npm $1 $npm_config_cache"'));
    expect(setUp([]).err).toContain(`aish-tui: ${cache} holds files of another user; using .runtime/npm-cache`);
    expect(readFileSync(at('npm.log'), 'utf8')).toMatch(/^npm ci \S+\/\.runtime\/npm-cache$/m);
  });

  it('takes over the lock of a killed set-up', () => {
    const { pid } = spawnSync('/bin/true');
    program('.runtime/set-up.lock/pid', `${pid}\n`);
    expect(setUp(['echo', 'hello'])).toMatchObject({ status: 0, out: 'hello\n' });
  });
});

describe('the shim', () => {
  const shim = (...args: string[]) => run('./aish-tui', args);

  it('says what to do when there is no build', () => {
    expect(shim()).toMatchObject({
      status: 1,
      err: expect.stringMatching(/^aish-tui is not built yet: run `npm start`.*\n$/),
    });
  });

  it.each(['22.12.0', '23.0.0', '100.1.2'])('runs the bundle under Node %s with all arguments', (version) => {
    nodeOnPath(version);
    program('dist/aish-tui.mjs', '');
    expect(shim('run', 'a b').out).toBe(`node ${version} ./dist/aish-tui.mjs run a b\n`);
  });

  it.each(['20.20.2', '22.11.9', '8.0.0'])('refuses Node %s in one line', (version) => {
    nodeOnPath(version);
    program('dist/aish-tui.mjs', '');
    const line = new RegExp(`^aish-tui needs Node 22\\.12 or newer; found v${version}\\. .*\\n$`);
    expect(shim()).toMatchObject({ status: 1, out: '', err: expect.stringMatching(line) });
  });

  it('does not mention npm start in the package, where there is no checkout', () => {
    nodeOnPath('20.20.2');
    program('dist/aish-tui.mjs', '');
    rmSync(at('setup.sh'));
    expect(shim().err).toBe(
      'aish-tui needs Node 22.12 or newer; found v20.20.2. Install one from https://nodejs.org\n',
    );
  });

  it.runIf(process.platform === 'linux').each([
    ['-n 20', '20 open files'],
    ['-u 10', '10 processes'],
    ['-u 100', '100 processes'],
  ])('explains in one line that the limit %s is too low, before Node aborts with a stack trace', (limit, told) => {
    program('bin/node', NODE('24.0.0').replace('*)', '-e) exit 134 ;;\n  *)'));
    program('bin/id', '#!/bin/sh\necho 4242\n');
    program('dist/aish-tui.mjs', '');
    const { status, out, err } = run('bash', ['-c', `ulimit -S ${limit}; exec ./aish-tui`]);
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(new RegExp(`^aish-tui can't start: only .*${told} .*\n$`));
  });

  it('finds its folder through links to links', () => {
    program('dist/aish-tui.mjs', '');
    mkdirSync(at('links'));
    symlinkSync('../aish-tui', at('links/one'));
    symlinkSync(at('links/one'), at('links/two'));
    expect(run(at('links/two'), []).out).toMatch(/^node 22\.12\.0 .*\/dist\/aish-tui\.mjs\n$/);
  });

  it.runIf(process.platform === 'linux')(
    'uses the private Node if there is one, and never one made for another machine',
    () => {
      nodeOnPath('20.20.2');
      program('dist/aish-tui.mjs', '');
      program(`.runtime/node_modules/node-linux-${MACHINE === 'x64' ? 'arm64' : 'x64'}/bin/node`, NODE('24.0.0'));
      expect(shim().status).toBe(1);
      program(`.runtime/node_modules/node-linux-${MACHINE}/bin/node`, NODE('24.0.0'));
      expect(shim().out).toBe('node 24.0.0 ./dist/aish-tui.mjs\n');
    },
  );
});
