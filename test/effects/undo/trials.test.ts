/** Trials as the program uses them: run, shown, applied or discarded, and recovery after a crash. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TrialMode } from '../../../src/contracts/trials.ts';
import { createPrivateTmp, trialArgv } from '../../../src/effects/sandbox/index.ts';
import {
  ChangeStore,
  diskHere,
  prepareTrial,
  probeTrials,
  TrialStore,
  viewHere,
} from '../../../src/effects/undo/index.ts';
import { removeTree } from '../../../src/text/files.ts';
import { lacks } from '../../support/lacks.ts';
import { run } from '../sandbox/run.ts';
import { buildTools, type Tools } from '../sandbox/tools.ts';
import { trialsWork } from './trial-support.ts';

let tools: Tools;
let root: string;
let tree: string;
let store: ChangeStore;
let trials: TrialStore;
beforeAll(async () => {
  if (!lacks('cc')) tools = await buildTools();
});
afterAll(() => tools?.dispose());
beforeEach(() => {
  if (!tools) return;
  root = mkdtempSync(join(tmpdir(), 'aish-trials-'));
  tree = join(root, 'tree');
  mkdirSync(tree);
  const directory = join(root, 'undo');
  const common = {
    disk: diskHere(tools.launcher, directory),
    session: 's1',
    now: () => 1,
    hide: (text: string) => text,
  };
  store = new ChangeStore({
    ...common,
    budgetBytes: 1e9,
    maxFileBytes: 1e8,
    days: 7,
    run: () => undefined,
    warn: () => {},
  });
  trials = new TrialStore({
    ...common,
    probe: () => probeTrials(launch(), directory),
    viewOf: (cwd) => viewHere(cwd, (each) => each),
    // Writes of other programs on the same disk count as well.
    spaceBytes: 1_000_000_000,
    run: () => Promise.reject(new Error('started by the test')),
    rollBack: (number) => store.rollBack(number),
  });
});
afterEach(() => root && removeTree(root));

const launch = () => ({ launcher: tools.launcher, createTmp: createPrivateTmp, wrap: trialArgv });
const put = (name: string, text: string) => writeFileSync(join(tree, name), text);
const get = (name: string) => readFileSync(join(tree, name), 'utf8');

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function attempt(script: string, cwd = tree, mode: TrialMode = 'unrestricted') {
  const trial = await prepareTrial(trials, script, cwd, launch(), mode);
  const ran = await run(trial.wrap(['bash', '-c', script]));
  return trial.outcome(ran.out + ran.err);
}

async function tried(script: string, mode?: TrialMode) {
  const outcome = await attempt(script, tree, mode);
  if (outcome.kind !== 'changes') throw new Error(outcome.why);
  return outcome;
}

describe.skipIf(!trialsWork())('a trial', () => {
  it('works on this machine, as detected by trying', async () => {
    expect(await trials.unavailable()).toBeUndefined();
    expect(readdirSync(join(root, 'undo'))).toEqual([]);
  });

  it('lists what it would change, and changes nothing', async () => {
    put('a', 'one\n');
    put('gone', 'x'.repeat(1000));
    mkdirSync(join(tree, 'd'));
    put('d/x', 'x\n');
    const { changes, exitCode, deletedBytes, writtenBytes } = await tried(
      'echo two >> a; rm gone; rm -r d; mkdir -p n/m; ln -s a way; chmod 600 a; exit 3',
    );
    expect(exitCode).toBe(3);
    expect(changes.map(({ kind, type, path }) => `${kind} ${type} ${path.slice(tree.length + 1)}`)).toEqual([
      'changed file a',
      'deleted directory d',
      'deleted file d/x',
      'deleted file gone',
      'created directory n',
      'created directory n/m',
      'created link way',
    ]);
    expect([deletedBytes, writtenBytes]).toEqual([1002, 9]);
    expect(readdirSync(tree).sort()).toEqual(['a', 'd', 'gone']);
  });

  it('shows a diff, is applied exactly as shown, and can be undone', async () => {
    put('a', 'one\ntwo\n');
    const { id, digest } = await tried('sed -i s/two/2/ a; mkdir d; echo x > d/x');
    expect(await trials.diff(id)).toContain('-two\n+2');
    const { ok, action } = await trials.apply(id, digest);
    expect(ok).toBe(true);
    expect([get('a'), get('d/x')]).toEqual(['one\n2\n', 'x\n']);
    expect((await store.list())[0]).toMatchObject({ number: action, state: 'ended', created: 2, changed: 1 });
    expect((await store.undo(action ?? 0)).ok).toBe(true);
    expect(get('a')).toBe('one\ntwo\n');
    expect(readdirSync(tree)).toEqual(['a']);
  });

  it('is applied only as it was shown, and only once', async () => {
    const { id, digest } = await tried('echo x > a');
    expect((await trials.apply(id, 'another')).text).toBe('the trial differs from the list you saw');
    expect((await trials.apply(id, digest)).text).toBe('this trial no longer exists');
    expect(readdirSync(tree)).toEqual([]);
  });

  it('is not applied where a file changed, a link was put in the way, or a name was taken meanwhile', async () => {
    for (const meanwhile of [
      () => put('a', 'mine\n'),
      () => put('d/mine', 'mine\n'),
      () => put('new', 'mine\n'),
      () => rmSync(join(tree, 'a')),
      () => {
        rmSync(join(tree, 'd'), { recursive: true });
        symlinkSync(root, join(tree, 'd'));
      },
    ]) {
      rmSync(tree, { recursive: true });
      mkdirSync(join(tree, 'd'), { recursive: true });
      put('a', 'one\n');
      put('d/x', 'x\n');
      const { id, digest } = await tried('echo two > a; rm -r d; echo n > new');
      meanwhile();
      const before = spawnSync('ls', ['-lAR', tree], { encoding: 'utf8' }).stdout;
      const { ok, text } = await trials.apply(id, digest);
      expect(ok).toBe(false);
      expect(text).toMatch(/^not applied, since this changed meanwhile:\n {2}leaves +\/.*(?:changed since|gone since)/);
      expect(spawnSync('ls', ['-lAR', tree], { encoding: 'utf8' }).stdout).toBe(before);
      expect(await store.list()).toEqual([]);
    }
  });

  it('reaches nothing outside: files, network, sockets, signals, the store, its own upper directory', async () => {
    const outside = spawnSync('sleep', ['0']).pid;
    const { changes, doubts } = await tried(`
      echo x > ${root}/outside; echo x > /etc/aish-outside; echo x > ${root}/undo/x; ls ${root}/undo
      kill -9 ${process.pid} ${outside}; kill -9 -1
      for p in /proc/[0-9]*; do echo x > $p/root${root}/outside; done
      unshare -Urm mount -t tmpfs none ${tree}; mount --bind / ${tree}; mknod d c 0 0; mknod b b 8 0
      exec 3<>/dev/tcp/127.0.0.1/1; true`);
    expect(changes).toEqual([]);
    expect(doubts[0]).toMatch(`it was refused to write outside its directory: ${root}/outside and `);
    expect(existsSync(join(root, 'outside'))).toBe(false);
  });

  it('has a private /tmp without the files of the real one', async () => {
    writeFileSync(join(root, 'mine'), 'kept\n');
    const script = `rm -rf ${root}/mine; echo x > /tmp/left; cat /tmp/left ${root}/mine`;
    expect(await tried(script, 'project')).toMatchObject({ exitCode: 1, changes: [], doubts: [], outside: [] });
    expect(readFileSync(join(root, 'mine'), 'utf8')).toBe('kept\n');
    expect(existsSync('/tmp/left')).toBe(false);
  });

  it('can’t change the files that git obeys, as in Project mode', async () => {
    mkdirSync(join(tree, '.git', 'hooks'), { recursive: true });
    put('.git/config', '');
    const script = 'echo x > .git/config; echo x > .git/hooks/pre-commit; mv .git other; echo x > made; true';
    const paths = (await tried(script, 'project')).changes.map(({ path }) => path);
    expect(paths).toEqual([join(tree, 'made')]);
    expect((await tried(script)).changes.length).toBeGreaterThan(1);
  });

  it('names what only a real run could write outside, and nothing in Project, where a real run can’t either', async () => {
    const outside = join(root, 'outside');
    const script = `echo x > made; echo x > ${outside}`;
    expect(await tried(script)).toMatchObject({ changes: { length: 1 }, outside: [outside] });
    const there = `echo x > made; echo x > /usr/outside`;
    expect(await tried(there, 'project')).toMatchObject({
      outside: [],
      doubts: [expect.stringContaining('/usr/outside')],
    });
  });

  it('reports that it can’t tell the result where a socket is moved or made', async () => {
    mkdirSync(join(tree, 'd'));
    const server = createServer().listen(join(tree, 'd', 'socket'));
    await once(server, 'listening');
    for (const script of ['mv d e || true', 'cp -a d e || true'])
      expect(await attempt(script)).toMatchObject({
        kind: 'cannotTell',
        why: expect.stringMatching(/makes the socket .*, which a trial can’t/),
      });
    server.close();
  });

  it('keeps a TMPDIR inside the tree that it shows, and replaces any other', async () => {
    const own = mkdirSync(join(tree, 'tmp'), { recursive: true });
    const prepared = await prepareTrial(trials, 'true', tree, launch());
    expect(prepared.temporary({ TMPDIR: own })).toEqual({});
    expect(prepared.temporary({ TMPDIR: root })).toMatchObject({ TMPDIR: expect.stringContaining('aish-') });
  });

  it('ends with all its processes, detached ones too, when its command ends', async () => {
    const mark = `1000.${process.pid}`;
    await tried(`setsid nohup sleep ${mark} >/dev/null 2>&1 & disown; echo x > a`);
    const commands = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(commandOf);
    expect(commands.filter((command) => command.startsWith('sleep\0') && command.includes(mark))).toEqual([]);
  });

  it('reports that it can’t tell the result: a file with several names, a mount, a directory moved by its name, too much data', async () => {
    put('a', 'one\n');
    spawnSync('ln', [join(tree, 'a'), join(tree, 'b')]);
    expect(await attempt('echo two > a')).toMatchObject({
      kind: 'cannotTell',
      why: expect.stringContaining('has other names'),
    });
    expect(await attempt('rm a')).toMatchObject({ kind: 'changes' });
    expect(await attempt('true', '/dev')).toMatchObject({
      kind: 'cannotTell',
      why: expect.stringContaining('a mount point lies in it'),
    });
    mkdirSync(join(tree, 'd'));
    expect(await attempt('mv d e')).toMatchObject({ kind: 'changes' });
    if (!lacks('python3'))
      expect(await attempt(`python3 -c 'import os; os.rename("d", "e")' || true`)).toMatchObject({
        kind: 'cannotTell',
        why: expect.stringContaining('renames a directory'),
      });
    expect(await attempt('fallocate -l 1500M large || head -c 1500000000 /dev/zero > large; sleep 5')).toMatchObject({
      kind: 'cannotTell',
      why: 'it wrote more than a trial has room for',
    });
  });

  it('leaves the other names of a file alone when one of them is replaced by a new file', async () => {
    put('a', 'one\n');
    chmodSync(join(tree, 'a'), 0o644);
    spawnSync('ln', [join(tree, 'a'), join(tree, 'b')]);
    const { id, digest } = await tried('rm a; echo one > a.new; chmod 600 a.new; mv a.new a');
    expect((await trials.apply(id, digest)).ok).toBe(true);
    expect([statSync(join(tree, 'a')).mode & 0o777, statSync(join(tree, 'b')).mode & 0o777]).toEqual([0o600, 0o644]);
    // A descriptor reaches the one file, whose names a trial can't distinguish.
    if (lacks('python3')) return;
    spawnSync('ln', [join(tree, 'b'), join(tree, 'c')]);
    expect(await attempt(`python3 -c 'import os; os.fchmod(os.open("b", os.O_RDONLY), 0o640)'`)).toMatchObject({
      kind: 'cannotTell',
      why: expect.stringContaining('has other names'),
    });
  });

  it('handles odd names, deep trees, sparse files and modes', async () => {
    const { id, digest } = await tried(`
      touch -- $'two\\nlines' $'\\xff' -dash "$(printf 'x%.0s' {1..255})"; mkfifo fifo; truncate -s 1T sparse; chmod 4755 sparse
      p=.; for i in {1..300}; do p=$p/d; done; mkdir -p $p; echo deep > $p/file`);
    expect((await trials.apply(id, digest)).text).toMatch(/^applied: /);
    const listed = spawnSync('find', [tree], { encoding: 'latin1', maxBuffer: 1e8 }).stdout.split('\n');
    expect(listed).toHaveLength(1 + 7 + 300 + 1 + 1);
    expect((await store.undo(Number(id))).text).toMatch(/^undone/);
    expect(readdirSync(tree)).toEqual([]);
  });

  it('lists the contents of a directory that its command made inaccessible, and applies it with that mode', async () => {
    const { id, digest, changes } = await tried('mkdir -p d/e; echo x > d/e/f; chmod 000 d/e; chmod 400 d');
    expect(changes.map(({ path }) => path.slice(tree.length + 1))).toEqual(['d', 'd/e', 'd/e/f']);
    expect((await trials.apply(id, digest)).ok).toBe(true);
    expect(statSync(join(tree, 'd')).mode & 0o777).toBe(0o400);
    chmodSync(join(tree, 'd'), 0o700);
    expect(statSync(join(tree, 'd/e')).mode & 0o777).toBe(0);
  });

  it('is discarded on request, or when the process that started it is gone', async () => {
    const { id } = await tried('mkdir d; chmod 000 d; echo x > a');
    await trials.discardAbandoned();
    expect(readdirSync(join(root, 'undo'))).toEqual([id]);
    await trials.discard(id);
    await trials.discard(id);
    expect(readdirSync(join(root, 'undo'))).toEqual([]);
    const other = await tried('echo x > a');
    const file = join(root, 'undo', other.id, 'trial.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"pid":\d+/, '"pid":4194305'));
    await trials.discardAbandoned();
    expect(readdirSync(join(root, 'undo'))).toEqual([]);
  });
});
