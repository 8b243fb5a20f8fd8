/**
 * Bombs: memory, processes, files, CPU time and wall-clock time. Each has a small limit, so that it is reached soon.
 */
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

describe.skipIf(missing || lacks('python3'))('the limits of one program', () => {
  function python(limits: SandboxLimits, ...lines: readonly string[]) {
    const { launcher } = tools;
    const argv = ['/usr/bin/env', 'python3', '-c', lines.join('\n')];
    return run(sandboxArgv({ launcher, argv, tmpDir: tmp.path, statusFile: tmp.statusFile, limits }), {
      env: { PATH: process.env.PATH, TMPDIR: tmp.path },
    });
  }

  it('end a memory bomb with ENOMEM', async () => {
    const ran = await python(
      { dataBytes: 100 << 20 },
      'try:',
      '    b = [bytearray(1 << 20) for _ in range(1000)]',
      '    print("through")',
      'except MemoryError: print("refused")',
    );
    expect(ran.out).toBe('refused\n');
  });

  it('include shared memory', async () => {
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

  it('end a file bomb with SIGXFSZ or EFBIG', async () => {
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

  it('bound the open files', async () => {
    const ran = await python(
      { openFiles: 50 },
      'import os',
      'try:',
      '    while True: os.open("/dev/null", 0)',
      'except OSError as e: print(e.errno)',
    );
    expect(ran.out).toBe('24\n');
  });

  it('bound CPU time by SIGXCPU, and by SIGKILL where that is caught', async () => {
    const ran = await python({ cpuSeconds: 1 }, 'while True: pass');
    expect(ran.code).toBe(128 + 24);
  });

  it('bound the wall-clock time of the whole command', async () => {
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

/** The bomb stops at 3000 processes, and none may be left after 10 seconds in any case. */
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

/** Returns how many of its processes exist. A zombie has no command line and is not counted. */
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

it.skipIf(missing)('the kernel refuses an ordinary user’s fork bomb, which ends with the command', async () => {
  const ended = bomb(ROOT ? 65534 : (process.getuid?.() ?? 0), 50);
  // NPROC counts in addition to the processes the machine had: far fewer than the bomb wants.
  expect((await ended).code).toBe(124);
  expect(bombs()).toBe(0);
});

it.skipIf(missing || !ROOT)('the supervisor notices and stops a fork bomb of root', async () => {
  const ran = await bomb(0, 100);
  expect(ran.err).toContain('aish-sandbox: stopped: more than 100 processes');
  expect(ran.code).toBe(137);
  expect(tmp.status()).toEqual({ kind: 'stopped', by: 'procs' });
  expect(bombs()).toBe(0);
});

it.skipIf(missing)('no core dump is written, and no handler for core dumps starts', async () => {
  const { launcher } = tools;
  const argv = ['sh', '-c', 'ulimit -Hc; cd "$TMPDIR"; sh -c "kill -SEGV \\$\\$"'];
  const ran = await run(sandboxArgv({ launcher, argv, tmpDir: tmp.path }), {
    env: { PATH: process.env.PATH, TMPDIR: tmp.path },
  });
  expect(ran.code).toBe(139);
  expect(readdirSync(tmp.path)).toEqual([]);
  expect(existsSync('/core')).toBe(false);
});
