/** Accidents and attacks: commands that reach for the store, race, fill it, or hide what they write. */
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lightArgv } from '../../../src/effects/sandbox/index.ts';
import { lacks } from '../../support/lacks.ts';
import { run } from '../sandbox/run.ts';
import { sceneForEach } from './bench.ts';

const at = sceneForEach();
const { put, get, refused } = at;

describe.skipIf(lacks('cc'))('the store', () => {
  it('is out of reach by its name, a link, a descriptor in /proc, or moving its directory', async () => {
    put('a', 'old\n');
    symlinkSync(at.scene.store, join(at.scene.tree, 'way'));
    const kept = await at.scene.keep(`
      echo x > a
      rm -rf ../store; mv ../store ../gone; mv .. ../../gone; echo x > way/1/journal; rm -f way/1/c/*; ln way/1/c/1 mine
      exec 9<way/1/journal; echo x > /proc/self/fd/9; echo x > /dev/fd/9; chmod 777 way/1; truncate -s 0 way/1/journal; touch way/1`);
    expect(kept.notes.filter((note) => note.startsWith('refused ')).length).toBeGreaterThan(8);
    expect(existsSync(join(at.scene.tree, 'mine'))).toBe(false);
    expect(refused(await at.scene.undo(kept.number))).toEqual([]);
    expect(get('a')).toBe('old\n');
  });

  it('when full makes the command’s writes fail as on a full disk, and everything until then can be undone', async () => {
    put('small', 'old\n');
    put('large', 'x'.repeat(300_000));
    const kept = await at.scene.keep('echo new > small; echo new > large; rm large; ls', { budgetBytes: 20_000 });
    expect(kept.out).toContain('No space left on device');
    expect(kept.notes).toEqual([`full ${at.scene.tree}/large`, `full ${at.scene.tree}/large`]);
    expect(get('large')).toHaveLength(300_000);
    await at.scene.undo(kept.number);
    expect(get('small')).toBe('old\n');
  });

  it('counts its journal towards its budget, and limits its list of refusals', async () => {
    const kept = await at.scene.keep('for i in {1..3000}; do : > "$i"; done; for i in {1..3000}; do : > "$i"; done', {
      budgetBytes: 100_000,
    });
    expect(kept.out).toContain('No space left on device');
    const made = readdirSync(at.scene.tree).length;
    expect(made).toBeGreaterThan(300);
    expect(made).toBeLessThan(900);
    expect(kept.notes.length).toBe(1000);
    const journal = statSync(join(at.scene.store, '1', 'journal')).size;
    expect(Number(/bytes (\d+)/.exec(kept.summary)?.[1])).toBeGreaterThan(journal * 0.9);
    expect(refused(await at.scene.undo(kept.number))).toEqual([]);
    expect(readdirSync(at.scene.tree)).toEqual([]);
  });

  it('counts the size of an interrupted action once its journal is closed', async () => {
    put('large', 'x'.repeat(300_000));
    const kept = await at.scene.keep('rm large');
    const store = join(at.scene.store, String(kept.number));
    rmSync(join(store, 'summary'));
    truncateSync(join(store, 'journal'), statSync(join(store, 'journal')).size - 1); // The end of the journal is torn.
    expect((await at.scene.launcher('--undo', store, '--finish')).code).toBe(0);
    const [, bytes] = /bytes (\d+)/.exec(readFileSync(join(store, 'summary'), 'utf8')) ?? [];
    expect(Number(bytes)).toBeGreaterThan(300_000);
  });

  it.skipIf(lacks('shred'))('takes no copy of a shredded file, and says so', async () => {
    put('secret', 'key\n');
    const kept = await at.scene.keep('shred -n 1 secret');
    expect(kept.notes).toEqual([`skipped ${at.scene.tree}/secret`]);
    expect(execFileSync('sh', ['-c', `grep -rl key ${at.scene.store} || true`], { encoding: 'utf8' })).toBe('');
  });

  it('takes no copy of keys and passwords and says so, unless the user allows it', async () => {
    mkdirSync(join(at.scene.tree, '.ssh'));
    for (const name of ['.ssh/id_ed25519', '.ssh/known_hosts', '.ssh/id_ed25519.pub', '.netrc', 'plain'])
      put(name, `key ${name}\n`);
    const script =
      'for f in .ssh/id_ed25519 .ssh/known_hosts .ssh/id_ed25519.pub .netrc plain; do echo new > $f; done; rm .netrc plain';
    const kept = await at.scene.keep(script);
    expect([...new Set(kept.notes)]).toEqual([
      `secret ${at.scene.tree}/.ssh/id_ed25519`,
      `secret ${at.scene.tree}/.netrc`,
    ]);
    expect(
      execFileSync('sh', ['-c', `grep -rlE 'key .(netrc|ssh/id_ed25519)$' ${at.scene.store} || true`], {
        encoding: 'utf8',
      }),
    ).toBe('');
    const undone = await at.scene.undo(kept.number);
    expect(get('plain')).toBe('key plain\n');
    expect(get('.ssh/known_hosts')).toBe('key .ssh/known_hosts\n');
    expect(get('.ssh/id_ed25519.pub')).toBe('key .ssh/id_ed25519.pub\n');
    expect(refused(undone)).toEqual([expect.stringContaining('.netrc')]);
    put('.netrc', 'key\n');
    const wanted = await at.scene.keep('echo new > .netrc', { credentials: true });
    expect(wanted.notes).toEqual([]);
    await at.scene.undo(wanted.number);
    expect(get('.netrc')).toBe('key\n');
  });

  it('copies no file over its size limit, unless the copy can share blocks', async () => {
    put('large', 'x'.repeat(300_000));
    const kept = await at.scene.keep('echo new >> large', { fileBytes: 100_000 });
    expect(kept.notes.length === 1 || get('large').endsWith('new\n')).toBe(true);
  });

  it('is refused when others can enter it, and the command does not run', async () => {
    const { directory } = at.scene.next();
    execFileSync('chmod', ['755', directory]);
    const ran = await run([at.tools.launcher, '--supervise', '--keep', directory, '--', 'echo', 'ran']);
    expect(ran).toMatchObject({ code: 126, out: '' });
  });
});

describe.skipIf(lacks('cc'))('keeping changes for undo', () => {
  it('covers two names of one file, one overwritten and the other removed', async () => {
    put('a', 'old\n');
    linkSync(join(at.scene.tree, 'a'), join(at.scene.tree, 'b'));
    const before = at.scene.snapshot();
    const kept = await at.scene.keep('echo new > a; rm b');
    expect(refused(await at.scene.undo(kept.number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it('covers a FIFO with two names, one of which is replaced, and so does the undo', async () => {
    mkdirSync(join(at.scene.tree, 'd'));
    execFileSync('mkfifo', [join(at.scene.tree, 'fifo')]);
    linkSync(join(at.scene.tree, 'fifo'), join(at.scene.tree, 'd', 'other'));
    put('a', 'text\n');
    const before = at.scene.snapshot();
    const kept = await at.scene.keep('chmod 600 d/other; mv -f a fifo');
    const after = at.scene.snapshot(true);
    const undone = await at.scene.undo(kept.number);
    expect([...at.scene.snapshot()]).toEqual([...before]);
    expect(refused(await at.scene.undo(undone.number))).toEqual([]);
    expect([...at.scene.snapshot(true)]).toEqual([...after]);
  });

  it('covers a directory that is moved into its own replacement', async () => {
    for (const name of ['d', 'd/below', 'e']) mkdirSync(join(at.scene.tree, name));
    for (const name of ['d/file', 'd/below/file', 'e/file']) put(name, `${name}\n`);
    const before = at.scene.snapshot();
    for (const script of ['mkdir n; mv d n; mv n d; echo x > d/x', 'mv d e; mv e d']) {
      const kept = await at.scene.keep(script);
      const after = at.scene.snapshot(true);
      const undone = await at.scene.undo(kept.number);
      expect(refused(undone)).toEqual([]);
      expect([...at.scene.snapshot()]).toEqual([...before]);
      const again = await at.scene.undo(undone.number);
      expect(refused(again)).toEqual([]);
      expect([...at.scene.snapshot(true)]).toEqual([...after]);
      expect(refused(await at.scene.undo(again.number))).toEqual([]);
      expect([...at.scene.snapshot()]).toEqual([...before]);
    }
  });

  it('covers files that are temporary, nameless, or reached by descriptors', async () => {
    put('a', 'old\n');
    const before = at.scene.snapshot();
    const kept = await at.scene.keep(`
      for i in {1..50}; do echo x > t; rm t; done
      exec 8<a; echo new > /dev/fd/8; exec 8<>a; rm a; echo more >&8
      ${
        lacks('python3')
          ? ''
          : `python3 -c 'import os
fd = os.open(".", os.O_TMPFILE | os.O_RDWR); os.write(fd, b"x"); os.link(f"/proc/self/fd/{fd}", "unnamed")'`
      }`);
    expect(kept.notes).toEqual([]);
    expect(refused(await at.scene.undo(kept.number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it('does not wait at a FIFO, and ignores devices, sockets and /proc', async () => {
    execFileSync('mkfifo', [join(at.scene.tree, 'fifo')]);
    const kept = await at.scene.keep(
      'echo x > /dev/null; echo 0 > /proc/self/oom_score_adj; (timeout 5 cat fifo &) ; echo x > fifo; rm fifo',
    );
    expect(kept.code).toBe(0);
    expect(kept.notes).toEqual([]);
    await at.scene.undo(kept.number);
    expect(lstatSync(join(at.scene.tree, 'fifo')).isFIFO()).toBe(true);
  });

  it.skipIf(lacks('python3'))('covers sockets that are made, replaced by a file, and removed', async () => {
    const bind = (name: string) => `python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(${name})'`;
    execFileSync('bash', ['-c', `${bind('"gone"')}; ${bind('"replaced"')}`], { cwd: at.scene.tree });
    mkdirSync(join(at.scene.tree, 'd'));
    put('file', 'text\n');
    const before = at.scene.snapshot();
    const long = 'l'.repeat(107 - 2);
    const kept = await at.scene.keep(
      `rm gone; mv -f file replaced; ${bind('"made"')}; ${bind('"d/made"')}; ${bind(`"d/${long}"`)}; ${bind('"\\0abstract"')}; ${bind('""')}; rm made; python3 -c 'import socket; socket.socket().bind(("127.0.0.1", 0))'`,
    );
    expect(kept).toMatchObject({ code: 0, notes: [], out: '' });
    expect([...at.scene.snapshot().keys()].map((path) => path.slice(at.scene.tree.length + 1))).toEqual([
      '',
      'd',
      `d/${long}`,
      'd/made',
      'replaced',
    ]);
    expect(refused(await at.scene.undo(kept.number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it('follows a link to its target, and refuses a process with another root', async () => {
    mkdirSync(join(at.scene.root, 'outside'));
    writeFileSync(join(at.scene.root, 'outside', 'file'), 'old\n');
    symlinkSync('../outside', join(at.scene.tree, 'out'));
    const kept = await at.scene.keep(
      `echo new > out/file; unshare -rm sh -c 'echo x > ${at.scene.root}/outside/file' 2>&1; true`,
    );
    expect(readFileSync(join(at.scene.root, 'outside', 'file'), 'utf8')).toBe('new\n');
    await at.scene.undo(kept.number);
    expect(readFileSync(join(at.scene.root, 'outside', 'file'), 'utf8')).toBe('old\n');
  });

  it('names changes that a racing program made without being recorded', async () => {
    put('victim', 'old\n');
    // A process outside writes while a kept command runs, and the store does not see that.
    const kept = await at.scene.keep('echo x > made; sleep 0.2; exit 0', {
      started: () => setTimeout(() => put('victim', 'new\n'), 150),
    });
    expect(kept.notes).toEqual([`unkept ${at.scene.tree}/victim`]);
  });

  it('covers everything overwritten while a directory and a link swap places', async () => {
    mkdirSync(join(at.scene.tree, 'real'));
    mkdirSync(join(at.scene.tree, 'other'));
    for (const name of ['real', 'other']) put(`${name}/file`, `${name}\n`);
    const before = at.scene.snapshot();
    const kept = await at.scene.keep(`
      (for i in {1..100}; do ln -sfn real way; ln -sfn other way; done) &
      for i in {1..100}; do echo $i > way/file; done; wait`);
    const undone = await at.scene.undo(kept.number);
    // Unrecorded changes are named; everything else is unchanged.
    if (kept.notes.length === 0) expect(refused(undone)).toEqual([]);
    if (kept.notes.length === 0) expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it('does not start below another supervisor', async () => {
    const inner = at.scene.next();
    const kept = await at.scene.keep(
      `'${at.tools.launcher}' --supervise --keep ${inner.directory} -- echo ran; echo $?`,
    );
    expect(kept.out).toContain('set-up failed at keep');
    expect(kept.out).not.toContain('ran\n0');
  });

  it('ends with its supervisor, after which changes fail', async () => {
    put('a', 'old\n');
    let pid = 0;
    const kept = await at.scene.keep('sleep 0.3; echo new > a', {
      started: (launcher) => {
        pid = launcher;
        setTimeout(() => process.kill(pid, 'SIGKILL'), 150);
      },
    });
    expect(kept.code).not.toBe(0);
    expect(get('a')).toBe('old\n');
  });

  it('works under the light profile as well', async () => {
    put('a', 'old\n');
    const { number, directory } = at.scene.next();
    const keep = { directory, tree: at.scene.tree, budgetBytes: 1e9, fileBytes: 1e9 };
    const ran = await run(
      lightArgv({ launcher: at.tools.launcher, argv: ['sh', '-c', 'echo new > a; mv a b'], cwd: at.scene.tree, keep }),
    );
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(refused(await at.scene.undo(number))).toEqual([]);
    expect(get('a')).toBe('old\n');
  });
});

describe.skipIf(lacks('cc'))('undo', () => {
  it('leaves and names files that somebody changed since', async () => {
    put('mine', 'old\n');
    put('yours', 'old\n');
    put('gone', 'old\n');
    const kept = await at.scene.keep('echo new > mine; echo new > yours; rm gone; echo made > made');
    put('yours', 'edited\n');
    put('gone', 'again\n');
    put('made', 'edited\n');
    // The program sets the time back to hide its change.
    utimesSync(join(at.scene.tree, 'yours'), 1, 1);
    const undone = await at.scene.undo(kept.number);
    // The undo put nothing in its place: the old content is in the store alone.
    const gone = expect.stringMatching(/^gone: changed since; its old content is kept in \//);
    expect([...refused(undone)].sort()).toEqual([gone, 'made: changed since', 'yours: changed since']);
    expect([get('mine'), get('yours'), get('gone'), get('made')]).toEqual(['old\n', 'edited\n', 'again\n', 'edited\n']);
  });

  it('previews its changes without making them', async () => {
    put('a', 'old\n');
    put('b', 'old\n');
    const kept = await at.scene.keep('echo new > a; rm b; echo x > c');
    const after = at.scene.snapshot();
    const { steps } = await at.scene.plan(kept.number);
    expect(steps.map(({ verb, path }) => `${verb} ${path.slice(at.scene.tree.length + 1)}`).sort()).toEqual([
      'changed a',
      'created c',
      'deleted b',
    ]);
    const source = steps.find(({ verb }) => verb === 'changed')?.source ?? '';
    expect(readFileSync(join(at.scene.store, String(kept.number), source), 'utf8')).toBe('old\n');
    expect([...at.scene.snapshot()]).toEqual([...after]);
  });

  it('of two actions one after the other restores everything, the newer first', async () => {
    put('a', 'one\n');
    mkdirSync(join(at.scene.tree, 'd'));
    put('d/x', 'x\n');
    const before = at.scene.snapshot();
    const first = await at.scene.keep('echo two > a; echo y > d/x');
    const second = await at.scene.keep('echo three > a; rm -r d; mv a b');
    const third = await at.scene.keep('echo four > b');
    for (const { number } of [third, second, first]) expect(refused(await at.scene.undo(number))).toEqual([]);
    expect([...at.scene.snapshot()]).toEqual([...before]);
  });

  it('of an older action leaves files that a newer one changed', async () => {
    put('a', 'one\n');
    const first = await at.scene.keep('echo two > a');
    await at.scene.keep('echo three > a');
    expect(refused(await at.scene.undo(first.number))).toEqual(['a: changed since']);
    expect(get('a')).toBe('three\n');
  });

  it('waits for the last process of an action', async () => {
    put('a', 'old\n');
    let said: Promise<number> | undefined;
    await at.scene.keep('echo new > a; sleep 0.4', {
      started: (_pid, directory) => {
        said = new Promise((resolve) => {
          setTimeout(
            () => spawn(at.tools.launcher, ['--undo', directory, '--finish']).on('close', (code) => resolve(code ?? 0)),
            200,
          );
        });
      },
    });
    expect(await said).toBe(75);
  });

  it('reads a torn journal up to the tear', async () => {
    put('a', 'old\n');
    const kept = await at.scene.keep('echo new > a');
    execFileSync('sh', ['-c', `printf garbage >> ${join(at.scene.store, String(kept.number), 'journal')}`]);
    expect(refused(await at.scene.undo(kept.number))).toEqual([]);
    expect(get('a')).toBe('old\n');
  });
});
