/** What goes wrong at an apply, or is meant to: a tree that changes under it, full disks, forged marks, odd files. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildTools, type Tools } from '../sandbox/tools.ts';
import { lacks } from '../support/lacks.ts';
import { makeScene, type Scene } from './scene.ts';
import { trialsWork } from './trial-support.ts';

/** Another file system than that of temporary directories, mostly. */
const ELSEWHERE = '/dev/shm';
const ROUNDS = Number(process.env.AISH_RACES ?? 40);
const root = process.getuid?.() === 0;

let tools: Tools;
let scene: Scene;
beforeAll(async () => {
  if (!lacks('cc')) tools = await buildTools();
});
afterAll(() => tools?.dispose());
beforeEach(() => {
  if (tools) scene = makeScene(tools.launcher);
});
afterEach(() => scene?.dispose());

const put = (name: string, text: string) => writeFileSync(join(scene.tree, name), text);
const get = (name: string) => readFileSync(join(scene.tree, name), 'utf8');
const refusals = (steps: readonly { readonly verb: string }[]) => steps.filter(({ verb }) => verb === 'refused');

/** Until the clock of the file system goes on: what changed before it is older than a trial. */
function tick(): void {
  const probe = join(scene.root, 'probe');
  const changed = () => {
    writeFileSync(probe, '');
    return statSync(probe, { bigint: true }).ctimeNs;
  };
  const first = changed();
  while (changed() <= first + 10_000_000n);
}

/** What a trial lists, `kind path`. */
async function tried(script: string) {
  tick();
  const { number, listed } = await scene.try(script);
  if (typeof listed === 'string') throw new Error(listed);
  const rows = listed.changes.map(({ kind, path }) => `${kind} ${path.slice(scene.tree.length + 1)}`);
  return { number, rows };
}

describe.skipIf(!trialsWork())('an apply', () => {
  it(
    `writes nothing outside while a parent and a link to another place change places, ${ROUNDS} rounds`,
    async () => {
      mkdirSync(join(scene.root, 'outside'));
      writeFileSync(join(scene.root, 'outside', 'a'), 'outside\n');
      const racer = `while :; do mv -T "$0" "$2"; ln -s "$3" "$0"; rm "$0"; mv -T "$2" "$0"; done`;
      for (let i = 0; i < ROUNDS; i += 1) {
        // Of each round its own: what the racer began may end behind it.
        const p = `${i}/p`;
        const names = [p, `${i}/link`, `${i}/real`].map((name) => join(scene.tree, name));
        mkdirSync(join(scene.tree, p, 'q'), { recursive: true });
        for (const name of [`${p}/a`, `${p}/q/a`, `${p}/gone`]) put(name, 'old\n');
        const { number } = await tried(
          `cd ${p}; echo new > a; echo new > q/a; rm gone; echo x > made; rm -r q; mkdir q`,
        );
        const child = spawn('bash', ['-c', racer, ...names, join(scene.root, 'outside')], { stdio: 'ignore' });
        const { code } = await scene.apply(number);
        child.kill('SIGKILL');
        await new Promise((resolve) => child.on('close', resolve));
        expect([0, 1, 2, 126]).toContain(code);
        expect(readdirSync(join(scene.root, 'outside'))).toEqual(['a']);
        expect(readFileSync(join(scene.root, 'outside', 'a'), 'utf8')).toBe('outside\n');
      }
    },
    30_000 + ROUNDS * 1_000,
  );

  it('copies where the store is on another file system, is exact, and is taken back', async () => {
    if (statSync(ELSEWHERE).dev === statSync(scene.root).dev) return;
    scene.dispose();
    scene = makeScene(tools.launcher, false, ELSEWHERE);
    for (const name of ['d', 'd/e', 'gone']) mkdirSync(join(scene.tree, name));
    for (const name of ['a', 'd/x', 'd/e/y', 'gone/z']) put(name, `${name}\n`.repeat(100));
    execFileSync('mkfifo', [join(scene.tree, 'fifo')]);
    const before = scene.snapshot();
    const { number } = await tried(
      'echo two >> a; chmod 600 d/x; rm -r gone; mkdir -p n/m; echo x > n/m/f; ln -s a way; rm -r d/e; echo file > d/e; rm fifo; mkdir fifo; truncate -s 1G sparse',
    );
    expect([...scene.snapshot()]).toEqual([...before]);
    expect(await scene.apply(number)).toMatchObject({ code: 0, error: '' });
    expect([get('a').endsWith('two\n'), get('n/m/f'), get('d/e'), existsSync(join(scene.tree, 'gone'))]).toEqual([
      true,
      'x\n',
      'file\n',
      false,
    ]);
    expect(lstatSync(join(scene.tree, 'sparse'))).toMatchObject({ size: 2 ** 30, blocks: 0 });
    expect(refusals((await scene.undo(number)).steps)).toEqual([]);
    expect([...scene.snapshot()]).toEqual([...before]);
  });

  it.skipIf(!root || lacks('mount'))('on a full disk stops, and is taken back', async () => {
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=450k', 'none', scene.tree]).status).toBe(0);
    try {
      put('a', 'a'.repeat(100_000));
      put('b', 'b'.repeat(100_000));
      const before = scene.snapshot();
      const { number } = await tried(
        `head -c 130000 /dev/zero > a; head -c 130000 /dev/zero > b; head -c 250000 /dev/zero > c`,
      );
      const applied = await scene.apply(number);
      expect(applied, JSON.stringify(applied)).toMatchObject({
        code: 2,
        error: expect.stringContaining('No space left'),
      });
      const undone = await scene.undo(number);
      expect(refusals(undone.steps)).toEqual([]);
      expect([...scene.snapshot()]).toEqual([...before]);
    } finally {
      spawnSync('umount', ['-l', scene.tree]);
    }
  });

  it('does not wait at a FIFO that took the place of a file, and applies over FIFOs and sockets', async () => {
    put('a', 'old\n');
    const { number } = await tried('echo new > a');
    rmSync(join(scene.tree, 'a'));
    execFileSync('mkfifo', [join(scene.tree, 'a')]);
    expect((await scene.apply(number)).code).toBe(1);
    expect(lstatSync(join(scene.tree, 'a')).isFIFO()).toBe(true);
    const before = scene.snapshot();
    const second = await tried('rm a; echo file > a');
    expect(second.rows).toEqual(['changed a']);
    expect((await scene.apply(second.number)).code).toBe(0);
    expect(refusals((await scene.undo(second.number)).steps)).toEqual([]);
    expect([...scene.snapshot()]).toEqual([...before]);
  });

  it('leaves a file outside alone that has a name in the tree as well', async () => {
    const outside = join(scene.root, 'outside');
    writeFileSync(outside, 'old\n');
    linkSync(outside, join(scene.tree, 'a'));
    const cannotTell = await scene.try('echo new > a');
    expect(cannotTell.listed).toMatch(/has other names/);
    const { number } = await tried('rm a; echo new > a');
    expect((await scene.apply(number)).code).toBe(0);
    expect([get('a'), readFileSync(outside, 'utf8'), statSync(outside).nlink]).toEqual(['new\n', 'old\n', 2]);
    expect(refusals((await scene.undo(number)).steps)).toEqual([]);
    expect([get('a'), statSync(outside).ino === statSync(join(scene.tree, 'a')).ino]).toEqual(['old\n', true]);
  });

  it.skipIf(lacks('python3'))(
    'is not misled by marks of an overlay that stood on files before, or are made in it',
    async () => {
      const mark = (path: string, name: string) =>
        `python3 -c 'import os,sys; os.setxattr(sys.argv[1], sys.argv[2], b"y")' ${path} user.overlay.${name}`;
      mkdirSync(join(scene.tree, 'd'));
      put('d/below', 'old\n');
      put('empty', '');
      execFileSync('bash', ['-c', `${mark('d', 'opaque')}; ${mark('empty', 'whiteout')}`], { cwd: scene.tree });
      const before = scene.snapshot();
      // Made inside they are stored under other names.
      const { number, rows } = await tried(
        `mkdir e; echo x > e/x; ${mark('e', 'opaque')}; echo y > f; ${mark('f', 'whiteout')}`,
      );
      expect(rows).toEqual(['created e', 'created e/x', 'created f']);
      expect((await scene.apply(number)).code).toBe(0);
      expect([get('e/x'), get('f'), get('d/below'), get('empty')]).toEqual(['x\n', 'y\n', 'old\n', '']);
      expect(refusals((await scene.undo(number)).steps)).toEqual([]);
      expect([...scene.snapshot()]).toEqual([...before]);
    },
  );

  it.skipIf(!root || lacks('mknod'))('knows a whiteout that root made before from one of its own', async () => {
    execFileSync('mknod', [join(scene.tree, 'white'), 'c', '0', '0']);
    put('a', 'old\n');
    const { number, rows } = await tried('rm a; ls > /dev/null');
    expect(rows).toEqual(['deleted a']);
    expect((await scene.apply(number)).code).toBe(0);
    expect(lstatSync(join(scene.tree, 'white')).isCharacterDevice()).toBe(true);
  });

  it.skipIf(!root || lacks('chattr'))('stops at an immutable file, and is taken back', async () => {
    put('a', 'old\n');
    put('b', 'old\n');
    const before = scene.snapshot();
    const { number } = await tried('echo new > a; rm b');
    if (spawnSync('chattr', ['+i', join(scene.tree, 'b')]).status !== 0) return; // its file system has no such flag
    try {
      expect((await scene.apply(number)).code).toBeGreaterThan(0);
      expect(get('b')).toBe('old\n');
    } finally {
      execFileSync('chattr', ['-i', join(scene.tree, 'b')]);
    }
    await scene.undo(number);
    expect([...scene.snapshot()]).toEqual([...before]);
  });

  it.skipIf(lacks('setfacl') || lacks('getfacl'))('keeps access lists, and so does its undo', async () => {
    put('a', 'old\n');
    execFileSync('setfacl', ['-m', 'u:1:rw', join(scene.tree, 'a')]);
    const list = () => execFileSync('getfacl', ['-cE', 'a'], { cwd: scene.tree, encoding: 'utf8' });
    const before = list();
    const { number } = await tried('echo new >> a; setfacl -m u:2:r a');
    expect((await scene.apply(number)).code).toBe(0);
    expect(list()).toContain('user:bin:r--');
    expect(refusals((await scene.undo(number)).steps)).toEqual([]);
    expect(list()).toBe(before);
  });
});
