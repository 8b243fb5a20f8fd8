/** Bombs: memory, processes, files, CPU time, wall-clock time. Each with a small bound, so that it bursts soon. */
import { chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createPrivateTmp,
  type PrivateTmp,
  type SandboxLimits,
  sandboxArgv,
} from '../../../src/effects/sandbox/index.ts';
import { lacks } from '../../support/lacks.ts';
import { run } from './run.ts';
import { buildTools, type Tools } from './tools.ts';

let tools: Tools;
let tmp: PrivateTmp;
beforeAll(async () => {
  tools = await buildTools({ hostile: true });
});
afterAll(() => tools?.dispose());
beforeEach(() => {
  tmp = createPrivateTmp();
});
afterEach(() => tmp.dispose());

const ROOT = process.getuid?.() === 0;
const missing = lacks('cc');

describe.skipIf(missing || lacks('python3'))('one program', () => {
  function python(limits: SandboxLimits, ...lines: readonly string[]) {
    const { launcher } = tools;
    const argv = ['/usr/bin/env', 'python3', '-c', lines.join('\n')];
    return run(sandboxArgv({ launcher, argv, tmpDir: tmp.path, statusFile: tmp.statusFile, limits }), {
      env: { PATH: process.env.PATH, TMPDIR: tmp.path },
    });
  }

  it('a memory bomb ends with ENOMEM', async () => {
    const ran = await python(
      { dataBytes: 100 << 20 },
      'try:',
      '    b = [bytearray(1 << 20) for _ in range(1000)]',
      '    print("through")',
      'except MemoryError: print("refused")',
    );
    expect(ran.out).toBe('refused\n');
  });

  it('shared memory does not get around it', async () => {
    const ran = await python(
      { addressBytes: 300 << 20 },
      'import mmap',
      'try:',
      '    b = [mmap.mmap(-1, 100 << 20) for _ in range(10)]',
      '    print("through")',
      'except OSError as e: print(e.errno)',
    );
    expect(ran.out).toBe('12\n');
  });

  it('a file bomb ends with SIGXFSZ or EFBIG', async () => {
    const ran = await python(
      { fileBytes: 1 << 20 },
      'import os',
      'f = open(os.environ["TMPDIR"] + "/big", "wb")',
      'try:',
      '    for _ in range(100): f.write(b"x" * (1 << 20)); f.flush()',
      '    print("through")',
      'except OSError as e: print(e.errno)',
    );
    expect(ran.out).not.toContain('through');
    expect(statSync(join(tmp.path, 'big')).size).toBe(1 << 20);
  });

  it('open files are bounded', async () => {
    const ran = await python(
      { openFiles: 50 },
      'import os',
      'try:',
      '    while True: os.open("/dev/null", 0)',
      'except OSError as e: print(e.errno)',
    );
    expect(ran.out).toBe('24\n');
  });

  it('CPU time is bounded: SIGXCPU, and SIGKILL where that is caught', async () => {
    const ran = await python({ cpuSeconds: 1 }, 'while True: pass');
    expect(ran.code).toBe(128 + 24);
  });

  it('wall-clock time is bounded for all of it', async () => {
    const ran = await python(
      { wallSeconds: 1 },
      'import os, signal, time',
      'for n in range(1, 32):',
      '    if n not in (9, 19): signal.signal(n, signal.SIG_IGN)',
      'if os.fork() == 0: os.setsid()',
      'while True: time.sleep(100)',
    );
    expect(ran).toMatchObject({ code: 124, err: 'aish-sandbox: stopped after 1 s (wall-clock limit)\n' });
    expect(tmp.status()).toEqual({ kind: 'stopped', by: 'wall' });
  });
});

/** The bomb ends by itself at 3000 processes, and nothing of it may be left after 10 seconds in any case. */
async function bomb(uid: number, procs: number) {
  if (ROOT) for (const path of [dirname(tmp.path), tmp.path]) chownSync(path, uid, uid);
  const argv = sandboxArgv({
    launcher: tools.launcher,
    argv: [tools.hostile, '--bomb', '3000'],
    tmpDir: tmp.path,
    statusFile: tmp.statusFile,
    limits: { procs, wallSeconds: ROOT && uid === 0 ? 10 : 1 },
  });
  return run([tools.hostile, '--start', String(uid), ...argv], { cwd: '/', env: { PATH: process.env.PATH } });
}

/** How many of its processes there are. One that has ended but was not yet waited for has no command line. */
function bombs(): number {
  const commands = readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')] : [];
    } catch {
      return [];
    }
  });
  return commands.filter((line) => line.startsWith(`${tools.hostile}\0--bomb`)).length;
}

it.skipIf(missing)('a fork bomb of a user is refused by the kernel, and gone with the command', async () => {
  const ended = bomb(ROOT ? 65534 : (process.getuid?.() ?? 0), 50);
  // NPROC counts on top of what the machine had: far fewer than the bomb wants.
  expect((await ended).code).toBe(124);
  expect(bombs()).toBe(0);
});

it.skipIf(missing || !ROOT)('a fork bomb of root is noticed and stopped', async () => {
  const ran = await bomb(0, 100);
  expect(ran.err).toContain('aish-sandbox: stopped: more than 100 processes');
  expect(ran.code).toBe(137);
  expect(tmp.status()).toEqual({ kind: 'stopped', by: 'procs' });
  expect(bombs()).toBe(0);
});

it.skipIf(missing)('a core is never written, nor a handler for it started', async () => {
  const { launcher } = tools;
  const argv = ['sh', '-c', 'ulimit -Hc; cd "$TMPDIR"; sh -c "kill -SEGV \\$\\$"'];
  const ran = await run(sandboxArgv({ launcher, argv, tmpDir: tmp.path }), {
    env: { PATH: process.env.PATH, TMPDIR: tmp.path },
  });
  expect(ran.code).toBe(139);
  expect(readdirSync(tmp.path)).toEqual([]);
  expect(existsSync('/core')).toBe(false);
});
