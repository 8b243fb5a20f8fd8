/** The loopback of a session: what one command serves, the next one reaches, and nothing else does. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionNetwork } from '../../src/app/session-network.ts';
import { projectArgv } from '../../src/effects/sandbox/index.ts';
import { buildTools, type Tools } from '../effects/sandbox/tools.ts';
import { trialsWork } from '../effects/undo/trial-support.ts';

const READ = (port: number) => `
  const socket = net.connect(${port}, '127.0.0.1');
  socket.on('data', (text) => { console.log(String(text)); process.exit(); });
  socket.on('error', (error) => { console.log(error.code); process.exit(); });`;

describe.skipIf(!trialsWork())('the network of a session', () => {
  let tools: Tools;
  let tree: string;
  beforeAll(async () => {
    tools = await buildTools();
    tree = mkdtempSync(join(tmpdir(), 'aish-network-'));
  });
  afterAll(() => {
    tools.dispose();
    rmSync(tree, { recursive: true, force: true });
  });

  function node(code: string, network: number | undefined) {
    const argv = [process.execPath, '-e', code];
    const [file = '', ...args] = projectArgv({ launcher: tools.launcher, argv, cwd: tree, project: tree, network });
    const ended = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<string>();
    const child = execFile(file, args, (_, out, err) => ended.resolve(out.trim() + err));
    child.stdout?.once('data', begun.resolve);
    return { child, ended: ended.promise, begun: begun.promise };
  }

  it('lets a command reach what another one serves, and shows its addresses', async () => {
    const network = new SessionNetwork(tools.launcher, { ask: async () => 'no', run: () => undefined });
    const holder = (await network.join())?.holder;
    expect(holder).toBeGreaterThan(0);
    const server = node(
      `const s = net.createServer((socket) => socket.end('served')).listen(0, '0.0.0.0', () => console.log(s.address().port))`,
      holder,
    );
    const port = Number(await server.begun);
    expect(await node(READ(port), holder).ended).toBe('served');
    expect(await node(READ(port), undefined).ended).toBe('ECONNREFUSED');
    expect(await node('console.log(Object.keys(os.networkInterfaces()).join())', holder).ended).toBe('lo');
    server.child.kill();
    await server.ended;
    network.close();
  });

  it('reaches no service of the machine, and nothing beyond it', async () => {
    const network = new SessionNetwork(tools.launcher, { ask: async () => 'no', run: () => undefined });
    const outside = createServer((socket) => socket.end('outside')).listen(0, '127.0.0.1');
    await new Promise((resolve) => outside.once('listening', resolve));
    const address = outside.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const holder = (await network.join())?.holder;
    expect(await node(READ(port), holder).ended).toBe('ECONNREFUSED');
    expect(await node(READ(port).replace('127.0.0.1', '192.0.2.1'), holder).ended).toBe('ENETUNREACH');
    outside.close();
    network.close();
  });

  it('is never taken from a process that does not hold one: the command then has its own', async () => {
    const outside = createServer((socket) => socket.end('outside')).listen(0, '127.0.0.1');
    await new Promise((resolve) => outside.once('listening', resolve));
    const address = outside.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const ordinary = execFile('sleep', ['20']);
    for (const pid of [1, process.pid, process.ppid, ordinary.pid, 999_999_999])
      expect(await node(READ(port), pid).ended).toBe('ECONNREFUSED');
    ordinary.kill();
    outside.close();
  });

  it('ends with its session, and another one can follow', async () => {
    const network = new SessionNetwork(tools.launcher, { ask: async () => 'no', run: () => undefined });
    const first = (await network.join())?.holder ?? 0;
    network.close();
    for (let tries = 0; tries < 100 && isAlive(first); tries++) await setTimeout(20);
    expect(isAlive(first)).toBe(false);
    const second = (await network.join())?.holder;
    expect(second).not.toBe(first);
    network.close();
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
