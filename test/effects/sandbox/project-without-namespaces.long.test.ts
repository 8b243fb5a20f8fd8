/** Project mode on systems without namespaces (MO-9): Landlock and the supervisor confine it. */
import { existsSync, linkSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { detectSandbox, projectArgv } from '../../../src/effects/sandbox/index.ts';
import { lacks } from '../../support/lacks.ts';
import { USERS } from '../undo/bench.ts';
import { grow, scripts, trees, written } from '../undo/random.ts';
import { makeScene, type Scene } from '../undo/scene.ts';
import { run } from './run.ts';
import { buildTools, type Tools } from './tools.ts';

const CASES = Number(process.env.AISH_EFFECTS_CASES ?? 5);
let tools: Tools;
beforeAll(async () => {
  if (!lacks('cc')) tools = await buildTools();
});
afterAll(() => tools?.dispose());

describe.skipIf(lacks('cc')).each(USERS)('Project without namespaces, as %s', (_, ordinary) => {
  const within = async (work: (scene: Scene) => Promise<void>) => {
    const scene = makeScene(tools.launcher, ordinary);
    try {
      await work(scene);
    } finally {
      scene.dispose();
    }
  };

  it('makes only the tree and the private directory writable, in content, mode and time', () =>
    within(async (scene) => {
      mkdirSync(join(scene.tree, '.git', 'hooks'), { recursive: true });
      writeFileSync(join(scene.tree, '.git', 'config'), 'old\n');
      writeFileSync(join(scene.root, 'theirs'), 'old\n', { mode: 0o644 });
      const before = statSync(join(scene.root, 'theirs'));
      const script = `exec 2>&1
        echo in > in; chmod 640 in; touch -d 2001-01-01 in; ln -s in way; touch -h -d 2002-02-02 way; cp -p in copy
        tar cf t.tar in way && mkdir x && tar xf t.tar -C x; echo t > ${scene.root}/tmp/t; chmod 600 ${scene.root}/tmp/t
        echo x > ${scene.root}/theirs; chmod 777 ${scene.root}/theirs; touch -d 2001-01-01 ${scene.root}/theirs; chmod 777 ..
        ln ${scene.root}/theirs mine; ln -s ${scene.root}/theirs out; echo x > out; chmod 777 out; exec 9<out; chmod 777 /proc/self/fd/9
        echo x > ${scene.root}/outside; echo x > /tmp/aish-held; echo x > ${scene.store}/x; rm -rf ${scene.store}; chmod 4755 copy
        echo evil > .git/config; echo x > .git/hooks/pre-commit; mv .git .git2; mv .git/hooks .git/h; rm -rf .git/config
        ln .git/config c2; ln -s .git/hooks h; echo x > h/pre-push; echo x > /dev/..$PWD/.git/hooks/post-merge; git config a.b c; kill -9 ${process.pid}; kill -9 1; true`;
      for (const nothing of [false, true]) {
        const { out } = await scene.keep(script, { project: true, held: true, nothing });
        expect(out).not.toMatch(/set-up failed|tar: |preserving/);
        expect(readFileSync(join(scene.tree, '.git', 'config'), 'utf8'), out).toBe('old\n');
        for (const path of [
          join(scene.tree, '.git/hooks/pre-commit'),
          join(scene.tree, '.git/hooks/pre-push'),
          join(scene.tree, '.git/hooks/post-merge'),
          join(scene.root, 'outside'),
          '/tmp/aish-held',
        ])
          expect(existsSync(path), path).toBe(false);
        const after = statSync(join(scene.root, 'theirs'));
        expect([after.mode, after.mtimeMs, after.ctimeMs, after.size]).toEqual([
          before.mode,
          before.mtimeMs,
          ordinary ? after.ctimeMs : before.ctimeMs,
          before.size,
        ]);
        expect(statSync(scene.root).mode & 0o777).toBe(0o755);
        expect(statSync(join(scene.tree, 'in'))).toMatchObject({ mode: 0o100640, mtime: new Date('2001-01-01') });
        expect(lstatSync(join(scene.tree, 'way')).mtime.getFullYear()).toBe(2002);
        expect(statSync(join(scene.tree, 'copy')).mode & 0o7777).toBe(0o640);
        expect(readFileSync(join(scene.root, 'tmp', 't'), 'utf8')).toBe('t\n');
      }
    }));

  it('refuses to write to a file that has a hard link outside the tree', () =>
    within(async (scene) => {
      writeFileSync(join(scene.root, 'outside'), 'theirs\n');
      linkSync(join(scene.root, 'outside'), join(scene.tree, 'file'));
      const { out } = await scene.keep(
        'exec 2>&1; echo x > file; chmod 777 file; touch file; truncate -s 0 file; cat file',
        {
          project: true,
          held: true,
        },
      );
      expect(out.match(/not permitted/gi)).toHaveLength(4);
      expect(readFileSync(join(scene.root, 'outside'), 'utf8')).toBe('theirs\n');
    }));

  it.skipIf(lacks('python3'))('allows no socket of any kind', () =>
    within(async (scene) => {
      const { out } = await scene.keep(
        `python3 -c '
import socket
for family in socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK:
    try: socket.socket(family, socket.SOCK_STREAM if family != socket.AF_NETLINK else socket.SOCK_RAW); print("open", family)
    except OSError as e: print(e.strerror)'`,
        { project: true, held: true },
      );
      expect(out).toBe('Operation not permitted\n'.repeat(4));
    }),
  );

  it(
    'keeps what a command changes and restores it exactly',
    () =>
      fc.assert(
        fc.asyncProperty(trees, scripts, async (tree, script) =>
          within(async (scene) => {
            const commands = written(script, grow(scene.tree, tree));
            await scene.keep('true');
            const before = scene.snapshot();
            const kept = await scene.keep(commands, { project: true, held: true });
            expect(kept.out).not.toContain('set-up failed');
            if (kept.notes.some((note) => note.startsWith('unkept '))) return;
            const undone = await scene.undo(kept.number);
            expect(undone.steps.filter(({ verb }) => verb === 'refused')).toEqual([]);
            expect([...scene.snapshot()], commands).toEqual([...before]);
          }),
        ),
        { numRuns: CASES, endOnFailure: true },
      ),
    30_000 + CASES * 20_000,
  );
});

describe.skipIf(lacks('cc'))('Project without namespaces', () => {
  it('is the fallback where the kernel has no namespaces, and reports what it lacks', async () => {
    const status = await detectSandbox({ launcher: tools.testLauncher, extra: ['--fail', 'namespaces'] });
    expect(status.noProject).toBeUndefined();
    expect(status.projectMissing).toMatch(/no namespaces.*\$TMPDIR.*no loopback.*watched, not enforced/);
  });

  it('is unavailable where Landlock is too old to let files be moved', async () => {
    const scene = makeScene(tools.launcher);
    const [, ...rest] = projectArgv({ launcher: '', argv: ['echo', 'ran'], project: scene.tree, held: true });
    const ran = await run([tools.testLauncher, '--abi', '1', ...rest]);
    scene.dispose();
    expect(ran).toMatchObject({ code: 126, out: '' });
    expect(ran.err).toContain('moving files would be refused');
  });
});
