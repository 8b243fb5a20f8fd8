/** The light profile: everything writable except other terminals; signals stay inside. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPrivateTmp, detectSandbox, lightArgv, type PrivateTmp } from '../../../src/effects/sandbox/index.ts';
import { lacks } from '../../support/lacks.ts';
import { inPty } from './pty.ts';
import { run, until } from './run.ts';
import { buildTools, type Tools } from './tools.ts';

let tools: Tools;
let place: PrivateTmp;
let signals = true;
beforeAll(async () => {
  tools = await buildTools({ hostile: true });
  signals = (await detectSandbox({ launcher: tools.launcher })).landlockAbi >= 6;
});
afterAll(() => tools?.dispose());
beforeEach(() => {
  place = createPrivateTmp();
});
afterEach(() => place.dispose());

const light = (script: string): readonly string[] =>
  lightArgv({ launcher: tools.launcher, argv: ['sh', '-c', script] });
const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };

it.skipIf(lacks('cc'))(
  'the light profile writes, moves, links, changes modes, listens and connects as usual',
  async () => {
    mkdirSync(join(place.path, 'sub'));
    const script = `cd ${place.path} && echo x > a && chmod 640 a && mv a sub/b && ln sub/b c && touch -d 2001-01-01 c && rm sub/b &&
    mkfifo p && echo y > /dev/null && '${process.execPath}' -e '
const net = require("node:net");
const server = net.createServer().listen(0, "127.0.0.1", () =>
  net.connect(server.address().port, "127.0.0.1", () => { console.log("connected"); process.exit(); }));'`;
    const ran = await run(light(script), { env });
    expect(ran).toMatchObject({ code: 0, err: '', out: 'connected\n' });
    expect(readFileSync(join(place.path, 'c'), 'utf8')).toBe('x\n');
  },
);

it.skipIf(lacks('cc'))('the light profile cannot paint on, read from or type into another terminal', async () => {
  const screen = inPty(['sleep', '1000'], { env });
  const script = `for flag in '>' '<' '>>' '<>'; do eval "(: $flag ${screen.ptsName}) 2>&1" && echo through; done
    (: > /proc/${screen.pid}/fd/0) 2>&1 && echo through; exit 0`;
  const ran = await run(light(script), { env });
  expect(ran.out).not.toContain('through');
  expect(ran.out.match(/Permission denied/g)).toHaveLength(5);
  screen.kill('SIGKILL');
  await screen.ended;
});

it.skipIf(lacks('cc'))('the light profile has full use of its own terminal', async () => {
  const pty = inPty(light('tty; stty -echo; stty echo; echo back > $(tty); echo also > /dev/tty'), { env });
  expect(await pty.ended).toMatchObject({ exitCode: 0 });
  expect(pty.text()).toMatch(/back\r\nalso/);
});

it.skipIf(lacks('cc'))('the light profile cannot make another device file for a terminal, even as root', async () => {
  const ran = await run(light(`mknod ${place.path}/tty c 136 0 2>&1 && echo through`), { env });
  expect(ran.out).not.toContain('through');
});

it.skipIf(lacks('cc'))('the light profile cannot signal or inspect processes outside', async () => {
  // The test runs as an ordinary user: the light profile keeps root’s capabilities, one of which allows reading /proc.
  const user = [tools.hostile, '--start', String(process.getuid?.() === 0 ? 65534 : process.getuid?.())];
  const victim = inPty([...user, 'sleep', '1000'], { env });
  const script = `kill -TERM ${victim.pid} 2>&1; cat /proc/${victim.pid}/environ 2>&1; kill -TERM $PPID 2>&1`;
  const ran = await run([...user, ...light(script)], { cwd: '/', env });
  if (signals) expect(ran.out.match(/not permitted/gi)).toHaveLength(2);
  expect(ran.out).toMatch(/Permission denied/);
  victim.kill('SIGKILL');
  await victim.ended;
});

it.skipIf(lacks('cc'))('the light profile is unavailable where Landlock is too old to let files be moved', async () => {
  writeFileSync(join(place.path, 'x'), '');
  const [program = '', ...rest] = light('echo ran');
  const ran = await run([tools.testLauncher, '--abi', '1', ...rest], { env });
  expect(program).toBe(tools.launcher);
  expect(ran).toMatchObject({ code: 126, out: '' });
  expect(ran.err).toContain('moving files would be refused');
});

it.skipIf(lacks('cc'))('two light sandboxes cannot signal each other', async () => {
  const first = inPty(light('echo pid $$; exec sleep 1000'), { env });
  await until('it runs', () => /pid \d+/.test(first.text()));
  const pid = /pid (\d+)/.exec(first.text())?.[1];
  const ran = await run(light(`kill -TERM ${pid} 2>&1`), { env });
  if (signals) expect(ran.out).toMatch(/not permitted/i);
  first.kill('SIGTERM');
  await first.ended;
});
