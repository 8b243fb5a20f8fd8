/** `:undo run` does exactly what its preview says. */
import { execFileSync } from 'node:child_process';
import { chmodSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isGitBookkeeping } from '../../../src/contracts/trials.ts';
import { lacks } from '../../support/lacks.ts';
import { AsideScene } from './aside-scene.ts';
import { snapshot } from './scene.ts';
import { trialsWork } from './trial-support.ts';

const scene = new AsideScene();
let tree: string;
beforeEach(() => {
  ({ tree } = scene);
  scene.open({ run: () => 's1:1' });
  for (const name of ['a', 'b', 'c', 'd/x', 'd/y']) scene.put(name, `mine ${name}\n`);
});

/** Returns `kind content` of each path below the tree. */
const contents = () =>
  new Map(
    [...snapshot(tree, true)].map(([path, facts]) => {
      const [mode = '', , , , , , , content = ''] = facts.split(' ');
      return [path.slice(tree.length + 1), `${mode} ${content}`] as const;
    }),
  );

/** Returns the paths that the undo of the run changes, compared before and after. */
async function undone(): Promise<readonly string[]> {
  const before = contents();
  expect((await scene.store.undo('run')).ok).toBe(true);
  const after = contents();
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.filter((path) => before.get(path) !== after.get(path)).sort();
}

/** Returns the paths that the preview names, and those that stand for everything below. */
async function previewed(): Promise<{ readonly named: readonly string[]; readonly tops: readonly string[] }> {
  const { text } = await scene.store.preview('run');
  const lines = text
    .split('\n')
    .filter((line) => /^ {2}(restores|removes|moves back|changes back|resets mode) /.test(line));
  const pathsIn = (some: readonly string[]) =>
    some.flatMap((line) =>
      line.split(' ').flatMap((word) => (word.startsWith(`${tree}/`) ? [word.replace(/\/$/, '')] : [])),
    );
  const subjects = lines.map((line) => pathsIn([line]).at(-1));
  expect(new Set(subjects).size, text).toBe(subjects.length);
  const named = [...new Set(pathsIn(lines))].map((path) => path.slice(tree.length + 1)).sort();
  return { named, tops: pathsIn(lines.filter((line) => /moves back|\/(?: {2}\d+ files?)?$/.test(line))) };
}

describe.skipIf(!trialsWork())('the preview of a run', () => {
  it.each([
    [['echo 1 > a', 'echo 2 > a', 'echo 3 > a']],
    [["sed -i 's/mine/new/' a", "sed -i 's/new/newer/' a"]],
    [["sed -i 's/mine/new/' a", 'mv a z']],
    [['echo 1 >> a', 'mv a z']],
    [['echo 1 >> a', 'mv a b']],
    [['mv a t; mv b a; mv t b', 'echo x >> a']],
    [['echo 1 > new', 'echo 2 > new', 'mv new newer']],
    [['echo 1 > new', 'rm new', 'rm c']],
    [['rm c', 'echo other > c']],
    [['mv a a.1; echo new > a', 'echo newer > a']],
    [['mv d e', 'echo x >> e/x; rm e/y; touch e/z']],
    [['echo x >> d/x', 'mv d e', 'rm -r e']],
    [['mkdir n', 'touch n/1', 'touch n/2; chmod +x a', 'mv n/1 n/3']],
    [['chmod +x a', 'echo x >> a', 'chmod 600 b']],
    [['git init -q .; git add a', 'git -c user.name=a -c user.email=a@b.c commit -qm x']],
  ])('matches the undo after %j', async (commands) => {
    for (const command of commands) await scene.act(command);
    await scene.store.looking;
    const { named, tops } = await previewed();
    const isBelow = (path: string) => tops.some((top) => join(tree, path).startsWith(`${top}/`));
    const isTold = (path: string) => named.includes(path) || !(isBelow(path) || isGitBookkeeping(path));
    expect((await undone()).filter(isTold)).toEqual(named);
  });

  it('matches the undo where a patch and a chmod change the same file', async () => {
    const patch = await scene.store.keepFile(join(tree, 'a'), 'patch a', tree);
    scene.put('fresh', 'new a\n');
    renameSync(join(tree, 'fresh'), join(tree, 'a'));
    await patch?.end(true);
    await scene.act('chmod +x a');
    await scene.store.looking;
    const { text } = await scene.store.preview('run');
    expect(text).toMatch(/^2 actions · 1 path\n {2}changes back {2}\S+\/a\n {2}\S+\/a {2}\+1 −1\n/);
    expect(text).toContain('1 + mine a');
    expect(await undone()).toEqual(['a']);
  });

  it('of a retried attempt undoes everything once, or nothing', async () => {
    await scene.act('echo 1 > a; echo 1 > b');
    expect([await scene.store.takeBack(1), await scene.store.takeBack(1)]).toEqual([undefined, undefined]);
    expect(contents().get('a')).toContain(Buffer.from('mine a\n').toString('base64'));
    const [newest] = await scene.store.list();
    await scene.act('echo 2 > a; echo 2 > b');
    const before = contents();
    scene.put('b', 'by the user\n');
    expect(await scene.store.takeBack((newest?.number ?? 0) + 1)).toMatch(/\/b: changed since/);
    expect(contents().get('a')).toBe(before.get('a'));
    expect(await scene.store.takeBack(99)).toBe('it is not kept any more');
  });

  it.skipIf(lacks('git'))('of a commit says that the branch moves back, and counts git’s own files', async () => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.c'];
    for (const words of [
      ['init', '-q', '-b', 'main'],
      ['add', 'a'],
      [...who, 'commit', '-qm', 'one'],
    ])
      execFileSync('git', words, { cwd: tree });
    await scene.act(`git add b && git ${who.join(' ')} commit -qm two`);
    await scene.store.looking;
    const { text } = await scene.store.preview('last');
    expect(text).toMatch(/\n {2}git {11}main moves back 1 commit · [0-9a-f]{7} → [0-9a-f]{7}$/m);
    expect(text).toMatch(/\n {2}git {11}\d+ files of its own$/m);
    expect(text).not.toContain('.git/objects');
  });

  it('names files that stay because the user changed them after the run', async () => {
    await scene.act('echo 1 > a; echo 1 > b');
    await scene.act('echo 2 > a; echo 2 > c');
    await scene.store.looking;
    scene.put('a', 'by the user\n');
    chmodSync(join(tree, 'c'), 0o600);
    const { text } = await scene.store.preview('run');
    expect(text).toMatch(/leaves +\S+\/a \(changed since/);
    expect(text).toMatch(/changes back +\S+\/b/);
    expect(text.match(/\/a /g)).toHaveLength(1);
    const { text: result } = await scene.store.undo('run');
    expect(result).toMatch(/leaves +\S+\/a/);
    expect(contents().get('a')).toContain(Buffer.from('by the user\n').toString('base64'));
  });
});
