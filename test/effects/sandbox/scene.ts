/**
 * The targets of the hostile operations: files, sockets, a victim process, System V objects. All belong to one user and
 * are disposable.
 */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lacks } from '../../support/lacks.ts';
import { inPty } from './pty.ts';
import { until } from './run.ts';
import type { Tools } from './tools.ts';

export type Scene = {
  readonly uid: number;
  readonly directory: string;
  /** A directory for other files that an attack needs, removed with the scene. */
  readonly beside: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the state of all files, to compare before and after. */
  snapshot(): string;
  /** Returns the connections, datagrams and signals that reached something outside so far. */
  arrivals(): number;
  dispose(): Promise<void>;
};

/** @param base the directory in which the scene is made: a profile with its own `/tmp` does not see a scene there */
export async function layOut(tools: Tools, uid: number, base = tmpdir()): Promise<Scene> {
  const directory = mkdtempSync(join(base, 'aish-scene-'));
  const beside = mkdtempSync(join(base, 'aish-beside-'));
  chmodSync(beside, 0o755);
  const log = `${directory}.log`;
  makeFiles(tools, directory);
  writeFileSync(log, '');
  if (process.getuid?.() === 0) chownSync(log, uid, uid);
  const victim = await startVictim(tools, uid, directory, log);
  const net = await listen(directory);
  // Without a reader, writing to the FIFO would fail outside as well.
  const reader = openSync(join(directory, 'fifo'), 'r+');
  const [shm = '', sem = '', msg = ''] = as(tools, uid, directory, [tools.hostile, '--prepare']).split(/\s+/);
  if (process.getuid?.() === 0) {
    for (const path of [directory, victim.pts, ...readdirSync(directory).map((name) => join(directory, name))]) {
      if (!lstatSync(path).isSymbolicLink()) chownSync(path, uid, uid);
    }
    chownSync(join(directory, 'foreign'), 65533, 65533);
    if (uid !== 0) chownSync(join(directory, 'set-user-id'), 0, 0);
    chmodSync(join(directory, 'set-user-id'), 0o4755);
  }
  const disk = ['/dev/vda', '/dev/sda', '/dev/nvme0n1', '/dev/loop0'].find((path) => existsSync(path)) ?? '';
  const groups = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'].find((path) => existsSync(path)) ?? '';
  return {
    uid,
    directory,
    beside,
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      T_LOG: log,
      T_VICTIM: String(victim.pid),
      T_VICTIM_ADDRESS: victim.address,
      T_PTS: victim.pts,
      T_TCP: String(net.tcp),
      T_UDP: String(net.udp),
      T_ABSTRACT: net.abstract,
      T_SHM: shm,
      T_SEM: sem,
      T_MSG: msg,
      T_DISK: disk,
      T_CGROUP: groups && join(groups, `aish-hostile-${process.pid}`),
    },
    snapshot: () => describe(directory),
    arrivals: () => net.arrivals() + readFileSync(log).length,
    dispose: async () => {
      as(tools, uid, directory, [tools.hostile, '--clean', shm, sem, msg]);
      victim.stop();
      closeSync(reader);
      await net.close();
      for (const path of [directory, beside]) execFileSync('rm', ['-rf', path]);
      rmSync(log, { force: true });
    },
  };
}

function as(tools: Tools, uid: number, cwd: string, argv: readonly string[]): string {
  return execFileSync(tools.hostile, ['--start', String(uid), ...argv], { cwd, encoding: 'utf8' });
}

function makeFiles(tools: Tools, directory: string): void {
  for (const name of ['file', 'other', 'gone', 'inherited', 'foreign'])
    writeFileSync(join(directory, name), `${name}\n`, { mode: 0o600 });
  // A user who can't give a file to another can close one of their own.
  if (process.getuid?.() !== 0) chmodSync(join(directory, 'foreign'), 0);
  writeFileSync(join(directory, 'empty'), '', { mode: 0o600 });
  for (const name of ['dir', 'gone.d']) mkdirSync(join(directory, name), { mode: 0o700 });
  symlinkSync('file', join(directory, 'link'));
  execFileSync('mkfifo', [join(directory, 'fifo')]);
  copyFileSync(tools.hostile, join(directory, 'set-user-id'));
  setAttribute(join(directory, 'other'));
}

/** Sets `user.kept` for the operations that remove it. A file system without attributes leaves them untried. */
function setAttribute(path: string): void {
  const script = 'import os,sys; os.setxattr(sys.argv[1], "user.kept", b"x")';
  try {
    execFileSync('python3', ['-c', script, path], { stdio: 'ignore' });
  } catch {
    // Removing the attribute then fails outside as well, and the row is not counted.
  }
}

/** The victim has a terminal of its own, like the program. */
async function startVictim(tools: Tools, uid: number, cwd: string, log: string) {
  const pty = inPty([tools.hostile, '--start', String(uid), tools.hostile, '--victim', log], { cwd });
  await until('the victim is there', () => ADDRESS.test(pty.text()));
  return {
    pid: pty.pid,
    address: ADDRESS.exec(pty.text())?.[1] ?? '',
    pts: pty.ptsName,
    stop: () => pty.kill('SIGKILL'),
  };
}

const PYTHON = !lacks('python3');

const ADDRESS = /0x([0-9a-f]+)\s/;

async function listen(directory: string) {
  let count = 0;
  const abstract = `aish-hostile-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const servers = ['tcp', join(directory, 'stream.sock'), `\0${abstract}`].map((where) => ({
    where,
    server: createServer((socket) => {
      count++;
      socket.destroy();
    }),
  }));
  for (const { where, server } of servers) {
    await new Promise<void>((resolve) => {
      if (where === 'tcp') server.listen(0, '127.0.0.1', resolve);
      else server.listen(where, resolve);
    });
  }
  const udp = createSocket('udp4', () => count++);
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  // Node has no Unix datagram sockets, so a Python reader counts what arrives. Without it the operation fails outside
  // as well.
  const dgram = PYTHON ? inPty(['python3', '-c', DATAGRAM, join(directory, 'dgram.sock')]) : undefined;
  await until('the datagram socket is there', () => dgram === undefined || dgram.text().includes('ready'));
  const address = servers[0]?.server.address();
  return {
    tcp: typeof address === 'object' && address !== null ? address.port : 0,
    udp: udp.address().port,
    abstract,
    arrivals: () => count + (dgram?.text().match(/got/g)?.length ?? 0),
    close: async () => {
      dgram?.kill('SIGKILL');
      udp.close();
      await Promise.all(servers.map(({ server }) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

const DATAGRAM = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("ready", flush=True)
while True:
    s.recv(1); print("got", flush=True)
`;

function describe(directory: string): string {
  const lines = readdirSync(directory)
    .sort()
    .map((name) => {
      const path = join(directory, name);
      const st = lstatSync(path);
      // For a file that its ordinary owner can’t read, the times show whether it changed.
      const isOpen = st.isFile() && (st.mode & 0o400) !== 0;
      const content = isOpen && st.size < 1000 ? readFileSync(path, 'utf8') : st.size;
      return JSON.stringify([name, st.mode, st.uid, st.gid, st.nlink, st.mtimeMs, st.ctimeMs, content]);
    });
  const own = lstatSync(directory);
  return [...lines, `${own.mode} ${own.mtimeMs} ${own.ctimeMs}`].join('\n');
}
