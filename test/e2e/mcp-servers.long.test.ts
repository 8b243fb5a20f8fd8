import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { startLoginServer } from '../tools/mcp/login-server.ts';

const mcp = (place: Scratch, ...args: string[]) => runProgram(place, ['mcp', ...args]);
const written = (place: Scratch) => readFileSync(join(place.home, 'config.jsonc'), 'utf8');

it('aish-tui mcp add, list and remove use the user’s own file and keep its comments', async () => {
  using place = scratch();
  writeFileSync(join(place.home, 'config.jsonc'), '// mine\n{ "memory": { "enabled": false } }\n');
  const files = await mcp(place, 'add', '--env', 'TOKEN=a=b', 'files', '--', 'npx', '-y', 'server-files', '/srv');
  expect(files).toMatchObject({ code: 0, out: expect.stringContaining('files is in ') });
  expect(
    await mcp(place, 'add', '--header', 'Authorization: Bearer x', 'wiki', 'https://wiki.example/mcp'),
  ).toMatchObject({ code: 0 });
  expect(written(place)).toMatch(/^\/\/ mine\n/);
  const listed = await mcp(place, 'list');
  expect(listed.out).toBe(
    'files  npx -y server-files /srv  (TOKEN)\nwiki  https://wiki.example/mcp  (Authorization)\n',
  );
  expect((await mcp(place)).out).toBe(listed.out);
  expect((await mcp(place, 'remove', 'files')).code).toBe(0);
  expect((await mcp(place, 'list')).out).toBe('wiki  https://wiki.example/mcp  (Authorization)\n');
  expect((await runProgram(place, ['config', 'check'])).code).toBe(0);
});

it.each([
  [['add', 'a b', '--', 'x'], 'a server is named with'],
  [['add', 'a', 'https://x.example', 'more'], 'unexpected more after the address'],
  [['add', '--header', 'A: b', 'a', '--', 'x'], '--header is for a server with an address'],
  [['add', '--env', 'A=b', 'a', 'http://x.example'], '--env is for a server that is started'],
  [['add', '--env', 'A', 'a', '--', 'x'], 'needs a name'],
  [['add', 'a'], "missing required argument 'target'"],
  [['remove', 'a'], 'there is no server a'],
  [['import', '/no/such/file'], "can't be read"],
])(
  'aish-tui mcp %j prints one line about the mistake, exits with 2, and leaves the file unchanged',
  async (args, message) => {
    using place = scratch();
    const before = written(place);
    expect(await mcp(place, ...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
    expect(written(place)).toBe(before);
  },
);

it('aish-tui mcp add refuses a name that is taken', async () => {
  using place = scratch();
  await mcp(place, 'add', 'one', '--', 'first');
  expect(await mcp(place, 'add', 'one', '--', 'second')).toMatchObject({ code: 2 });
  expect((await mcp(place, 'list')).out).toBe('one  first\n');
});

it('aish-tui mcp import shows the servers in another client’s file, and copies the chosen ones', async () => {
  using place = scratch();
  mkdirSync(join(place.work, '.cursor'));
  const file = join(place.work, '.cursor', 'mcp.json');
  const servers = {
    files: { command: 'npx', args: ['server-files'], env: { KEY: 'hidden' }, type: 'stdio' },
    wiki: { url: 'https://wiki.example/mcp' },
    broken: { command: 7 },
  };
  writeFileSync(file, `// comment\n${JSON.stringify({ mcpServers: servers })}`);
  expect((await mcp(place, 'import', file)).out).toBe(
    'files  npx server-files  (KEY)\nwiki  https://wiki.example/mcp\n',
  );
  expect((await mcp(place, 'list')).out).toContain('no MCP server');
  expect((await mcp(place, 'import', file, 'files')).code).toBe(0);
  expect((await mcp(place, 'list')).out).toBe('files  npx server-files  (KEY)\n');
  expect(written(place)).toContain('"hidden"');
  expect((await mcp(place, 'import', file, 'broken')).code).toBe(2);
});

it('aish-tui mcp login shows where to log in, and the next start uses the login', async () => {
  await using server = await startLoginServer();
  using place = scratch();
  await mcp(place, 'add', 'web', server.url);
  let browsed = false;
  const login = await runProgram(place, ['mcp', 'login', 'web'], {
    onOut: (out) => {
      const [, address] = /^ {2}(http:\S+)$/m.exec(out) ?? [];
      if (address === undefined || browsed) return;
      browsed = true;
      void fetch(address).catch(() => {});
    },
  });
  expect(login).toMatchObject({ code: 0, out: expect.stringContaining('web is ready: 1 tool') });
  const shown = login.out + login.err;
  for (const secret of server.handed) expect(shown).not.toContain(secret);
  expect((await mcp(place, 'login', 'web')).out).toBe('web is ready: 1 tool\n');
  expect((await mcp(place, 'logout', 'web')).out).toBe('logged out of web\n');
  expect((await mcp(place, 'login', 'files')).code).toBe(2);
});

it(':mcp login logs in on the screen', async () => {
  await using server = await startLoginServer();
  using place = scratch();
  await mcp(place, 'add', 'web', server.url);
  await using rig = await openRig(place, 'mcp: web wants a login: :mcp login web', { rows: 40, columns: 600 });
  rig.type(':mcp login web\r');
  await rig.waitFor(/log in at 127\.0\.0\.1/);
  await rig.waitFor(/give it to\s+(?:│\s+)?:mcp login web ADDRESS/);
  // The screen is wide enough for the whole address in one row.
  const [address = ''] = /http:\/\/127\S+/.exec(rig.text()) ?? [];
  void fetch(address).catch(() => {});
  await rig.waitFor('mcp: web: logged in');
  rig.type(':mcp\r');
  await rig.waitFor(/web +ready +1 tool/);
});
