/** The limits of Project mode (MO-9): only the tree can be written, and changes there are kept and restored exactly. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { USERS } from '../undo/bench.ts';
import { grow, scripts, trees, written } from '../undo/random.ts';
import { makeScene } from '../undo/scene.ts';
import { trialsWork } from '../undo/trial-support.ts';
import { buildTools, type Tools } from './tools.ts';

const CASES = Number(process.env.AISH_EFFECTS_CASES ?? 10);

let tools: Tools;
beforeAll(async () => {
  if (!lacks('cc')) tools = await buildTools();
});
afterAll(() => tools?.dispose());

describe.skipIf(!trialsWork()).each(USERS)('in Project mode, as %s', (_, ordinary) => {
  it('makes only the tree and private temporary directories writable', async () => {
    const scene = makeScene(tools.launcher, ordinary);
    try {
      mkdirSync(join(scene.tree, '.git', 'hooks'), { recursive: true });
      writeFileSync(join(scene.tree, '.git', 'config'), 'old\n');
      const { out } = await scene.keep(
        `exec 2>&1
        echo in > in; echo x > ${scene.root}/outside; echo x > ${scene.store}/x; echo x > /etc/aish; rm -rf ${scene.store}
        echo tmp > /tmp/t && cat /tmp/t; echo shm > /dev/shm/t && cat /dev/shm/t
        echo evil > .git/config; echo x > .git/hooks/pre-commit; mv .git .git2; mv .git/hooks .git/h; rm -rf .git/config
        kill -9 ${process.pid}; kill -9 1; unshare -Urm true; mount -t tmpfs none .; chmod 600 in; touch -d 2001-01-01 in`,
        { project: true },
      );
      expect(out).toContain('tmp\nshm\n');
      expect(readFileSync(join(scene.tree, '.git', 'config'), 'utf8')).toBe('old\n');
      expect(existsSync(join(scene.tree, '.git', 'hooks', 'pre-commit'))).toBe(false);
      expect(existsSync(join(scene.root, 'outside'))).toBe(false);
      expect(existsSync('/tmp/t') || existsSync('/dev/shm/t') || existsSync('/etc/aish')).toBe(false);
      expect([...scene.snapshot().keys()].map((path) => path.slice(scene.tree.length))).toEqual([
        '',
        '/.git',
        '/.git/config',
        '/.git/hooks',
        '/in',
      ]);
    } finally {
      scene.dispose();
    }
  });

  it.skipIf(lacks('git'))('works where `.git` is a link, and protects the repository behind it as well', async () => {
    const scene = makeScene(tools.launcher, ordinary);
    try {
      const [git, real] = [join(scene.tree, '.git'), join(scene.tree, 'real')];
      execFileSync('git', ['init', '-q', scene.tree]);
      renameSync(git, real);
      symlinkSync('real', git);
      const config = readFileSync(join(real, 'config'), 'utf8');
      const script = `git -c user.name=a -c user.email=b commit -q --allow-empty -m one; git log --format=%s
        rm .git; mv .git x; ln -sfn x .git; mv real x; echo x >> real/config; echo x > .git/hooks/post-commit; echo in > in`;
      const kept = await scene.keep(script, { project: true });
      expect(kept.code, kept.out).toBe(0);
      expect(kept.out).toContain('one\n');
      expect([readlinkSync(git), readFileSync(join(real, 'config'), 'utf8')]).toEqual(['real', config]);
      expect(existsSync(join(real, 'hooks', 'post-commit'))).toBe(false);
      // A link to nothing or to a file is not a repository, and none is put in its place.
      for (const [target, made] of [
        ['nowhere', undefined],
        ['file', 'gitdir: elsewhere\n'],
      ] as const) {
        rmSync(git);
        if (made !== undefined) writeFileSync(join(scene.tree, target), made);
        symlinkSync(target, git);
        const { code } = await scene.keep('rm .git; echo x > file; mv file other; : > made', { project: true });
        expect([code, readlinkSync(git)]).toEqual([0, target]);
        if (made !== undefined) expect(readFileSync(join(scene.tree, target), 'utf8')).toBe(made);
        rmSync(join(scene.tree, 'other'), { force: true });
      }
    } finally {
      scene.dispose();
    }
  });

  it.each([
    ['kept', true],
    ['not kept', false],
  ])(
    'lets a file with a hard link outside the tree be read, replaced and removed, but not written by any call (%s)',
    async (_how, kept) => {
      const scene = makeScene(tools.launcher, ordinary);
      try {
        const [outside, removed] = [join(scene.root, 'outside'), join(scene.root, 'removed')];
        mkdirSync(join(scene.tree, 'deep'));
        for (const [path, name] of [
          [outside, 'file'],
          [outside, 'replaced'],
          [removed, 'deep/gone'],
        ] as const) {
          if (!existsSync(path)) writeFileSync(path, 'theirs\n', { mode: 0o644 });
          linkSync(path, join(scene.tree, name));
        }
        writeFileSync(join(scene.tree, 'one'), 'mine\n');
        linkSync(join(scene.tree, 'one'), join(scene.tree, 'deep', 'other'));
        symlinkSync('file', join(scene.tree, 'way'));
        const before = statSync(outside);
        const script = `exec 2>&1
        cat file; echo x > file; echo x >> deep/../file; echo x > way; truncate -s 0 file; chmod 600 file; touch -d 2001-01-01 file
        exec 9<file; echo x > /proc/self/fd/9; echo x > /dev/..$PWD/file; ln file again && echo x > again; ln deep/gone deep/more; echo x > deep/more
        sed -i s/theirs/new/ replaced && cat replaced; rm -f deep/gone; mv file moved; echo x > moved
        echo new > deep/other; cat one; echo a > a; ln a b; echo b > b; cat a`;
        const { out, notes } = await scene.keep(script, { project: true, nothing: !kept });
        expect(out.match(/not permitted/gi) ?? [], out).toHaveLength(11);
        expect(out).toContain('theirs\n');
        expect(out).toContain('deep/more: Operation not permitted\nnew\n');
        expect(out.endsWith('moved: Operation not permitted\nnew\nb\n'), out).toBe(true);
        expect(notes.filter((note) => note.startsWith('outside ')).length >= 11).toBe(kept);
        expect(readFileSync(outside, 'utf8') + readFileSync(removed, 'utf8')).toBe('theirs\ntheirs\n');
        expect([statSync(outside).mode, statSync(outside).mtimeMs]).toEqual([before.mode, before.mtimeMs]);
      } finally {
        scene.dispose();
      }
    },
  );

  it('does not count the undo store’s own hard links as names outside the tree', async () => {
    const scene = makeScene(tools.launcher, ordinary);
    try {
      writeFileSync(join(scene.tree, 'a'), 'old\n');
      linkSync(join(scene.tree, 'a'), join(scene.tree, 'b'));
      await scene.keep('rm a', { project: true });
      const { out } = await scene.keep('echo new > b; cat b', { project: true });
      expect(out).toBe('new\n');
    } finally {
      scene.dispose();
    }
  });

  it.skipIf(lacks('python3'))(
    'has a loopback but no other network, no Unix socket, and only the netlink socket that lists addresses',
    async () => {
      const scene = makeScene(tools.launcher, ordinary);
      try {
        const { out } = await scene.keep(
          `python3 -c '
import socket, multiprocessing
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); socket.create_connection(s.getsockname()); print("loopback")
for family, protocol in (socket.AF_UNIX, 0), (socket.AF_NETLINK, 16), (socket.AF_NETLINK, 9), (socket.AF_PACKET, 0):
    try: socket.socket(family, socket.SOCK_RAW if family != socket.AF_UNIX else socket.SOCK_STREAM, protocol); print("open", family)
    except OSError: pass
try: socket.create_connection(("192.0.2.1", 80), 1); print("out")
except OSError as e: print(e.strerror)
print(multiprocessing.Pool(2).map(abs, [-1, 2]))' 2>&1`,
          { project: true },
        );
        expect(out).toBe('loopback\nNetwork is unreachable\n[1, 2]\n');
      } finally {
        scene.dispose();
      }
    },
  );

  it(
    'keeps what a command changes and restores it exactly',
    () =>
      fc.assert(
        fc.asyncProperty(trees, scripts, async (tree, script) => {
          const scene = makeScene(tools.launcher, ordinary);
          try {
            const commands = written(script, grow(scene.tree, tree));
            await scene.keep('true');
            const before = scene.snapshot();
            const kept = await scene.keep(commands, { project: true });
            expect(kept.out).not.toContain('set-up failed');
            if (kept.notes.some((note) => note.startsWith('unkept '))) return;
            expect(kept.notes, commands).toEqual([]);
            const undone = await scene.undo(kept.number);
            expect(undone.steps.filter(({ verb }) => verb === 'refused')).toEqual([]);
            expect([...scene.snapshot()], commands).toEqual([...before]);
          } finally {
            scene.dispose();
          }
        }),
        { numRuns: CASES, endOnFailure: true },
      ),
    30_000 + CASES * 20_000,
  );
});
