/** The loopback of a session: one command's server is reachable by the next, and by nothing else. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
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

  it('lets a command reach another command’s server, and list the network’s interfaces', async () => {
    const network = new SessionNetwork(tools.launcher, { ask: async () => 'no', run: () => undefined, say: () => {} });
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

  it('reaches no service of the machine, and nothing outside it', async () => {
    const network = new SessionNetwork(tools.launcher, { ask: async () => 'no', run: () => undefined, say: () => {} });
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

  it('is not joined through a process outside it: the command then gets its own network', async () => {
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

  it('serves a job’s port on this machine, on loopback only, with one message', async () => {
    const said: string[] = [];
    const jobs = new Map<number | undefined, number>();
    const user = { ask: async () => 'no' as const, run: () => undefined, say: (text: string) => said.push(text) };
    const network = new SessionNetwork(tools.launcher, user, (pid) => jobs.get(pid));
    const holder = (await network.join())?.holder;
    const serve = (text: string, port: number, address: string) => {
      const code = `const s = require('http').createServer((_, a) => a.end('${text}')).listen(${port}, '${address}', () => console.log(s.address().port))`;
      const { child, ended, begun } = node(code, holder);
      if (child.pid !== undefined) network.began({ pid: child.pid, result: ended as never });
      return { child, begun };
    };
    const has = async (wanted: RegExp) => {
      for (let tries = 0; tries < 300; tries++) {
        const found = said.map((line) => wanted.exec(line)).find((match) => match !== null);
        if (found) return found;
        await setTimeout(20);
      }
      throw new Error(`${wanted}: ${said.join('; ')}`);
    };
    const first = serve('first', 0, '127.0.0.1');
    const port = Number(await first.begun);
    await setTimeout(700);
    // The command is not a job yet.
    expect(said).toEqual([]);
    jobs.set(first.child.pid, 1);
    await has(new RegExp(`^http://127\\.0\\.0\\.1:${port} is served from the session \\(job 1\\)$`));
    const get = async (at: number | string) =>
      fetch(`http://127.0.0.1:${at}/`, { headers: { connection: 'close' } }).then((reply) => reply.text());
    expect(await Promise.all([get(port), get(port), get(port)])).toEqual(['first', 'first', 'first']);
    const second = serve('second', 0, '::');
    jobs.set(second.child.pid, 2);
    const [, all = ''] = await has(/:(\d+) is served from the session \(job 2\); it listens on all addresses, and is/);
    expect(await get(all)).toBe('second');
    await setTimeout(1200);
    expect(said).toHaveLength(2);
    const [own] = Object.values(networkInterfaces()).flatMap((each) => each?.filter((one) => !one.internal) ?? []);
    if (own?.family === 'IPv4')
      await expect(fetch(`http://${own.address}:${all}/`).then((reply) => reply.status)).rejects.toThrow();
    // Where another program has the port, it is served on another one.
    const busy = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => busy.once('listening', resolve));
    const address = busy.address();
    const taken = typeof address === 'object' && address ? address.port : 0;
    const third = serve('third', taken, '::1');
    jobs.set(third.child.pid, 3);
    const [, other = ''] = await has(new RegExp(`:(\\d+) is served from the session \\(port ${taken} of job 3\\)$`));
    expect(await get(other)).toBe('third');
    for (const { child } of [first, second, third]) child.kill();
    const ends = async () =>
      get(port).then(
        () => false,
        () => true,
      );
    for (let tries = 0; tries < 200 && !(await ends()); tries++) await setTimeout(20);
    expect(await ends()).toBe(true);
    busy.close();
    network.close();
  });

  it('ends with its session, and another one can follow', async () => {
    const network = new SessionNetwork(tools.launcher, { ask: async () => 'no', run: () => undefined, say: () => {} });
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
