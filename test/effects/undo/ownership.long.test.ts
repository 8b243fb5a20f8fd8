/** A file belongs to the session if an action of it made the file and its name replaced nothing of the user. */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createGate } from '../../../src/safety/index.ts';
import { AsideScene } from './aside-scene.ts';
import { trialsWork } from './trial-support.ts';

const scene = new AsideScene();
const put = (name: string, text: string) => scene.put(name, text);
let tree: string;
beforeEach(() => {
  ({ tree } = scene);
  for (const name of ['f', 'notes.txt', 'doc/a', 'doc/b']) put(name, 'the user wrote this\n');
  put('Makefile', 'all:\n\tmkdir -p out\n\tcp f out/f\n\ttouch prog\n\nclean:\n\trm -rf out prog\n');
  put('clean.sh', 'rm -r out\nrm -f prog\n');
});

/** Returns whether the last command asks, after the others ran in Project. */
async function asks(...commands: readonly string[]) {
  const command = commands.at(-1) ?? '';
  for (const before of commands.slice(0, -1)) await scene.act(before);
  const judge = async (project: boolean) => {
    const gate = createGate({
      enabled: false,
      keeps: async () => true,
      madeHere: (path) => scene.store.madeHere(path),
    });
    const how = project ? { project: { tree }, held: true } : {};
    const judged = await gate.judge(
      { kind: 'command', command, job: false },
      { cwd: tree, goal: '', signal: new AbortController().signal, ...how },
    );
    if (!judged.destructive && judged.basis) expect(await gate.begin(judged.basis)).toBe(true);
    return judged.destructive;
  };
  return { project: await judge(true), unrestricted: await judge(false) };
}

const BOTH = { project: true, unrestricted: true };
const NEITHER = { project: false, unrestricted: false };

describe.skipIf(!trialsWork())('the gate asks before deleting a file of the user', () => {
  it.each([
    ['rm f'],
    ['unlink f'],
    ['rm -r doc'],
    ["sed -i 's/user/x/' f; rm f"],
    ["sed -i 's/user/x/' f", 'rm f'],
    ['echo x > own; mv own f; rm f'],
    ['echo x > own', 'mv own f', 'rm f'],
    ['echo x > own; ln -f own f', 'rm f'],
    ['git checkout b -- f; rm f'],
    ['rm f && echo x > f', 'cp notes.txt f; mv f g', 'mv notes.txt f', 'rm f'],
    ['mv notes.txt new.txt; rm new.txt'],
    ['mv notes.txt new.txt', 'rm new.txt'],
    ['git mv notes.txt new.txt; rm new.txt'],
    ['mkdir b; mv notes.txt b/; rm -rf b'],
    ['mkdir b', 'mv notes.txt b/; rm -rf b'],
    ['mkdir b', 'mv notes.txt b/', 'rm -rf b'],
    ['mkdir b; for each in doc/*; do mv $each b; done; rm -r b'],
    ['touch a.o', 'mv notes.txt b.o; rm *.o'],
    ['mv doc mine', 'rm -rf mine'],
    ['ln f g', 'rm g'],
    ['echo more >> f; rm f'],
    ['echo new > f; rm f'],
    ["python3 -c \"open('f', 'w').write('x'); import os; os.remove('f')\""],
    ["python3 -c \"import os; os.rename('f', 'g'); os.remove('g')\""],
    ['touch prog; mkdir out; touch out/f', 'mv notes.txt out', 'make clean'],
    ['touch prog; mkdir out; touch out/f', 'mv notes.txt out', 'bash clean.sh'],
  ])('in a session that runs: %s %s %s %s', async (...commands) => {
    expect(await asks(...commands.filter((each) => typeof each === 'string'))).toEqual(BOTH);
  });

  it('also when the user later changed or replaced a file of the session', async () => {
    await scene.act('touch edited replaced; mkdir dir');
    put('edited', 'by the user\n');
    writeFileSync(join(tree, 'new'), '');
    renameSync(join(tree, 'new'), join(tree, 'replaced'));
    put('dir/of-the-user', '');
    for (const command of ['rm edited', 'rm replaced', 'rm -rf dir']) expect(await asks(command)).toEqual(BOTH);
  });
});

describe.skipIf(!trialsWork())('the gate lets files of the session be deleted', () => {
  it.each([
    ['touch x; rm x'],
    ['touch x', 'rm x'],
    ['mkdir b; touch b/x; rm -rf b'],
    ['mkdir -p b/c; touch b/c/x', 'rm -rf b'],
    ['mkdir b', 'echo x > b/x; rm -rf b'],
    ['cp f g', "sed -i 's/user/x/' g", 'mv g h', 'rm h'],
    ['touch a.o b.o', 'rm *.o'],
    ['cp -r doc copy', 'mv copy moved', 'rm -rf moved'],
    ["python3 -c \"import os; open('t', 'w').write('x'); os.remove('t')\""],
    ['ln -s f link', 'rm link'],
    ['rm f', 'echo x > f', 'rm f'],
    ['echo x > own', 'echo y > own; rm own'],
    ['mkdir -p out; touch prog out/f', 'make clean'],
    ['mkdir -p out; touch prog out/f', 'bash clean.sh'],
    ['echo x > own', 'python3 -c "import os; os.remove(\'own\')"'],
  ])('in a session that runs: %s %s %s %s', async (...commands) => {
    expect(await asks(...commands.filter((each) => typeof each === 'string'))).toEqual(NEITHER);
  });

  it('in Project also where the files do not exist', async () => {
    expect(await asks('rm -rf out')).toEqual({ project: false, unrestricted: true });
    expect(await asks('make clean')).toMatchObject({ project: false });
    expect(await asks('rm *.o')).toMatchObject({ project: false });
  });

  it('in the next process of the session, but not in another session', async () => {
    await scene.act('mkdir b; touch b/x');
    scene.open();
    expect(await asks('rm -rf b')).toEqual(NEITHER);
    scene.open({ session: 's2' });
    expect(await asks('rm -rf b')).toEqual(BOTH);
  });

  it('that the patch tool made', async () => {
    const end = await scene.store.keepFile(join(tree, 'fresh'), 'patch fresh', tree);
    put('fresh', 'x\n');
    await end?.end(true);
    expect(await asks('rm fresh')).toEqual(NEITHER);
    const over = await scene.store.keepFile(join(tree, 'f'), 'patch f', tree);
    rmSync(join(tree, 'f'));
    put('f', 'x\n');
    await over?.end(true);
    expect(await asks('rm f')).toEqual(BOTH);
    expect(existsSync(join(tree, 'f'))).toBe(true);
  });
});

describe('a signal', () => {
  const judge = (command: string, project = false) =>
    createGate({
      enabled: false,
      keeps: async () => true,
      startedHere: (pid) => pid === 4242,
      namespaces: true,
    }).judge(
      { kind: 'command', command, job: false },
      { cwd: '/', goal: '', signal: new AbortController().signal, ...(project ? { project: { tree: '/' } } : {}) },
    );

  it('to a job of the session needs no question, and to any other process does', async () => {
    expect(await judge('kill 4242')).toMatchObject({ destructive: false });
    expect(await judge('kill -9 4242')).toMatchObject({ destructive: false });
    expect(await judge('kill 4242 4243')).toMatchObject({ destructive: true });
    expect(await judge('kill -- -1')).toMatchObject({ destructive: true });
  });

  it('asks nothing in Project, where processes outside the command are out of reach', async () => {
    for (const command of ['kill 1', 'pkill -9 node', 'killall python3'])
      expect([command, (await judge(command, true)).destructive]).toEqual([command, false]);
    expect(await judge('ssh host pkill node', true)).toMatchObject({ destructive: true });
  });
});
