/** What aish-tui itself starts by its configuration counts as run later where it lies in a project's tree, or is found through it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { byConfiguration as started } from '../../../src/app/by-configuration.ts';
import { byConfiguration } from '../../../src/effects/undo/by-configuration.ts';
import { obeyedBy } from '../../../src/effects/undo/obeyed-by.ts';
import { waysThrough } from '../../../src/effects/undo/ways.ts';

let root: string;
let tree: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-started-')));
  tree = join(root, 'tree');
  for (const name of FILES) put(name);
  symlinkSync('../lib/cli.js', join(tree, 'node_modules/.bin/other'));
  symlinkSync('tools/mcp.sh', join(tree, 'linked'));
  put('app/package.json', '{"main": "./run"}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, text = ''): void {
  const path = join(tree, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const FILES =
  'mcp.sh tools/mcp.sh dist/server.js dist/part.js server.py src/main.ts data/notes.md bin/serve sub/server/package.json node_modules/lib/cli.js node_modules/.bin/tsc pkg/__main__.py pkg/__init__.py pre.js package.json Makefile README.md app/package.json app/run.js own/bin/python own/lib/python3/site-packages/a.py'.split(
    ' ',
  );

type Server = { readonly command: string; readonly args?: readonly string[]; readonly env?: Record<string, string> };

const NONE = { models: {}, mcp: { servers: {}, auto_approve: [], read_only: [] } };

/** Which of these count, with `TREE` for the tree in all texts. */
function counted(config: object, names: readonly string[], cwd = tree): readonly string[] {
  const told = JSON.parse(JSON.stringify(config).replaceAll('TREE', tree));
  const of = obeyedBy(byConfiguration(started({ ...NONE, ...told }), tree, waysThrough(), cwd));
  return names.filter((name) => of({ path: join(tree, name), kind: name === 'linked' ? 'link' : 'file' }));
}
const withServer = (server: Server) => ({ mcp: { ...NONE.mcp, servers: { x: server } } });

/** What the server is, and what of the tree counts. */
const CASES: readonly (readonly [Server, readonly string[]])[] = [
  [{ command: 'TREE/mcp.sh' }, ['mcp.sh']],
  [{ command: './tools/mcp.sh', args: ['.'] }, ['tools/mcp.sh']],
  [{ command: 'TREE/linked' }, ['linked', 'tools/mcp.sh']],
  [{ command: '/bin/sh', args: ['TREE/mcp.sh', 'TREE/data'] }, ['mcp.sh']],
  [{ command: 'sh', args: ['-c', 'cd tools && exec ./mcp.sh'] }, ['mcp.sh', 'tools/mcp.sh']],
  [{ command: 'bash', args: ['-c', 'exec "$HERE/tools/mcp.sh"'] }, ['tools/mcp.sh']],
  [{ command: 'env', args: ['A=1', 'node', 'dist/server.js', '.'] }, ['dist/server.js']],
  [{ command: 'node', args: ['--import=./pre.js', 'dist/server.js'] }, ['pre.js', 'dist/server.js']],
  [{ command: 'node', args: ['-r./pre.js', '/opt/server.js'] }, ['pre.js']],
  [{ command: 'node', args: ['sub/server'] }, ['sub/server/package.json']],
  [{ command: 'node', args: ['--run', 'start'] }, ['package.json']],
  [{ command: 'python3', args: ['server.py'] }, ['server.py']],
  [{ command: 'python3', args: ['pkg'] }, ['pkg/__main__.py']],
  [
    { command: 'python3', args: ['-m', 'pkg'] },
    ['server.py', 'pkg/__main__.py', 'pkg/__init__.py', 'json.py', 'logging/__init__.py', 'linked'],
  ],
  [{ command: 'python3', args: ['-P', '-m', 'mcp_server_git'] }, []],
  [{ command: 'python3', args: ['-m', 'mcp_server_git'], env: { PYTHONSAFEPATH: '1' } }, []],
  [
    { command: 'uv', args: ['--directory', 'TREE/tools', 'run', 'mcp.sh'] },
    ['mcp.sh', 'tools/mcp.sh', 'tools/pyproject.toml'],
  ],
  [{ command: 'uvx', args: ['mcp-server-git', '--repository', '.'] }, []],
  [{ command: 'make', args: ['serve'] }, ['Makefile']],
  [{ command: 'serve', env: { PATH: '/usr/bin:TREE/bin' } }, ['bin/serve', 'bin/any']],
  [{ command: 'serve', env: { PATH: 'bin:/usr/bin' } }, ['bin/serve', 'bin/any']],
  [{ command: '/opt/x', env: { PYTHONPATH: 'TREE/lib' } }, ['lib/new.py', 'lib/new/__init__.py']],
  [{ command: '/opt/x', env: { NODE_OPTIONS: '--require ./pre.js' } }, ['pre.js']],
  [{ command: 'env', args: ['PYTHONPATH=lib', '/opt/x'] }, ['lib/new.py', 'lib/new/__init__.py']],
  [{ command: 'sh', args: ['-c', 'PATH="bin:$PATH" exec serve'] }, ['bin/serve', 'bin/any']],
  [{ command: 'node', args: ['dist/server'] }, ['dist/server.js']],
  [{ command: 'node', args: ['-r', './pre', '/opt/server.js'] }, ['pre.js']],
  [{ command: 'node', args: ['-r./pre', '/opt/server.js'] }, ['pre.js']],
  [{ command: 'node', args: ['app'] }, ['app/package.json', 'app/run.js']],
  [{ command: 'TREE/own/bin/python', args: ['/opt/s.py'] }, ['own/bin/python', 'own/lib/python3/site-packages/a.py']],
  [{ command: 'perl', args: ['-Ibin', '-MFoo', '/opt/x.pl'] }, ['bin/serve', 'bin/any', 'bin/deep/any', 'linked']],
  [{ command: 'ruby', args: ['-I', 'bin', '/opt/x.rb'] }, ['bin/serve', 'bin/any', 'bin/deep/any', 'linked']],
  [{ command: 'npm', args: ['run', 'mcp'] }, ['node_modules/.bin/tsc', 'node_modules/lib/cli.js', 'package.json']],
  [{ command: '/opt/server', args: ['.', 'TREE', 'TREE/data', './src', '--root=src'] }, []],
];
const ALL = [
  ...new Set([...FILES, ...CASES.flatMap(([, names]) => names), 'bin/deep/any', 'lib/new/deep.py', 'src/json.py']),
];

it.each(CASES)('an MCP server %j', (server, names) => {
  expect(new Set(counted(withServer(server), ALL))).toEqual(new Set(names));
});

it.each([
  [{ command: 'npx', args: ['-y', '@x/server-files@1.2', '.'] }],
  [{ command: 'sh', args: ['-c', 'exec npx -y @x/server-files .'] }],
])('what runs packages gets none of the tree’s: %j', (server) => {
  const names = ['.bin/server-files', '@x/server-files/package.json', '@x/server-files/dist/i.js'];
  const packages = names.flatMap((name) => [`node_modules/${name}`, `sub/node_modules/${name}`]);
  const ordinary = ['node_modules/react/index.js', 'src/main.ts', 'package.json', 'node_modules/@x/other/i.js'];
  const all = [...packages, ...ordinary, 'node_modules/lib/cli.js'];
  expect(counted(withServer(server), all)).toEqual([...packages, 'node_modules/lib/cli.js']);
  expect(counted(withServer(server), all, join(tree, 'sub'))).toEqual([...packages, 'node_modules/lib/cli.js']);
  put('package.json', '{"bin": {"server-files": "./own.js"}}');
  expect(counted(withServer(server), ['package.json'])).toEqual(['package.json']);
});

it('a link in place of the packages counts', () => {
  const server = withServer({ command: 'npx', args: ['some-server'] });
  const of = obeyedBy(byConfiguration(started({ ...NONE, ...server }), tree, waysThrough(), tree));
  const isLink = (name: string) => of({ path: join(tree, name), kind: 'link' }) !== undefined;
  expect(isLink('sub/node_modules')).toBe(true);
  expect(isLink('sub/node_modules/.bin')).toBe(true);
  expect(isLink('sub/modules')).toBe(false);
});

it.each([
  [{ models: { fast: { base_url: 'http://x', serve: 'cd TREE && exec ./mcp.sh --port 1' } } }, 'mcp.sh'],
  [{ models: { fast: { base_url: 'http://x', api_key_cmd: 'tools/mcp.sh' } } }, 'tools/mcp.sh'],
  [{ shell: 'TREE/bin/serve' }, 'bin/serve'],
])('all that it starts: %j', (config, name) => {
  expect(counted(config, ALL)).toEqual([name]);
});

/** What finds its code by ways of its own: all code of its kind counts, wherever it lies. */
const OPEN: readonly (readonly [Server, readonly string[]])[] = [
  [{ command: 'ruby', args: ['-Ilib', '-rown', '/opt/x.rb'] }, ['deep/in/a.rb']],
  [{ command: '/opt/x', env: { RUBYOPT: '-r./deep/own' } }, ['deep/in/a.rb']],
  [{ command: 'lua', args: ['/opt/x.lua'], env: { LUA_PATH: './?.lua;;' } }, ['deep/in/a.lua']],
  [{ command: 'java', args: ['-cp', 'TREE/deep:/opt/x.jar', 'com.x.Main'] }, ['deep/in/A.class', 'deep/a.jar']],
  [{ command: 'java', args: ['com.x.Main'] }, ['deep/in/A.class', 'deep/a.jar']],
  [{ command: 'cargo', args: ['run', '--quiet'] }, ['deep/in/a.rs', 'deep/Cargo.toml']],
  [{ command: 'go', args: ['run', './deep'] }, ['deep/in/a.go']],
  [{ command: 'dotnet', args: ['run', '--project', './deep'] }, ['deep/in/a.cs', 'deep/a.csproj']],
  [{ command: 'sh', args: ['-c', 'exec go run ./deep'] }, ['deep/in/a.go']],
  [{ command: 'npx', args: ['-y', './deep'] }, ['deep/in/a.js', 'deep/package.json']],
  [{ command: 'npx', args: ['--package=./deep', 'serve', '.'] }, ['deep/in/a.js', 'deep/package.json']],
  [{ command: 'npm', args: ['exec', '--', './deep'] }, ['deep/in/a.js', 'deep/package.json']],
  [{ command: 'npx', args: ['own@file:./deep', '.'] }, ['deep/in/a.js', 'deep/package.json']],
  [{ command: 'npm', args: ['-w', 'own', 'run', 'mcp'] }, ['deep/package.json']],
  [{ command: 'uvx', args: ['--from', './deep', 'serve'] }, ['deep/in/a.py']],
  [{ command: 'uvx', args: ['--from', '.[all]', 'serve'] }, ['deep/in/a.py']],
  [{ command: 'bun', args: ['--preload', 'own', '/opt/x.js'] }, ['node_modules/own/hook.js']],
  [{ command: '/opt/x', env: { UV_PROJECT: 'deep' } }, ['deep/in/a.py']],
  [{ command: 'node', args: ['-r', 'own/hook', '/opt/x.js'] }, ['node_modules/own/hook.js']],
  [{ command: 'node', args: ['--import=@my/own', '/opt/x.js'] }, ['node_modules/@my/own/i.js']],
  [{ command: '/opt/x', env: { NODE_OPTIONS: '--require own' } }, ['node_modules/own/hook.js']],
  [{ command: 'python3', args: ['-m', 'pkg'] }, ['pkg/__pycache__/__main__.cpython-312.pyc']],
  [
    { command: 'python3', args: ['-P', '-m', 'in.a'], env: { PYTHONPATH: 'deep' } },
    ['deep/in/a.py', 'deep/in/__pycache__/a.cpython-312.opt-1.pyc'],
  ],
];
/** No line of a shell says less than what a shell makes of it. */
const LINES: readonly (readonly [string, readonly string[]])[] = [
  ['exec ./deep/{serve,other}.sh', ['deep/serve.sh']],
  ['exec ./dee?/serve*', ['deep/serve.sh']],
  ['exec ./de"ep/ser"ve.sh', ['deep/serve.sh']],
  ['exec "my tools"/serve.sh', ['my tools/serve.sh']],
  ['exec my\\ tools/serve.sh', ['my tools/serve.sh']],
  ["cd 'my tools' && exec ./serve.sh", ['my tools/serve.sh']],
  ['[ -f deep ] && exec /opt/serve', []],
];
const OF_OPEN = [...new Set([...OPEN, ...LINES].flatMap(([, names]) => names))];

it.each(OPEN)('what finds code by ways of its own: %j', (server, names) => {
  for (const name of OF_OPEN) put(name);
  expect(counted(withServer(server), OF_OPEN)).toEqual(expect.arrayContaining([...names]));
  // What is no code of any language never counts.
  expect(counted(withServer(server), ['deep/in/notes.md', 'deep/in/data.csv'])).toEqual([]);
});

it.each(LINES)('a line for the shell: %s', (line, names) => {
  for (const name of OF_OPEN) put(name);
  const told = counted(withServer({ command: 'sh', args: ['-c', line] }), OF_OPEN);
  expect(told).toEqual(names.length === 0 ? [] : expect.arrayContaining([...names]));
  expect(counted({ models: { fast: { base_url: 'http://x', serve: line } } }, OF_OPEN)).toEqual(told);
});

it.each<readonly [Server]>([
  [{ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.', 'TREE/deep'] }],
  [{ command: 'npx', args: ['-y', 'some-server@latest', '--root', './deep'], env: { ALLOWED: 'TREE' } }],
  [{ command: 'bunx', args: ['some-server', 'TREE'] }],
  [{ command: 'uvx', args: ['mcp-server-git', '--repository', 'TREE'] }],
  [
    {
      command: 'uvx',
      args: ['--from', 'git+https://example.com/x/y', 'serve', '.'],
      env: { UV_INDEX_URL: 'http://x/s' },
    },
  ],
  [{ command: 'docker', args: ['run', '-i', '--rm', '-v', 'TREE:/work', 'mcp/git'] }],
  [{ command: 'python3', args: ['-P', '-m', 'mcp_server_git', '-r', 'TREE'], env: { PYTHONUNBUFFERED: '1' } }],
  [{ command: 'python3', args: ['-m', 'mcp_server_git', '-r', 'TREE'], env: { PYTHONUNBUFFERED: '1' } }],
  [{ command: 'node', args: ['/opt/server.js', '.'], env: { NODE_ENV: 'production' } }],
  [{ command: '/opt/server', args: ['.', 'TREE/deep'], env: { GOOGLE_DIR: 'TREE' } }],
  [{ command: 'go', args: ['run', 'github.com/x/y@latest', '--root', '.'] }],
  [{ command: 'java', args: ['-Xmx512m', '-Dstdio=true', '-jar', '/opt/x.jar', '--root', '.'] }],
  [{ command: 'ruby', args: ['/opt/x.rb', '--root', './deep'] }],
  [{ command: 'php', args: ['artisan', 'boost:mcp'] }],
  [{ command: 'dotnet', args: ['run', '--project', '/opt/x', '--no-build'] }],
  [{ command: 'cargo', args: ['run', '--manifest-path=/opt/x/Cargo.toml', '--', '.'] }],
])('everyday servers ask about no code of the project: %j', (server) => {
  const ordinary = 'src/main.ts src/__pycache__/a.cpython-312.pyc __pycache__/a.cpython-312.pyc build/a.rs a.php'.split(
    ' ',
  );
  const code = OF_OPEN.filter((name) => !name.startsWith('pkg/') && !name.startsWith('node_modules/'));
  const all = [...code, ...ordinary];
  for (const name of all) put(name);
  expect(counted(withServer(server), all)).toEqual([]);
});

it('nothing of a tree that it is not started in, nor of a server that is reached by its address', () => {
  expect(
    counted(withServer({ command: 'npx', args: ['-y', '@x/server'] }), ['package.json', 'src/main.ts'], root),
  ).toEqual([]);
  expect(counted({ mcp: { ...NONE.mcp, servers: { x: { url: 'http://x/mcp' } } } }, ALL)).toEqual([]);
});
