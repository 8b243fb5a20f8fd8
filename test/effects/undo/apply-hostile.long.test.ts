/** An apply that meets attacks or accidents: a changing tree, full disks, forged marks, odd files. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { sceneForEach } from './bench.ts';
import { tickOf, trialsWork, triedIn } from './trial-support.ts';

/** A directory that is usually on another file system than temporary directories. */
const ELSEWHERE = '/dev/shm';
const ROUNDS = Number(process.env.AISH_RACES ?? 40);
/** Removing the tree of all rounds at once would exceed the time limit of a hook. */
const ROUNDS_PER_SCENE = 100;
const root = process.getuid?.() === 0;

const at = sceneForEach();
const { put, get, refused } = at;

const tried = (script: string) => triedIn(at.scene, script);
const tick = () => tickOf(at.scene);

describe.skipIf(!trialsWork())('an apply', () => {
  it(
    `writes nothing outside while a directory and a link outside swap places, ${ROUNDS} rounds`,
    async () => {
      const racer = `while :; do mv -T "$0" "$2"; ln -s "$3" "$0"; rm "$0"; mv -T "$2" "$0"; done`;
      for (let i = 0; i < ROUNDS; i += 1) {
        if (i % ROUNDS_PER_SCENE === 0) {
          if (i > 0) at.anew();
          mkdirSync(join(at.scene.root, 'outside'));
          writeFileSync(join(at.scene.root, 'outside', 'a'), 'outside\n');
        }
        // Each round has its own path: the racer's last step may come after the end of the round.
        const p = `${i}/p`;
        const names = [p, `${i}/link`, `${i}/real`].map((name) => join(at.scene.tree, name));
        mkdirSync(join(at.scene.tree, p, 'q'), { recursive: true });
        for (const name of [`${p}/a`, `${p}/q/a`, `${p}/gone`]) put(name, 'old\n');
        const { number } = await tried(
          `cd ${p}; echo new > a; echo new > q/a; rm gone; echo x > made; rm -r q; mkdir q`,
        );
        const child = spawn('bash', ['-c', racer, ...names, join(at.scene.root, 'outside')], { stdio: 'ignore' });
        const { code } = await at.scene.apply(number);
        child.kill('SIGKILL');
        await new Promise((resolve) => child.on('close', resolve));
        expect([0, 1, 2, 126]).toContain(code);
        expect(readdirSync(join(at.scene.root, 'outside'))).toEqual(['a']);
        expect(readFileSync(join(at.scene.root, 'outside', 'a'), 'utf8')).toBe('outside\n');
      }
    },
    30_000 + ROUNDS * 1_000,
  );

  it('copies exactly from a store on another file system, and can be undone', async () => {
    if (statSync(ELSEWHERE).dev === statSync(at.scene.root).dev) return;
    at.anew(false, ELSEWHERE);
    for (const name of ['d', 'd/e', 'gone']) mkdirSync(join(at.scene.tree, name));
    for (const name of ['a', 'd/x', 'd/e/y', 'gone/z']) put(name, `${name}\n`.repeat(100));
    execFileSync('mkfifo', [join(at.scene.tree, 'fifo')]);
    const before = at.scene.snapshot();
    const { number } = await tried(
      'echo two >> a; chmod 600 d/x; rm -r gone; mkdir -p n/m; echo x > n/m/f; ln -s a way; rm -r d/e; echo file > d/e; rm fifo; mkdir fifo; truncate -s 1G sparse',
    );
    expect([...at.scene.snapshot()]).toEqual([...before]);
    expect(await at.scene.apply(number)).toMatchObject({ code: 0, error: '' });
    expect([get('a').endsWith('two\n'), get('n/m/f'), get('d/e'), existsSync(join(at.scene.tree, 'gone'))]).toEqual([
      true,
      'x\n',
      'file\n',
      false,
    ]);
    expect(lstatSync(join(at.scene.tree, 'sparse'))).toMatchObject({ size: 2 ** 30, blocks: 0 });
    expect(refused(await at.scene.undo(number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it.skipIf(!root || lacks('mount'))('stops on a full disk, and can be undone', async () => {
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=450k', 'none', at.scene.tree]).status).toBe(0);
    try {
      put('a', 'a'.repeat(100_000));
      put('b', 'b'.repeat(100_000));
      const before = at.scene.snapshot();
      const { number } = await tried(
        `head -c 130000 /dev/zero > a; head -c 130000 /dev/zero > b; head -c 250000 /dev/zero > c`,
      );
      const applied = await at.scene.apply(number);
      expect(applied, JSON.stringify(applied)).toMatchObject({
        code: 2,
        error: expect.stringContaining('No space left'),
      });
      const undone = await at.scene.undo(number);
      expect(refused(undone)).toEqual([]);
      expect([...at.scene.snapshot()]).toEqual([...before]);
    } finally {
      spawnSync('umount', ['-l', at.scene.tree]);
    }
  });

  it('does not wait at a FIFO that replaced a file, and applies over FIFOs and sockets', async () => {
    put('a', 'old\n');
    const { number } = await tried('echo new > a');
    rmSync(join(at.scene.tree, 'a'));
    execFileSync('mkfifo', [join(at.scene.tree, 'a')]);
    expect((await at.scene.apply(number)).code).toBe(1);
    expect(lstatSync(join(at.scene.tree, 'a')).isFIFO()).toBe(true);
    const before = at.scene.snapshot();
    const second = await tried('rm a; echo file > a');
    expect(second.rows).toEqual(['changed a']);
    expect((await at.scene.apply(second.number)).code).toBe(0);
    expect(refused(await at.scene.undo(second.number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it('does not change a file outside the tree that also has a name inside', async () => {
    const outside = join(at.scene.root, 'outside');
    writeFileSync(outside, 'old\n');
    linkSync(outside, join(at.scene.tree, 'a'));
    const cannotTell = await at.scene.try('echo new > a');
    expect(cannotTell.listed).toMatch(/has other names/);
    const { number } = await tried('rm a; echo new > a');
    expect((await at.scene.apply(number)).code).toBe(0);
    expect([get('a'), readFileSync(outside, 'utf8'), statSync(outside).nlink]).toEqual(['new\n', 'old\n', 2]);
    expect(refused(await at.scene.undo(number))).toEqual([]);
    expect([get('a'), statSync(outside).ino === statSync(join(at.scene.tree, 'a')).ino]).toEqual(['old\n', true]);
  });

  it.skipIf(lacks('python3'))('is not misled by overlay marks set on files before the trial or during it', async () => {
    const mark = (path: string, name: string) =>
      `python3 -c 'import os,sys; os.setxattr(sys.argv[1], sys.argv[2], b"y")' ${path} user.overlay.${name}`;
    mkdirSync(join(at.scene.tree, 'd'));
    put('d/below', 'old\n');
    put('empty', '');
    execFileSync('bash', ['-c', `${mark('d', 'opaque')}; ${mark('empty', 'whiteout')}`], { cwd: at.scene.tree });
    const before = at.scene.snapshot();
    const { number, rows } = await tried('mkdir e; echo x > e/x; echo y > f');
    expect(rows).toEqual(['created e', 'created e/x', 'created f']);
    expect((await at.scene.apply(number)).code).toBe(0);
    expect([get('e/x'), get('f'), get('d/below'), get('empty')]).toEqual(['x\n', 'y\n', 'old\n', '']);
    expect(refused(await at.scene.undo(number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
    // A real run would keep or set these attributes; the trial shows neither.
    for (const script of [
      `mkdir e; ${mark('e', 'opaque')}`,
      `mkdir -p e/e; echo y > e/e/f; ${mark('e/e/f', 'whiteout')}`,
      mark('plain', 'origin'),
      mark('.', 'redirect'),
      'echo x > d/new',
      'chmod 600 marked',
      'echo x >> marked',
    ]) {
      put('plain', 'old\n');
      put('marked', 'old\n');
      execFileSync('bash', ['-c', mark('marked', 'metacopy.not')], { cwd: at.scene.tree });
      const { listed } = await at.scene.try(script);
      expect(listed, script).toMatch(/carries marks of an overlay/);
    }
  });

  it.skipIf(lacks('python3'))(
    'shows and applies attributes and access lists of directories, including the top one',
    async () => {
      const python = (code: string) =>
        execFileSync('python3', ['-c', `import os, struct, sys\n${code}`], { cwd: at.scene.tree, encoding: 'utf8' });
      // Owner, group, mask, others, and one named user: the same user as runs it, since a trial knows no other.
      const list = (name: string, kind: string, rights: number) =>
        `os.setxattr("${name}", "system.posix_acl_${kind}", struct.pack("<I" + "HHI" * 5, 2, 1, 7, 2**32 - 1, 2, ${rights}, os.getuid(), 4, 5, 2**32 - 1, 16, 7, 2**32 - 1, 32, 5, 2**32 - 1))`;
      const all = () =>
        python(
          'for p in [".", "d", "e", "a"]: print(p, oct(os.stat(p).st_mode), [(k, os.getxattr(p, k)) for k in sorted(os.listxattr(p))])',
        );
      for (const name of ['d', 'e']) mkdirSync(join(at.scene.tree, name));
      put('a', 'old\n');
      try {
        python(
          [list('.', 'default', 6), 'os.setxattr(".", "user.top", b"1")', 'os.setxattr("e", "user.e", b"1")'].join(
            '\n',
          ),
        );
      } catch {
        return; // The file system has no attributes.
      }
      const before = all();
      const unchanged = await tried('touch -c .; cat a > /dev/null; : >> e/../a');
      expect(unchanged.rows).toEqual([]);
      const script = [
        'import os, struct',
        list('d', 'access', 5),
        list('d', 'default', 4),
        list('.', 'access', 5),
        'os.removexattr("e", "user.e")',
        'os.setxattr("e", "user.other", b"2")',
        'os.mkdir("made")',
      ].join('; ');
      const { number, rows } = await tried(`python3 -c '${script}'`);
      expect(rows).toEqual(['mode ', 'mode d', 'mode e', 'created made']);
      expect(await at.scene.apply(number)).toMatchObject({ code: 0, error: '' });
      const applied = all() + python('print(os.getxattr("made", "system.posix_acl_access"))');
      expect(refused(await at.scene.undo(number))).toEqual([]);
      expect(all()).toBe(before);
      await at.scene.real(`python3 -c '${script}'`);
      expect(applied).toBe(all() + python('print(os.getxattr("made", "system.posix_acl_access"))'));
    },
  );

  it.skipIf(lacks('python3'))(
    'refuses to overwrite a directory’s attributes that somebody changed meanwhile',
    async () => {
      mkdirSync(join(at.scene.tree, 'd'));
      const set = (value: string) => `python3 -c 'import os; os.setxattr("d", "user.a", b"${value}")'`;
      if (spawnSync('bash', ['-c', set('old')], { cwd: at.scene.tree }).status !== 0) return; // The file system has no attributes.
      const { number } = await tried(set('tried'));
      execFileSync('bash', ['-c', set('theirs')], { cwd: at.scene.tree });
      expect((await at.scene.apply(number)).code).toBe(1);
      const value = `import os; print(os.getxattr("d", "user.a"))`;
      expect(execFileSync('python3', ['-c', value], { cwd: at.scene.tree, encoding: 'utf8' })).toBe("b'theirs'\n");
    },
  );

  it.skipIf(!root || lacks('mknod'))(
    'distinguishes an existing overlay whiteout made by root from its own deletion marks',
    async () => {
      execFileSync('mknod', [join(at.scene.tree, 'white'), 'c', '0', '0']);
      put('a', 'old\n');
      const { number, rows } = await tried('rm a; ls > /dev/null');
      expect(rows).toEqual(['deleted a']);
      expect((await at.scene.apply(number)).code).toBe(0);
      expect(lstatSync(join(at.scene.tree, 'white')).isCharacterDevice()).toBe(true);
    },
  );

  it.skipIf(!root || lacks('chattr'))('stops at an immutable file, and can be undone', async () => {
    put('a', 'old\n');
    put('b', 'old\n');
    const before = at.scene.snapshot();
    const { number } = await tried('echo new > a; rm b');
    if (spawnSync('chattr', ['+i', join(at.scene.tree, 'b')]).status !== 0) return; // The file system lacks this flag.
    try {
      expect((await at.scene.apply(number)).code).toBeGreaterThan(0);
      expect(get('b')).toBe('old\n');
    } finally {
      execFileSync('chattr', ['-i', join(at.scene.tree, 'b')]);
    }
    await at.scene.undo(number);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it.skipIf(lacks('python3'))('keeps access lists, and so does its undo', async () => {
    put('a', 'old\n');
    const python = (code: string) =>
      execFileSync('python3', ['-c', `import os, struct\n${code}`], { cwd: at.scene.tree, encoding: 'utf8' });
    // Owner, one named user, group, mask, others: of the same user as without the list, since a trial knows no other.
    const list = (rights: number) =>
      `os.setxattr("a", "system.posix_acl_access", struct.pack("<I" + "HHI" * 5, 2, 1, 6, 2**32 - 1, 2, ${rights}, os.getuid(), 4, 4, 2**32 - 1, 16, 7, 2**32 - 1, 32, 4, 2**32 - 1))`;
    const read = () => python('print(os.getxattr("a", "system.posix_acl_access").hex())');
    python(list(6));
    const before = read();
    const { number } = await tried(`echo new >> a; python3 -c 'import os, struct; ${list(4)}'`);
    expect(await at.scene.apply(number)).toMatchObject({ code: 0, error: '' });
    expect(get('a')).toBe('old\nnew\n');
    expect(read()).not.toBe(before);
    expect(refused(await at.scene.undo(number))).toEqual([]);
    expect(read()).toBe(before);
    const kept = await at.scene.keep(`python3 -c 'import os, struct; ${list(7)}'`);
    expect(read()).not.toBe(before);
    expect(refused(await at.scene.undo(kept.number))).toEqual([]);
    expect(read()).toBe(before);
  });

  it.skipIf(lacks('strace'))('stops when a disk quota is used up, and can be undone', async () => {
    const stopped: boolean[] = [];
    for (const call of ['linkat', 'renameat2', 'write', 'pwrite64'])
      for (const nth of [2, 5, 9]) {
        at.anew();
        for (const name of ['d', 'gone']) mkdirSync(join(at.scene.tree, name));
        for (const name of ['a', 'b', 'd/x', 'gone/z']) put(name, `${name}\n`.repeat(100));
        const before = at.scene.snapshot();
        const { number } = await tried('echo two >> a; rm b; rm -r gone; mkdir n; echo x > n/f; echo y > d/x');
        const store = join(at.scene.store, String(number));
        const inject = [
          '-f',
          '-o',
          '/dev/null',
          '-e',
          `trace=${call}`,
          '-e',
          `inject=${call}:error=EDQUOT:when=${nth}+`,
        ];
        const { status } = spawnSync('strace', [
          ...inject,
          at.tools.launcher,
          '--apply',
          store,
          '--tree',
          at.scene.tree,
        ]);
        const name = `${call} ${nth}`;
        // Status 0 means that the apply finished before the quota was reached.
        if (status !== 0) expect([2, 126], name).toContain(status);
        if (nth === 2) stopped.push(status !== 0);
        expect(refused(await at.scene.undo(number)), name).toEqual([]);
        expect([...at.scene.snapshot()], name).toEqual([...before]);
      }
    expect(stopped.filter(Boolean).length, String(stopped)).toBeGreaterThan(1);
  });

  it('does not change a directory that its owner may no longer write to, and its finished part can be undone', async () => {
    mkdirSync(join(at.scene.tree, 'd'));
    for (const name of ['a', 'd/x']) put(name, 'old\n');
    const { number } = await tried('echo new > a; echo new > d/x; echo new > z');
    chmodSync(join(at.scene.tree, 'd'), 0o555);
    const before = at.scene.snapshot();
    const { code } = await at.scene.apply(number);
    // Root can write to it all the same.
    if (code === 0) expect(get('d/x')).toBe('new\n');
    if (code === 2) expect(refused(await at.scene.undo(number))).toEqual([]);
    if (code !== 0) expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it('refuses to overwrite files that changed just after the trial began', async () => {
    put('a', 'old\n');
    tick();
    // Outside the tree, since a file made below an already mounted view need not appear in it.
    const go = join(at.scene.root, 'go');
    const { number } = await at.scene.try(`: > on; until [ -e ${go} ]; do :; done; echo new > a`, {
      started: (_pid, directory) => {
        const waits = setInterval(() => {
          if (!existsSync(join(directory, 'trial', 'upper0', 'on'))) return;
          clearInterval(waits);
          put('a', 'edited\n');
          writeFileSync(go, '');
        }, 1);
      },
    });
    expect((await at.scene.apply(number)).code).toBe(1);
    expect(get('a')).toBe('edited\n');
  });

  it('loses no write of a process that has a file open and writes to it later', async () => {
    put('a', 'old\n');
    const fd = openSync(join(at.scene.tree, 'a'), 'a');
    try {
      const { number } = await tried('echo new > a');
      expect((await at.scene.apply(number)).code).toBe(0);
      writeSync(fd, 'edited\n');
      expect(get('a')).toBe('new\n');
      await at.scene.undo(number);
      expect(get('a')).toBe('old\nedited\n');
    } finally {
      closeSync(fd);
    }
  });

  it('replaces a file by a directory and a directory by a file or link, whatever the link points to', async () => {
    mkdirSync(join(at.scene.root, 'outside'));
    writeFileSync(join(at.scene.root, 'outside', 'f'), 'outside\n');
    mkdirSync(join(at.scene.tree, 'd'));
    for (const name of ['a', 'd/x']) put(name, 'old\n');
    symlinkSync('../outside', join(at.scene.tree, 'way'));
    const before = at.scene.snapshot();
    const { number } = await tried(
      'rm -r d; echo file > d; rm a; mkdir a; echo x > a/x; rm way; mkdir way; echo mine > way/f',
    );
    expect((await at.scene.apply(number)).code).toBe(0);
    expect([get('d'), get('a/x'), get('way/f')]).toEqual(['file\n', 'x\n', 'mine\n']);
    expect(readFileSync(join(at.scene.root, 'outside', 'f'), 'utf8')).toBe('outside\n');
    expect(refused(await at.scene.undo(number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });
});
