/**
 * A hostile command in a trial: sockets, the directory that collects its changes, other users’ files, and how the trial
 * lists these.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { until } from '../sandbox/run.ts';
import { canBeOrdinary, sceneForEach } from './bench.ts';
import { trialsWork, triedIn } from './trial-support.ts';

const at = sceneForEach();
const { put, refused } = at;

describe.skipIf(!trialsWork())('a trial', () => {
  it.skipIf(lacks('python3'))('reaches no socket outside by a path, an abstract name or a port', async () => {
    const ready = join(at.scene.root, 'ready');
    const code = `
import os, socket, sys
def server(family, name):
    s = socket.socket(family, socket.SOCK_STREAM); s.bind(name); s.listen(); return s
all = [server(socket.AF_UNIX, "s"), server(socket.AF_UNIX, "\\0aish-test-%d" % os.getpid()), server(socket.AF_INET, ("127.0.0.1", 0))]
open(sys.argv[1] + ".new", "w").write("%d %d" % (os.getpid(), all[2].getsockname()[1])); os.rename(sys.argv[1] + ".new", sys.argv[1])
sys.stdin.read()`;
    const child = spawn('python3', ['-c', code, ready], { cwd: at.scene.tree, stdio: ['pipe', 'ignore', 'ignore'] });
    try {
      await until('the servers listen', () => existsSync(ready));
      const [pid, port] = readFileSync(ready, 'utf8').split(' ');
      const client = (family: string, name: string) =>
        `python3 -c 'import socket; socket.socket(socket.${family}).connect(${name}); print("reached")' 2>&1; `;
      const script = `${client('AF_UNIX', '"s"')}${client('AF_UNIX', `"\\0aish-test-${pid}"`)}${client('AF_INET', `("127.0.0.1", ${port})`)} ls -d /run/docker.sock`;
      const { out } = await at.scene.try(script);
      expect(out).not.toContain('reached');
      expect(out.match(/Error: /g)).toHaveLength(3);
      const plain = spawnSync('bash', ['-c', script], { cwd: at.scene.tree, encoding: 'utf8' });
      expect(plain.stdout.match(/reached/g)).toHaveLength(3);
    } finally {
      child.kill();
    }
  });

  it('does not find its own upper directory by mounts, /proc, or a namespace of its own', async () => {
    put('a', 'old\n');
    const { out, listed } = await at.scene.try(`exec 2>&1
      for d in $(sed -n 's/.*upperdir=\\([^,]*\\).*/\\1/p' /proc/self/mountinfo) ${at.scene.store} ${at.scene.store}/*/trial; do
        ls -A "$d" && echo x > "$d/forged"
        for p in /proc/[0-9]*; do echo x > "$p/root$d/forged"; done
      done
      unshare -Urm sh -c 'umount -l ${at.scene.store}; mount -t tmpfs none .; mkdir -p inner; mount --bind ${at.scene.store} inner; echo x > inner/forged'
      echo new > a`);
    expect(out).not.toContain('trial\n');
    if (typeof listed === 'string') throw new Error(listed);
    expect(listed.changes.map(({ path }) => path)).toEqual([join(at.scene.tree, 'a')]);
    // Nobody may enter the overlay's work directory.
    const { stdout, stderr } = spawnSync('find', [at.scene.root, '-name', 'forged'], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(stderr.split('\n').filter((line) => line !== '' && !/\/trial\/work0\/work\W/.test(line))).toEqual([]);
  });

  it('shows and applies the times set on a directory', async () => {
    for (const name of ['d/e', 'other', 'many']) mkdirSync(join(at.scene.tree, name), { recursive: true });
    put('many/a', 'old\n');
    const time = (name: string) => statSync(join(at.scene.tree, name)).mtimeMs;
    expect((await triedIn(at.scene, 'touch d; : > many/b; rm many/b')).rows).toEqual([]);
    const before = at.scene.snapshot();
    const { number, rows } = await triedIn(
      at.scene,
      'touch -d 1999-01-01T00:00:00Z . d; touch -d 2099-01-01T00:00:00Z d/e; : > many/b; touch -d 2001-01-01T00:00:00Z many',
    );
    expect(rows).toEqual(['mode ', 'mode d', 'mode d/e', 'mode many', 'created many/b']);
    expect(await at.scene.apply(number)).toMatchObject({ code: 0, error: '' });
    expect(['', 'd', 'd/e', 'many'].map(time)).toEqual(
      ['1999', '1999', '2099', '2001'].map((year) => Date.parse(`${year}-01-01T00:00:00Z`)),
    );
    expect(refused(await at.scene.undo(number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it.skipIf(!canBeOrdinary || lacks('python3'))(
    'reports that it can’t tell the result where an access list names other users or groups',
    async () => {
      at.anew(true);
      await at.scene.keep('true');
      put('a', 'old\n');
      const set = (who: number) =>
        `python3 -c 'import os, struct; none = 0xffffffff
os.setxattr("a", "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in [(1,6,none),(2,6,${who}),(4,4,none),(16,6,none),(32,0,none)]))' || true`;
      expect((await at.scene.try(set(1234))).listed).toBe(
        `${join(at.scene.tree, 'a')} gets an access list that names others, which a trial of an ordinary user can’t set`,
      );
      expect((await at.scene.try(set(65534))).listed).not.toBeTypeOf('string');
    },
  );

  it.skipIf(!canBeOrdinary)('reports that it can’t tell the result where a file belongs to another group', async () => {
    at.anew(true);
    await at.scene.keep('true');
    put('theirs', 'old\n');
    chmodSync(join(at.scene.tree, 'theirs'), 0o666);
    const child = spawnSync('chown', ['0:0', join(at.scene.tree, 'theirs')]);
    expect(child.status).toBe(0);
    const { out } = await at.scene.try('echo new > theirs', { given: true });
    expect(out).toContain('Value too large for defined data type');
  });
});
