/**
 * Changes by somebody else to files that an action changed indirectly: through another name of a file, or in the file’s
 * former directory.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { canBeOrdinary, sceneForEach, USERS } from './bench.ts';

const at = sceneForEach();
const { put, get, refused } = at;
/** Removes the part of a line that tells where the old content of a replaced file is kept. */
const bare = (lines: readonly string[]) => lines.map((line) => line.replace(/; its old content is kept in .*/, ''));
const there = (name: string) => join(at.scene.tree, name);

describe.skipIf(lacks('cc')).each(USERS)('undo where the user made changes too, as %s', (_, ordinary) => {
  beforeEach(() => {
    at.anew(ordinary);
    mkdirSync(there('d'));
    for (const each of ['x', 'y', 'd/f']) put(each, `${each}\n`);
    linkSync(there('x'), there('l'));
  });

  describe.each([': > x; mv y x', 'echo new > x; rm x', 'chmod 600 x; rm x'])('after `%s`', (script) => {
    it('leaves text that the user wrote through another name of the file, says so, and restores the names', async () => {
      const kept = await at.scene.keep(script);
      appendFileSync(there('l'), 'mine\n');
      const mine = get('l');
      const planned = refused(await at.scene.plan(kept.number));
      expect(planned).toEqual(['x: its content was changed since, by another name']);
      const undone = await at.scene.undo(kept.number);
      expect(refused(undone)).toEqual(['x: changed since']);
      expect(get('l')).toBe(mine);
      expect(get('x')).toBe(mine);
      expect(get('y')).toBe('y\n');
    });

    it('does not count an added or removed name as a change of the file', async () => {
      const kept = await at.scene.keep(script);
      linkSync(there('l'), there('k'));
      const undone = await at.scene.undo(kept.number);
      expect(refused(undone)).toEqual([]);
      expect([get('x'), get('l'), get('k'), get('y')]).toEqual(['x\n', 'x\n', 'x\n', 'y\n']);
    });

    it('restores a file that lost its other name, whatever was written through that name', async () => {
      const kept = await at.scene.keep(script);
      appendFileSync(there('l'), 'mine\n');
      rmSync(there('l'));
      const undone = await at.scene.undo(kept.number);
      expect(refused(undone)).toEqual([]);
      // A mode alone is no reason to keep the content.
      expect([get('x'), get('y')]).toEqual([script.startsWith('chmod') ? 'x\nmine\n' : 'x\n', 'y\n']);
    });
  });

  describe.each(['mv d/f y', 'mv d/f z', 'mv d/f y; echo new > w'])('after `%s`', (script) => {
    it.each<readonly [string, () => void]>([
      ['is moved', () => renameSync(there('d'), there('e'))],
      ['is removed', () => rmSync(there('d'), { recursive: true })],
      [
        'is replaced by a file',
        () => {
          rmSync(there('d'), { recursive: true });
          put('d', 'mine\n');
        },
      ],
    ])('leaves the file in place when its former directory %s', async (_what, change) => {
      const kept = await at.scene.keep(script);
      change();
      const before = readdirSync(at.scene.tree).filter((name) => name !== 'w');
      const to = script.includes('z') ? 'z' : 'y';
      const planned = refused(await at.scene.plan(kept.number)).toSorted();
      expect(bare(planned)).toEqual(['d/f: its directory is not there', `${to}: moved with what was changed since`]);
      const undone = await at.scene.undo(kept.number);
      expect(refused(undone).toSorted()).toEqual(planned);
      expect(readdirSync(at.scene.tree)).toEqual(before);
      expect(readFileSync(there(to), 'utf8')).toBe('d/f\n');
    });
  });

  it('previews and restores files below a directory that the action made unreadable', async () => {
    mkdirSync(there('d/g'));
    put('d/g/h', 'h\n');
    const kept = await at.scene.keep('rm d/g/h; chmod 0 d');
    expect(refused(await at.scene.plan(kept.number))).toEqual([]);
    expect(refused(await at.scene.undo(kept.number))).toEqual([]);
    expect(get('d/g/h')).toBe('h\n');
  });

  it('restores a directory that the action removed, and the file that was moved out of it', async () => {
    const kept = await at.scene.keep('mv d/f y; rmdir d');
    const undone = await at.scene.undo(kept.number);
    expect(refused(undone)).toEqual([]);
    expect([get('d/f'), get('y')]).toEqual(['d/f\n', 'y\n']);
  });

  it('leaves a directory that the user made in place of a removed one as it is', async () => {
    const kept = await at.scene.keep('mv d/f y; rmdir d');
    mkdirSync(there('d'));
    writeFileSync(there('d/f'), 'mine\n');
    const undone = await at.scene.undo(kept.number);
    expect(bare(refused(undone))).toContain('y: moved with what was changed since');
    expect([get('d/f'), get('y')]).toEqual(['mine\n', 'd/f\n']);
  });

  it.each([
    'mv z y; echo more >> x',
    'mv z d/e; mv d x; mv x/e x/f',
    'mv x t; mv d x; mv t x/t',
    'mv x t; mv d/g x; mv t x/e',
  ])('reverts `%s`, and redo and undo can be repeated', async (script) => {
    mkdirSync(there('d/g'));
    for (const each of ['z', 'd/g/h']) put(each, `${each}\n`);
    rmSync(there('y'));
    linkSync(there('x'), there('y'));
    if (script.includes('mv d x')) rmSync(there('x'));
    if (script.startsWith('mv x')) put('x', 'x\n');
    await at.scene.keep('true');
    const before = at.scene.snapshot(true);
    let { number } = await at.scene.keep(script);
    const after = at.scene.snapshot(true);
    for (const state of [before, after, before, after, before]) {
      const undone = await at.scene.undo(number);
      expect(refused(undone)).toEqual([]);
      expect(at.scene.snapshot(true)).toEqual(state);
      number = undone.number;
    }
  });

  it.skipIf(ordinary || !canBeOrdinary || lacks('chattr'))(
    'leaves a file where the action put it when it can’t go back',
    async () => {
      const kept = await at.scene.keep('mv d/f z');
      // An immutable directory, in which not even root can create a name.
      spawnSync('chattr', ['+i', there('d')]);
      const undone = await at.scene.undo(kept.number);
      spawnSync('chattr', ['-i', there('d')]);
      const why = ['d/f: Operation not permitted', 'z: it could not go back to its place'];
      expect(refused(undone)).toEqual(expect.arrayContaining(why));
      expect(get('z')).toBe('d/f\n');
    },
  );

  it('of only some files leaves an unreadable directory unreadable', async () => {
    const kept = await at.scene.keep('mkdir -p s/t; echo new > s/t/x; echo new > s/t/y; chmod 555 s/t s');
    const { number, directory } = at.scene.next();
    const store = join(at.scene.store, String(kept.number));
    const ran = await at.scene.launcher('--undo', store, '--into', directory, '--only', there('s/t/x'));
    expect([number > kept.number, ran.code, readdirSync(there('s/t'))]).toEqual([true, 0, ['y']]);
    expect(['s', 's/t'].map((name) => statSync(there(name)).mode & 0o777)).toEqual([0o555, 0o555]);
    chmodSync(there('s'), 0o755);
    chmodSync(there('s/t'), 0o755);
  });

  it('does not touch files that the user made or wrote after an interruption, when it continues', async () => {
    mkdirSync(there('e'));
    for (const name of ['f2', 'f3', 'gone', 'new']) put(`d/${name}`, `d/${name}\n`);
    const kept = await at.scene.keep(
      'mv d/f e/g; mv d/f2 e/g2; echo more >> d/f3; rm d/gone; rm d/new; echo new > d/new; echo more >> y; echo k > k',
    );
    const { directory } = at.scene.next();
    const store = join(at.scene.store, String(kept.number));
    const part = ['d/f', 'd/f3', 'd/gone', 'd/new', 'k'].map(there);
    const cut = await at.scene.launcher('--undo', store, '--into', directory, '--only', ...part);
    expect([cut.code, get('d/f'), get('d/f3'), get('d/new')]).toEqual([0, 'd/f\n', 'd/f3\n', 'd/new\n']);
    put('e/g', 'mine\n');
    put('k', 'mine\n');
    for (const name of ['d/f', 'd/f3', 'd/gone', 'd/new']) appendFileSync(there(name), 'mine\n');
    const went = await at.scene.launcher('--undo', store, '--into', directory);
    expect([get('e/g'), get('k')]).toEqual(['mine\n', 'mine\n']);
    for (const name of ['d/f', 'd/f3', 'd/gone', 'd/new']) expect([name, get(name)]).toEqual([name, `${name}\nmine\n`]);
    expect([get('d/f2'), get('y')]).toEqual(['d/f2\n', 'y\n']);
    expect(went.steps.filter(({ verb }) => verb === 'removed').map(({ path }) => path)).toEqual([]);
    const told = refused(went).map((line) => line.split(':')[0]);
    expect(told).toEqual(expect.arrayContaining(['e/g', 'k']));
  });

  it('restores the mode of a directory in which the user made a file, and names one whose mode was changed since', async () => {
    for (const name of ['e', 'g']) mkdirSync(there(name), { mode: 0o700 });
    const kept = await at.scene.keep('chmod 777 e g');
    put('e/mine', 'mine\n');
    put('g/mine', 'mine\n');
    chmodSync(there('g'), 0o750);
    const undone = await at.scene.undo(kept.number);
    expect(refused(undone)).toEqual(['g: changed since']);
    expect(['e', 'g'].map((name) => statSync(there(name)).mode & 0o777)).toEqual([0o700, 0o750]);
  });

  it.skipIf(ordinary || !canBeOrdinary || lacks('python3'))(
    'restores owner and attributes of a directory in which the user made a file, and lists that',
    async () => {
      const set = (name: string, value: string, of: string) =>
        `import os; os.setxattr("${of}", "user.${name}", b"${value}")`;
      const python = (...lines: readonly string[]) => `python3 -c '${lines.join('; ')}'`;
      const attributes = (name: string) =>
        spawnSync('python3', [
          '-c',
          'import os,sys; print([(k, os.getxattr(sys.argv[1], k)) for k in sorted(os.listxattr(sys.argv[1]))])',
          there(name),
        ])
          .stdout.toString()
          .trim();
      const names = ['e', 'g', 'o', 't'];
      for (const name of names) mkdirSync(there(name));
      for (const name of ['e', 'g']) spawnSync('python3', ['-c', set('a', '1', there(name))]);
      const before = at.scene.snapshot();
      const sets = ['e', 'g'].flatMap((name) => [set('a', '2', name), set('b', '3', name)]);
      const kept = await at.scene.keep(`${python(...sets)}; chown 5:5 o; touch -d 2001-01-01 t`);
      const steps = (await at.scene.plan(kept.number)).steps.map(
        ({ verb, path }) => `${verb} ${path.slice(at.scene.tree.length + 1)}`,
      );
      expect(steps.toSorted()).toEqual(names.map((name) => `mode ${name}`));
      for (const name of ['e', 'g', 'o']) put(`${name}/mine`, 'mine\n');
      spawnSync('python3', ['-c', set('a', '4', there('g'))]);
      expect(refused(await at.scene.plan(kept.number))).toEqual(['g: changed since']);
      expect(refused(await at.scene.undo(kept.number))).toEqual(['g: changed since']);
      expect([attributes('e'), attributes('g')]).toEqual([
        "[('user.a', b'1')]",
        "[('user.a', b'4'), ('user.b', b'3')]",
      ]);
      expect([statSync(there('o')).uid, at.scene.snapshot().get(there('t'))]).toEqual([0, before.get(there('t'))]);
    },
  );

  it('does not attribute changes made after an action was interrupted to that action', async () => {
    for (const name of ['w', 'z']) put(name, `${name}\n`);
    const script = 'echo n > x; rm y; mv z z2; echo n > w; echo k > new; echo k > new2; : > go; sleep 60';
    let store = '';
    const running = at.scene.keep(script, {
      async started(pid, directory) {
        store = directory;
        await until(() => existsSync(there('go')));
        // Kills the supervisor alone: it records an action's end as soon as the command or the launcher above it is
        // gone.
        const [supervisor] = childrenOf(pid);
        if (supervisor !== undefined) process.kill(supervisor, 'SIGKILL');
      },
    });
    expect((await running).code).toBe(137);
    const cut = lstatSync(join(store, 'journal')).mtimeMs;
    await until(() => {
      put('l2', '');
      return lstatSync(there('l2')).ctimeMs > cut + 2500;
    });
    appendFileSync(there('x'), 'mine\n');
    put('y', 'mine\n');
    appendFileSync(there('z2'), 'mine\n');
    appendFileSync(there('new'), 'mine\n');
    const written = readdirSync(store);
    const planned = refused(await at.scene.plan(1));
    expect(readdirSync(store)).toEqual(written);
    const old = /^x: may have been changed since the action was cut off; its old content is kept in (.*)$/.exec(
      planned.find((line) => line.startsWith('x:')) ?? '',
    );
    expect(readFileSync(old?.[1] ?? '', 'utf8')).toBe('x\n');
    const undone = await at.scene.undo(1);
    expect(refused(undone)).toEqual(expect.arrayContaining(planned));
    expect(refused(undone).map((line) => line.split(':')[0])).toEqual(expect.arrayContaining(['x', 'y', 'z2', 'new']));
    expect(['x', 'y', 'z2', 'new'].map(get)).toEqual(['n\nmine\n', 'mine\n', 'z\nmine\n', 'k\nmine\n']);
    expect([get('w'), existsSync(there('new2')), existsSync(there('z'))]).toEqual(['w\n', false, false]);
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20);
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}
