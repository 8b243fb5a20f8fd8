/** The store as the program uses it: actions, runs, previews, budgets, and recovery after a crash. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gainsRights } from '../../../src/app/executors.ts';
import { projectArgv, supervisedArgv } from '../../../src/effects/sandbox/index.ts';
import { diskHere } from '../../../src/effects/undo/disk.ts';
import { ChangeStore } from '../../../src/effects/undo/index.ts';
import { Pty } from '../../../src/executor/pty.ts';
import { lacks } from '../../support/lacks.ts';
import { run, until } from '../sandbox/run.ts';
import { buildTools, type Tools } from '../sandbox/tools.ts';

let tools: Tools;
let root: string;
let tree: string;
let warnings: string[];
let inRun: string | undefined;
let clock: number;
beforeAll(async () => {
  if (!lacks('cc')) tools = await buildTools();
});
afterAll(() => tools?.dispose());
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-store-'));
  tree = join(root, 'tree');
  mkdirSync(tree);
  warnings = [];
  inRun = undefined;
  clock = 1_000_000;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (more: Partial<ConstructorParameters<typeof ChangeStore>[0]> = {}) =>
  new ChangeStore({
    disk: diskHere(tools.launcher, join(root, 'undo')),
    budgetBytes: 1e9,
    maxFileBytes: 1e8,
    days: 7,
    session: 's1',
    run: () => inRun,
    now: () => clock,
    hide: (text) => text.replaceAll('hunter2', '⟦secret⟧'),
    warn: (text) => warnings.push(text),
    ...more,
  });

async function keep(store: ChangeStore, command: string): Promise<void> {
  const keeping = await store.keepCommand(command, tree);
  if (!keeping) throw new Error((await store.unavailable()) ?? 'not kept');
  await run(supervisedArgv({ launcher: tools.launcher, argv: ['bash', '-c', command], cwd: tree, keep: keeping }));
  void keeping.end(true);
}

const put = (name: string, text: string) => writeFileSync(join(tree, name), text);
const get = (name: string) => readFileSync(join(tree, name), 'utf8');

describe.skipIf(lacks('cc'))('the change store', () => {
  it('shows a diff of what undo would restore, restores it, and redoes it', async () => {
    const store = open();
    put('a', 'one\ntwo\n');
    await keep(store, 'sed -i s/two/2/ a; echo x > made');
    const { text } = await store.preview('last');
    expect(text).toMatch(/^1 · sed -i s\/two\/2\/ a; echo x > made · 1 file changed, 1 created\n/);
    expect(text).toContain('/made is removed');
    expect(text).toContain('-2\n+two');
    const undone = await store.undo('last');
    expect(undone).toEqual({ ok: true, text: expect.stringMatching(/^undone: 1 · .*\(:undo 2 yes redoes it\)$/) });
    expect(get('a')).toBe('one\ntwo\n');
    expect(await store.preview('last')).toEqual({ ok: false, text: 'nothing to undo' });
    expect((await store.undo(2)).ok).toBe(true);
    expect(get('a')).toBe('one\n2\n');
    expect((await store.list()).map(({ number, state }) => `${number} ${state}`)).toEqual([
      '3 ended',
      '2 undone',
      '1 ended',
    ]);
  });

  it('restores nothing that the preview did not show', async () => {
    const store = open();
    put('a', 'one\n');
    await keep(store, 'echo two > a');
    const { shown } = await store.preview('last');
    await keep(store, 'echo made > b');
    const refused = await store.undo('last', shown);
    expect(refused).toEqual({ ok: false, text: expect.stringContaining('something has changed since the preview') });
    expect([get('a'), get('b')]).toEqual(['two\n', 'made\n']);
    expect((await store.undo('last', (await store.preview('last')).shown)).ok).toBe(true);
    expect([get('a'), existsSync(join(tree, 'b'))]).toEqual(['two\n', false]);
  });

  it('leaves no record of an undo that found another undo of the same action running', async () => {
    const store = open();
    put('a', 'one\n');
    await keep(store, 'echo two > a');
    const busy = join(root, 'busy');
    writeFileSync(busy, `#!/bin/sh\ncase "$*" in *--into*) exit 75;; esac\nexec '${tools.launcher}' "$@"\n`);
    chmodSync(busy, 0o755);
    const second = await open({ disk: diskHere(busy, join(root, 'undo')) }).undo('last');
    expect(second).toEqual({ ok: false, text: expect.stringContaining('not done: it is still running') });
    expect((await open().list()).map(({ number, state }) => `${number} ${state}`)).toEqual(['1 ended']);
    expect((await store.undo('last')).ok).toBe(true);
    expect(get('a')).toBe('one\n');
  });

  it('keeps nothing of a read-only command, and stores no secret of its text', async () => {
    const store = open();
    await keep(store, 'ls; cat /etc/hostname');
    expect(await store.list()).toEqual([]);
    await keep(store, 'echo hunter2 > a');
    expect((await store.list())[0]?.text).toBe('echo ⟦secret⟧ > a');
    expect(statSync(join(root, 'undo')).mode & 0o777).toBe(0o700);
  });

  it('keeps no record of a command that never started, and reuses its number', async () => {
    const store = open();
    const given = await store.keepCommand('echo x > made', tree);
    await given?.end(false);
    expect(readdirSync(join(root, 'undo'))).toEqual([]);
    await keep(store, 'echo x > made');
    expect((await store.list()).map(({ number, state }) => `${number} ${state}`)).toEqual(['1 ended']);
  });

  it('removes, after the turn in which a command ended, its record if it changed nothing', async () => {
    const store = open();
    const recordOf = (number: number) => readdirSync(join(root, 'undo', String(number))).sort();
    await keep(store, 'true');
    expect(recordOf(1)).toEqual(['action.json', 'journal', 'summary']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(recordOf(1)).toEqual([]);
    await keep(store, 'true');
    store.close();
    expect(recordOf(1)).toEqual([]);
    await keep(store, 'true');
    expect(await store.list()).toEqual([]);
  });

  it('removes at its start the empty records of killed processes, and none of running ones', async () => {
    const gone = spawnSync('true').pid;
    const endedBy = (pid: number, number: number, summary?: string) => {
      const directory = join(root, 'undo', String(number));
      mkdirSync(directory, { recursive: true });
      const opening = { kind: 'command', text: `step ${number}`, cwd: tree, session: 's0', at: clock, pid };
      writeFileSync(join(directory, 'action.json'), JSON.stringify(opening));
      if (summary !== undefined) writeFileSync(join(directory, 'summary'), summary);
    };
    endedBy(gone, 1, 'created 0 deleted 0 changed 0 moved 0 bytes 9 refused 0 unkept 0 touched 0\n');
    endedBy(gone, 2, 'created 1 deleted 0 changed 0 moved 0 bytes 9 refused 0 unkept 0 touched 1\n');
    endedBy(process.ppid, 3, 'created 0 deleted 0 changed 0 moved 0 bytes 9 refused 0 unkept 0 touched 0\n');
    endedBy(gone, 4);
    endedBy(process.ppid, 5);
    const listed = async (store: ChangeStore) => (await store.list()).map(({ number }) => number);
    expect(await listed(open())).toEqual([5, 3, 2]);
  });

  it('reuses the number of a command that changed nothing while it is the last', async () => {
    const [store, other] = [open(), open({ session: 's2' })];
    await keep(store, 'true');
    await keep(store, 'echo x > one');
    await keep(store, 'true');
    await keep(other, 'echo x > two');
    await keep(store, 'true');
    await keep(store, 'echo x > three');
    expect((await store.list()).map(({ number, text }) => `${number} ${text}`)).toEqual([
      '4 echo x > three',
      '3 echo x > two',
      '1 echo x > one',
    ]);
    expect((await store.undo('last')).ok).toBe(true);
    expect(readdirSync(tree).sort()).toEqual(['one', 'two']);
  });

  it('undoes a run as a whole, the newest action first', async () => {
    const store = open();
    put('a', 'one\n');
    await keep(store, 'echo before > other');
    inRun = 's1:5';
    await keep(store, 'echo two > a');
    await keep(store, 'mv a b; mkdir d; echo x > d/x');
    inRun = undefined;
    await store.looking;
    expect(store.ofRun('s1:5')?.lost).toEqual([]);
    expect(store.ofRun('s1:5')?.files.map(({ path, how }) => `${how} ${relative(tree, path)}`)).toEqual([
      'moved b',
      'created d/x',
      'created d',
    ]);
    expect(store.changedBy('another')).toEqual([]);
    expect((await store.undo('run')).ok).toBe(true);
    expect(readdirSync(tree).sort()).toEqual(['a', 'other']);
    expect(get('a')).toBe('one\n');
  });

  it('names a moved file by its current name, and where it is restored from', async () => {
    const store = open();
    for (const name of ['log', 'x', 'y']) put(name, 'one\n');
    for (const name of ['made', 'gone']) mkdirSync(join(tree, name));
    put('made/in', 'one\n');
    inRun = 's1:7';
    await keep(store, 'mv log log.1; echo new > log; mv made kept; rmdir gone; mv x y');
    inRun = undefined;
    await store.looking;
    const files = store.changedBy('s1:7').map(({ path, how }) => `${how} ${relative(tree, path)}`);
    expect(files.toSorted()).toEqual(['changed log', 'changed y', 'deleted gone', 'moved kept', 'moved log.1']);
    expect((await store.preview('run')).text).toMatch(/moves back +.*\/kept → .*\/made\n/);
    expect((await store.undo('run')).ok).toBe(true);
    expect(readdirSync(tree).sort()).toEqual(['gone', 'log', 'made', 'x', 'y']);
  });

  it('keeps a file that aish-tui itself is about to change', async () => {
    const store = open();
    put('a', 'one\n');
    const kept = await store.keepFile(join(tree, 'a'), 'patch a', tree);
    writeFileSync(join(tree, 'fresh'), 'two\n');
    await run(['mv', join(tree, 'fresh'), join(tree, 'a')]);
    await kept?.end(true);
    expect((await store.undo('last')).ok).toBe(true);
    expect(get('a')).toBe('one\n');
  });

  it('knows which file of a run aish-tui itself changed', async () => {
    const store = open();
    put('a', 'one\n');
    inRun = 's1:6';
    const kept = await store.keepFile(join(tree, 'a'), 'patch a', tree);
    put('fresh', 'two\n');
    await run(['mv', join(tree, 'fresh'), join(tree, 'a')]);
    await kept?.end(true);
    inRun = undefined;
    await store.looking;
    expect(store.changedBy('s1:6')).toMatchObject([{ path: join(tree, 'a'), how: 'changed' }]);
  });

  it('reports files that were not kept for lack of room, and changes that were not recorded', async () => {
    const store = open({ budgetBytes: 50_000 });
    put('large', 'x'.repeat(200_000));
    await keep(store, 'echo new > large');
    expect(get('large')).toHaveLength(200_000);
    expect(warnings[0]).toMatch(/^no room to keep .*large: the command was told that the disk is full/);
  });

  it('makes room by removing old actions, the oldest first', async () => {
    const store = open({ budgetBytes: 1_000_000 });
    for (const name of ['a', 'b', 'c']) {
      put(name, 'x'.repeat(300_000));
      await keep(store, `rm ${name}`);
    }
    await keep(store, 'echo x > d');
    expect((await store.list()).map(({ number }) => number)).toEqual([4, 3]);
    clock += 8 * 24 * 60 * 60 * 1000;
    await keep(store, 'echo x > e');
    expect((await store.list()).map(({ text }) => text)).toEqual(['echo x > e']);
  });

  it('finishes an interrupted undo when it is opened next', async () => {
    const store = open();
    put('a', 'one\n');
    await keep(store, 'echo two > a');
    // The state after a crash: started, with nothing done.
    mkdirSync(join(root, 'undo', '2'), { mode: 0o700 });
    const opening = { kind: 'undo', text: 'undo of 1', cwd: tree, session: 's1', at: 1, of: 1 };
    writeFileSync(join(root, 'undo', '2', 'action.json'), JSON.stringify(opening));
    expect((await open().list()).map(({ number, state }) => `${number} ${state}`)).toEqual(['2 ended', '1 undone']);
    expect(get('a')).toBe('one\n');
  });

  it('reports files that a continued undo left alone', async () => {
    const store = open();
    put('a', 'one\n');
    put('b', 'one\n');
    await keep(store, 'echo two > a; echo two > b');
    mkdirSync(join(root, 'undo', '2'), { mode: 0o700 });
    const opening = { kind: 'undo', text: 'undo of 1', cwd: tree, session: 's1', at: 1, of: 1 };
    writeFileSync(join(root, 'undo', '2', 'action.json'), JSON.stringify(opening));
    put('a', 'mine\n');
    await open().list();
    expect([get('a'), get('b')]).toEqual(['mine\n', 'one\n']);
    expect(warnings.join()).toMatch(
      /^an undo that was cut off went on\nundone: 1 · .*\n.*leaves +\S+\/a \(changed since\)$/,
    );
  });

  it('omits an action that never started, and its undos, from the list', async () => {
    const begun = (number: number, opening: object) => {
      mkdirSync(join(root, 'undo', String(number)), { mode: 0o700, recursive: true });
      const all = { text: 'echo two > a', cwd: tree, session: 's1', at: 1, ...opening };
      writeFileSync(join(root, 'undo', String(number), 'action.json'), JSON.stringify(all));
    };
    const store = open();
    put('a', 'one\n');
    await keep(store, 'echo two > a');
    begun(2, { kind: 'command', pid: 2 ** 22 + 1 });
    begun(3, { kind: 'undo', of: 2 });
    begun(4, { kind: 'undo', of: 3 });
    expect((await open().list()).map(({ number, state }) => `${number} ${state}`)).toEqual(['1 ended']);
    expect(get('a')).toBe('two\n');
  });

  it('forgets one action, or all', async () => {
    const store = open();
    await keep(store, 'echo 1 > a');
    await keep(store, 'echo 2 > b');
    expect(await store.forget(1)).toEqual({ ok: true, text: 'forgotten' });
    expect(await store.forget('all')).toEqual({ ok: true, text: 'forgotten' });
    expect(await store.forget('all')).toEqual({ ok: false, text: 'nothing is kept' });
  });

  it('is unavailable without its launcher or with a budget of 0, and says why', async () => {
    expect(await open({ disk: diskHere('/nowhere', join(root, 'undo')) }).unavailable()).toContain(
      'nothing is kept: that needs Linux',
    );
    const none = open({ budgetBytes: 0 });
    expect(await none.keepCommand('rm a', tree)).toBeUndefined();
    expect(await none.preview('last')).toEqual({ ok: false, text: 'nothing is kept: undo.budget is 0' });
    expect(existsSync(join(root, 'undo'))).toBe(true);
  });

  it('shows hostile names with visible escapes', async () => {
    const store = open();
    await keep(store, "touch $'evil\\e[2Jname'");
    expect((await store.preview('last')).text).toContain('evil⟨U+001B⟩');
  });
});

it.each([
  ['sudo apt install x', true],
  ['make && doas ls', true],
  ['echo a | su -c id', true],
  ['cat sudoers.md; ./resume.sh', false],
  ['git submodule update', false],
])('gainsRights(%s) is %s', (command, expected) => {
  expect(gainsRights(command, false)).toBe(expected);
  expect(gainsRights(command, true)).toBe(false);
});

/** The store finds files that somebody else makes meanwhile only where it searches the tree. */
describe.skipIf(lacks('cc'))('a command in a terminal', () => {
  it.each([
    ['that writes to nothing else needs no search of the tree, in Project', projectArgv, ':', true],
    ['that writes to nothing else needs no search of the tree, in Unrestricted', supervisedArgv, ':', true],
    ['that makes a file needs a search of the tree, in Project', projectArgv, ': > mine', false],
    ['that makes a file needs a search of the tree, in Unrestricted', supervisedArgv, ': > mine', false],
  ])('is searched or not for unrecorded writes: %s', async (_, argvOf, makes, isQuick) => {
    const store = open();
    const command = `${makes}; echo begun > /dev/tty; until [ -e ${tree}/go ]; do sleep 0.01; done; (exec 3<>/dev/tty)`;
    const keeping = await store.keepCommand(command, tree, tree);
    if (!keeping) throw new Error('not kept');
    let shown = '';
    let ended = false;
    const start = { launcher: tools.launcher, argv: ['bash', '-c', command], cwd: tree, project: tree, keep: keeping };
    const [launcher = '', ...args] = argvOf(start);
    const pty = new Pty({
      argv: [launcher, ...args],
      cwd: tree,
      env: { PATH: process.env.PATH ?? '' },
      columns: 80,
      rows: 24,
      onData: (data) => (shown += data),
      onExit: () => (ended = true),
    });
    await until('it has written', () => shown.includes('begun'));
    writeFileSync(join(tree, 'go'), '');
    await until('it ends', () => ended);
    pty.dispose();
    await keeping.end(true);
    const notes = (await store.list()).flatMap((action) => action.notes);
    expect(notes).toEqual(isQuick ? [] : [`unkept ${tree}/go`]);
  });
});
