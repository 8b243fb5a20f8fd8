/** Package managers in Project mode install from registries on loopback, into caches of the project. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cacheOf } from '../../src/app/project-caches.ts';
import { SessionNetwork } from '../../src/app/session-network.ts';
import { projectArgv, sandboxEnvironment } from '../../src/effects/sandbox/index.ts';
import { buildTools, type Tools } from '../effects/sandbox/tools.ts';
import { trialsWork } from '../effects/undo/trial-support.ts';
import { lacks } from '../support/lacks.ts';

const digest = (kind: string, bytes: Buffer, as: 'hex' | 'base64') => createHash(kind).update(bytes).digest(as);

describe.skipIf(!trialsWork())('package managers in Project', () => {
  let tools: Tools;
  let root: string;
  let tree: string;
  let cache: string;
  let registry: Server;
  let at: string;
  let network: SessionNetwork;
  const files = new Map<string, Buffer | string>();

  beforeAll(async () => {
    tools = await buildTools();
    // Project mode has a /tmp of its own.
    root = mkdtempSync('/var/tmp/aish-packages-');
    tree = join(root, 'tree');
    cache = join(root, 'cache');
    mkdirSync(tree);
    registry = createServer(({ url = '' }, answer) => {
      const found = files.get(decodeURIComponent(url));
      answer.writeHead(found === undefined ? 404 : 200, {
        'content-type': /\/simple\//.test(url) ? 'text/html' : 'application/octet-stream',
      });
      answer.end(found);
    }).listen(0, '127.0.0.2');
    await new Promise((resolve) => registry.once('listening', resolve));
    const address = registry.address();
    at = `127.0.0.2:${typeof address === 'object' && address ? address.port : 0}`;
    network = new SessionNetwork(tools.launcher, { ask: async () => 'no', run: () => undefined, say: () => {} });
    network.grants.setNamed(at, true);
  });
  afterAll(() => {
    network.close();
    registry.close();
    tools.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  /** Runs a script with the user’s own home directory, where nothing can be written. */
  async function run(script: string, own = cacheOf(cache, tree)): Promise<string> {
    const joined = await network.join();
    const launch = {
      launcher: tools.launcher,
      argv: ['bash', '-ec', `exec 2>&1; ${script}`],
      cwd: tree,
      project: tree,
    };
    const [file = '', ...args] = projectArgv({ ...launch, tmpDir: own?.directory ?? '', network: joined?.holder });
    const env = { ...sandboxEnvironment(process.env, '/tmp'), ...joined?.env, ...own?.env };
    return new Promise((resolve) => {
      execFile(file, args, { env, timeout: 120_000 }, (error, out) =>
        resolve(`${out}${error ? `exit ${error.code}` : ''}`),
      );
    });
  }

  it.skipIf(lacks('npm') || lacks('tar'))('run npm ci, and its cache serves the next install', async () => {
    mkdirSync(join(root, 'package'));
    writeFileSync(join(root, 'package/package.json'), '{"name":"tiny","version":"1.0.0","main":"i.js"}');
    writeFileSync(join(root, 'package/i.js'), 'module.exports = "tiny works";');
    const packed = execFileSync('tar', ['czf', '-', '-C', root, 'package']);
    const dist = { tarball: `http://${at}/tiny.tgz`, integrity: `sha512-${digest('sha512', packed, 'base64')}` };
    files.set('/tiny.tgz', packed);
    writeFileSync(join(tree, 'package.json'), '{"name":"app","version":"1.0.0","dependencies":{"tiny":"1.0.0"}}');
    const locked = { version: '1.0.0', resolved: dist.tarball, integrity: dist.integrity };
    const packages = {
      '': { name: 'app', version: '1.0.0', dependencies: { tiny: '1.0.0' } },
      'node_modules/tiny': locked,
    };
    writeFileSync(
      join(tree, 'package-lock.json'),
      JSON.stringify({ name: 'app', version: '1.0.0', lockfileVersion: 3, requires: true, packages }),
    );
    const install = `npm ci --no-audit --no-fund --registry http://${at}/ && node -p 'require("tiny")'`;
    expect(await run(install)).toMatch(/added 1 package[\s\S]*tiny works/);
    files.delete('/tiny.tgz');
    expect(await run(install)).toMatch(/added 1 package[\s\S]*tiny works/);
  });

  it.skipIf(lacks('python3'))('let pip install into a venv of the project', async () => {
    const wheel = join(root, 'tiny-1.0-py3-none-any.whl');
    const write = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    z.writestr('tiny.py', 'WORKS = "tiny works"')
    z.writestr('tiny-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')
    z.writestr('tiny-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    z.writestr('tiny-1.0.dist-info/RECORD', '')`;
    execFileSync('python3', ['-c', write, wheel]);
    files.set('/simple/tiny/', '<a href="../../tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>');
    files.set('/tiny-1.0-py3-none-any.whl', readFileSync(wheel));
    const index = `--index-url http://${at}/simple/ --trusted-host 127.0.0.2`;
    const script = `python3 -m venv v && v/bin/pip install --disable-pip-version-check ${index} tiny && v/bin/python -c 'import tiny; print(tiny.WORKS)'`;
    const text = await run(script);
    expect(text).toMatch(/Successfully installed tiny-1.0[\s\S]*tiny works/);
    expect(text).not.toMatch(/not owned or is not writable|cache has been disabled/);
  });

  it.skipIf(lacks('cargo') || lacks('cc') || lacks('tar'))('let cargo build with a crate from a registry', async () => {
    const name = 'tinycrate';
    const source = join(root, `${name}-1.0.0`);
    mkdirSync(join(source, 'src'), { recursive: true });
    writeFileSync(join(source, 'Cargo.toml'), `[package]\nname = "${name}"\nversion = "1.0.0"\nedition = "2021"\n`);
    writeFileSync(join(source, 'src/lib.rs'), 'pub fn works() -> &\'static str { "tiny works" }\n');
    const packed = execFileSync('tar', ['czf', '-', '-C', root, `${name}-1.0.0`]);
    const row = { name, vers: '1.0.0', deps: [], cksum: digest('sha256', packed, 'hex'), features: {}, yanked: false };
    files.set('/index/config.json', JSON.stringify({ dl: `http://${at}/crates/{crate}-{version}` }));
    files.set(`/index/ti/ny/${name}`, `${JSON.stringify(row)}\n`);
    files.set(`/crates/${name}-1.0.0`, packed);
    const app = join(tree, 'app');
    mkdirSync(join(app, 'src'), { recursive: true });
    mkdirSync(join(app, '.cargo'));
    writeFileSync(join(app, '.cargo/config.toml'), `[registries.local]\nindex = "sparse+http://${at}/index/"\n`);
    writeFileSync(
      join(app, 'Cargo.toml'),
      `[package]\nname = "app"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\n${name} = { version = "1", registry = "local" }\n`,
    );
    writeFileSync(join(app, 'src/main.rs'), `fn main() { println!("{}", ${name}::works()); }\n`);
    expect(await run('cd app && cargo run')).toMatch(/Downloaded tinycrate[\s\S]*tiny works/);
    files.delete(`/crates/${name}-1.0.0`);
    expect(await run('cd app && rm -r target && cargo run')).toContain('tiny works');
    // A new cache starts with the user's files.
    const CARGO_HOME = cacheOf(cache, tree)?.env.CARGO_HOME;
    const fresh = cacheOf(join(root, 'fresh'), tree, { ...process.env, CARGO_HOME });
    expect(await run('cd app && rm -r target && cargo run --offline', fresh)).toContain('tiny works');
  });

  it.skipIf(lacks('go') || lacks('python3'))('let go build with a module from a proxy', async () => {
    const proxy = join(root, 'proxy/tiny.example/m/@v');
    mkdirSync(proxy, { recursive: true });
    writeFileSync(join(proxy, 'list'), 'v1.0.0\n');
    writeFileSync(join(proxy, 'v1.0.0.info'), '{"Version":"v1.0.0","Time":"2024-01-01T00:00:00Z"}');
    writeFileSync(join(proxy, 'v1.0.0.mod'), 'module tiny.example/m\n');
    const write = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    z.writestr('tiny.example/m@v1.0.0/go.mod', 'module tiny.example/m\\n')
    z.writestr('tiny.example/m@v1.0.0/m.go', 'package m\\nfunc Works() string { return "tiny works" }\\n')`;
    execFileSync('python3', ['-c', write, join(proxy, 'v1.0.0.zip')]);
    const app = join(tree, 'goapp');
    mkdirSync(app);
    writeFileSync(join(app, 'go.mod'), 'module app\nrequire tiny.example/m v1.0.0\n');
    const main = 'package main\nimport ("fmt"; "tiny.example/m")\nfunc main() { fmt.Println(m.Works()) }\n';
    writeFileSync(join(app, 'main.go'), main);
    const settings = `export CGO_ENABLED=0 GOFLAGS=-mod=mod GOSUMDB=off GOPROXY=file://${join(root, 'proxy')}`;
    expect(await run(`${settings}; cd goapp; go run .`)).toContain('tiny works');
    rmSync(join(root, 'proxy'), { recursive: true });
    expect(await run(`${settings}; cd goapp; go run .`)).toBe('tiny works\n');
  });

  it('leave nothing in the project or the home directory', async () => {
    expect(await run('touch "$PIP_CACHE_DIR"; touch ~/x || echo refused')).toMatch(/Read-only file system\s*refused/);
    expect(readdirSync(tree).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});
