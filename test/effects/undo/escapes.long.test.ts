/**
 * Changes that the store can’t record are named, and those that once went unrecorded are kept: races, odd paths,
 * attributes, closed directories.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { until } from '../sandbox/run.ts';
import { canBeOrdinary, sceneForEach } from './bench.ts';

const at = sceneForEach();
const { put, refused } = at;
/** The names of core files on this machine. */
const CORES = existsSync('/proc/sys/kernel/core_pattern')
  ? readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim()
  : '';

describe.skipIf(lacks('cc'))('keeping changes for undo', () => {
  it('names files that were lost or written in a race, besides those that were kept', async () => {
    const cases: readonly (readonly [string, () => void, string])[] = [
      // A deletion leaves no later change time behind where its directory was changed anyway.
      ['echo new > d/new; sleep 0.4', () => rmSync(join(at.scene.tree, 'd/victim')), '/d'],
      ['sleep 0.4; echo new > d/new', () => rmSync(join(at.scene.tree, 'd/victim')), '/d'],
      ['chmod 600 d/victim; sleep 0.4', () => put('d/victim', 'other\n'), '/d/victim'],
      ['mv d/victim moved; sleep 0.4', () => put('moved', 'other\n'), '/moved'],
      ['sleep 0.4; mv d ../gone', () => put('d/victim', 'other\n'), '/../gone/victim'],
    ];
    for (const [script, change, named] of cases) {
      at.anew();
      mkdirSync(join(at.scene.tree, 'd'));
      put('d/victim', 'old\n');
      await at.scene.keep('true');
      const kept = await at.scene.keep(script, { started: () => setTimeout(change, 200) });
      expect(kept.notes, script).toContain(`unkept ${join(at.scene.tree, named)}`);
    }
  });

  it.skipIf(CORES !== 'core')('lets the kernel write no core file over an existing one', async () => {
    const crash = `ulimit -c unlimited 2> /dev/null; bash -c 'kill -SEGV $$'; true`;
    for (const [ordinary, options] of [
      [false, { project: true }] as const,
      ...(canBeOrdinary ? [[true, {}] as const] : []),
    ]) {
      at.anew(ordinary);
      put('core', 'mine\n');
      const kept = await at.scene.keep(crash, options);
      expect([kept.code, at.get('core')]).toEqual([0, 'mine\n']);
    }
  });

  it.skipIf(lacks('python3'))('names or covers a write of the same size whose times are set back', async () => {
    const back = (name: string) => `python3 -c 'import os; os.utime("${name}", (1000, 1000))'`;
    const cases: readonly (readonly [string, string, string])[] = [
      ['chmod 600 victim', back('victim'), 'named'],
      ['chmod 600 victim', 'echo more >> victim', 'named'],
      ['mv victim moved', back('moved'), 'named'],
      [back('victim'), back('victim'), 'covered'],
      ['python3 -c "import os; os.utime(\'victim\')"', back('victim'), 'covered'],
    ];
    for (const [first, last, expected] of cases) {
      at.anew();
      put('victim', 'old\n');
      utimesSync(join(at.scene.tree, 'victim'), 1000, 1000);
      await at.scene.keep('true');
      const before = [...at.scene.snapshot()];
      const [noted, go] = [join(at.scene.root, 'noted'), join(at.scene.root, 'go')];
      const script = `${first}; : > ${noted}; until [ -e ${go} ]; do sleep 0.01; done; ${last}`;
      const running = at.scene.keep(script);
      await until('the file was noted', () => existsSync(noted));
      put(first.startsWith('mv') ? 'moved' : 'victim', 'new\n');
      writeFileSync(go, '');
      const kept = await running;
      const named = kept.notes.some((note) => /^unkept .*\/(victim|moved)$/.test(note));
      expect(named, `${first}; ${last}`).toBe(expected === 'named');
      await at.scene.undo(kept.number);
      if (!named) expect([...at.scene.snapshot()], first).toEqual(before);
    }
  });

  it('names files that a program destroys by swapping the path during a system call', async () => {
    const racer = join(at.scene.root, 'racer');
    writeFileSync(
      `${racer}.c`,
      `#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char path[8] = "a";
static volatile int over;
static void *flip(void *x) { while (!over) { memcpy(path, "a", 2); memcpy(path, "b", 2); } return x; }
int main(int n, char **to) {
  pthread_t t;
  pthread_create(&t, 0, flip, 0);
  n > 1 ? rename(path, to[1]) : unlink(path);
  over = 1;
  pthread_join(t, 0);
}`,
    );
    execFileSync('cc', ['-O1', '-pthread', '-o', racer, `${racer}.c`]);
    for (let round = 0; round < 12; round++) {
      for (const name of ['a', 'b']) put(name, `${name}\n`);
      await at.scene.keep('true');
      const before = [...at.scene.snapshot().keys()];
      const kept = await at.scene.keep(`echo x > other; ${racer} ${round % 2 ? 'sub' : ''}`);
      await at.scene.undo(kept.number);
      if (kept.notes.length === 0) expect([...at.scene.snapshot().keys()]).toEqual(before);
    }
  });

  it('is not misled by a path that begins in /dev or /proc and leads out of it', async () => {
    for (const name of ['a', 'b', 'c', 'e']) put(name, 'old\n');
    const before = at.scene.snapshot();
    const kept = await at.scene.keep(`cd ${at.scene.tree}
      echo x > /dev/..$PWD/a; rm /proc/..$PWD/b; ln -s /dev/../$PWD/c way; echo x > way; echo x > /proc//self/cwd/e; rm /proc/./self/cwd/e
      echo x > /sys/..$PWD/new`);
    expect(kept.notes.filter((note) => !note.startsWith('refused '))).toEqual([]);
    expect(refused(await at.scene.undo(kept.number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it.skipIf(lacks('python3'))('restores extended attributes and access lists, of directories as well', async () => {
    const acl = (name: string, kind: string) =>
      `os.setxattr(${JSON.stringify(name)}, "system.posix_acl_${kind}", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in [(1,7,0xffffffff),(2,6,1234),(4,5,0xffffffff),(16,7,0xffffffff),(32,4,0xffffffff)]))`;
    const python = (code: string) =>
      execFileSync('python3', ['-c', `import os, struct\n${code}`], { cwd: at.scene.tree, encoding: 'utf8' });
    const all = () =>
      python(
        'for top, _, names in sorted(os.walk(".")):\n  for n in ["", *sorted(names)]:\n    p = os.path.join(top, n); print(p, oct(os.stat(p).st_mode), [(k, os.getxattr(p, k)) for k in sorted(os.listxattr(p))])',
      );
    for (const elsewhere of [undefined, ...(existsSync('/dev/shm') ? ['/dev/shm'] : [])]) {
      at.anew(false, elsewhere);
      for (const name of ['d', 'e', 'g']) mkdirSync(join(at.scene.tree, name));
      for (const name of ['a', 'b', 'd/x', 'e/x', 'g/x', 'g/y']) put(name, 'old\n');
      const set = [
        acl('a', 'access'),
        acl('e', 'default'),
        'os.setxattr("b", "user.a", b"1")',
        'os.setxattr("d", "user.a", b"1")',
      ];
      try {
        python([...set, 'os.setxattr("e", "user.a", b"1")', acl('g', 'default')].join('\n'));
      } catch {
        return; // The file system has no attributes.
      }
      const before = all();
      const kept = await at.scene.keep(
        `chmod 600 a; echo x > a; rm b; rm -rf e; python3 -c 'import os; os.setxattr("d", "user.a", b"2")'; rm g/x; echo x > g/y; mkdir g/new`,
      );
      const after = all();
      const undone = await at.scene.undo(kept.number);
      expect(refused(undone)).toEqual([]);
      expect(all()).toBe(before);
      expect(refused(await at.scene.undo(undone.number))).toEqual([]);
      expect(all()).toBe(after);
    }
  });

  describe('access lists that name other users or groups, of an ordinary user in Project', () => {
    const missing = !canBeOrdinary || lacks('python3');
    const entries = '[(1,6,none),(2,6,1234),(4,4,none),(8,5,1234),(16,7,none),(32,0,none)]';
    const acl = (name: string, kind: string) =>
      `os.setxattr("${name}", "system.posix_acl_${kind}", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in ${entries}))`;
    const python = (code: string) =>
      execFileSync('python3', ['-c', `import os, struct\nnone = 0xffffffff\n${code}`], {
        cwd: at.scene.tree,
        encoding: 'utf8',
      });
    const all = () =>
      python(
        'for top, _, names in sorted(os.walk(".")):\n  for n in ["", *sorted(names)]:\n    p = os.path.join(top, n); s = os.stat(p); print(p, oct(s.st_mode), s.st_mtime_ns, [(k, os.getxattr(p, k)) for k in sorted(os.listxattr(p))])',
      );
    const made = () => {
      at.anew(true);
      mkdirSync(join(at.scene.tree, 'd/e'), { recursive: true });
      for (const name of ['a', 'b', 'd/x', 'd/e/x']) put(name, 'old\n');
      try {
        python([acl('a', 'access'), acl('b', 'access'), acl('d/e', 'default'), acl('d/x', 'access')].join('\n'));
      } catch {
        return false; // The file system has no access lists.
      }
      for (const name of ['a', 'b', 'd/x', 'd/e/x', 'd/e', 'd']) utimesSync(join(at.scene.tree, name), 1000, 1000);
      return true;
    };
    const act = () =>
      at.scene.keep(
        `chmod 600 a; echo x >> b; rm -rf d/e/x; rm -rf d; python3 -c 'import os; os.removexattr("a", "system.posix_acl_access")'`,
        { project: true },
      );

    it.skipIf(missing)('are restored', async () => {
      if (!made()) return;
      await at.scene.keep('true');
      const before = all();
      const kept = await act();
      expect(kept.code, kept.out).toBe(0);
      expect(all()).not.toBe(before);
      expect(refused(await at.scene.undo(kept.number))).toEqual([]);
      expect(all()).toBe(before);
    });

    it.skipIf(missing || lacks('unshare') || lacks('setpriv'))(
      'that can’t be set are reported, and everything else is restored',
      async () => {
        if (!made()) return;
        await at.scene.keep('true');
        const plain = (text: string) => text.replace(/\[.*\]/g, '');
        const before = plain(all());
        const kept = await act();
        const { directory } = at.scene.next();
        const ran = spawnSync(
          'setpriv',
          ['--reuid=65534', '--regid=65534', '--clear-groups', 'unshare', '--user', '--map-current-user'].concat([
            at.tools.launcher,
            '--undo',
            join(at.scene.store, String(kept.number)),
            '--into',
            directory,
          ]),
          { encoding: 'utf8' },
        );
        expect(ran.stdout.match(/its access list, or another attribute, can't be set; the rest is back/g)).toHaveLength(
          3,
        );
        // The file's group had fewer rights than the list's mask.
        const without = before.replace(/^(\.\/(?:a|b) 0o1006)70/gm, '$140');
        expect(plain(all())).toBe(without);
        expect(at.get('b')).toBe('old\n');
      },
    );
  });

  it.skipIf(!canBeOrdinary)('covers files that their owner has made inaccessible', async () => {
    at.anew(true);
    mkdirSync(join(at.scene.tree, 'd', 'below'), { recursive: true });
    mkdirSync(join(at.scene.tree, 'shut'));
    for (const name of ['d/a', 'd/b', 'd/below/c', 'shut/a']) put(name, 'old\n');
    chmodSync(join(at.scene.tree, 'shut'), 0);
    await at.scene.keep('true');
    const before = at.scene.snapshot();
    const kept = await at.scene.keep(
      'echo x > d/a; rm d/b; echo x > d/below/c; chmod 0 d/below; chmod 0 d; chmod 700 shut; echo x > shut/a; chmod 0 shut',
    );
    expect(kept.out).toBe('');
    expect(kept.notes.every((note) => note.startsWith('unchecked '))).toBe(true);
    expect(refused(await at.scene.undo(kept.number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });
});
