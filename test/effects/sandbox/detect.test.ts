import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { lacks } from '../../support/lacks.ts';
import { run } from './run.ts';
import { buildTools, type Tools } from './tools.ts';

/** Counts process starts that fail, as on a machine with no room for one more process. */
const crowded = { starts: 0 };
// Test files share their modules, so the sandbox module must be loaded again to get the mock.
vi.resetModules();
vi.doMock('node:child_process', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:child_process')>();
  const execFile = new Proxy(original.execFile, {
    apply(start, _this, given: Parameters<typeof original.execFile>) {
      if (crowded.starts === 0) return start(...given);
      crowded.starts -= 1;
      const end = given.at(-1) as (error: Error, stdout: string, stderr: string) => void;
      setImmediate(() => end(Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' }), '', ''));
      return undefined;
    },
  });
  return { ...original, execFile };
});
const { compileLauncher, createPrivateTmp, detectSandbox, sandboxArgv } = await import(
  '../../../src/effects/sandbox/index.ts'
);
afterAll(() => {
  vi.doUnmock('node:child_process');
  vi.resetModules();
});

let tools: Tools;
beforeAll(async () => {
  if (!lacks('cc')) tools = await buildTools();
});
afterAll(() => tools?.dispose());

const SOURCE = join(import.meta.dirname, '../../../src/effects/launcher');

describe.skipIf(lacks('cc'))('detection by self-test', () => {
  it('reports what works on this kernel and what is missing', async () => {
    const status = await detectSandbox({ launcher: tools.launcher });
    expect(status.filesystem && status.network).toBe(status.available);
    if (status.available) expect(status.landlockAbi).toBeGreaterThanOrEqual(1);
    else expect(status.why).toMatch(/Linux 5\.13/);
    expect(status.missing.join()).toContain('each process');
  });

  it.each([
    [1, true],
    [3, true],
    [5, true],
    [6, false],
  ])('with Landlock %s is available, and reports signals as unconfined: %s', async (abi, open) => {
    const status = await detectSandbox({ launcher: tools.testLauncher, extra: ['--abi', String(abi)] });
    expect(status.available).toBe(true);
    expect(status.missing.some((part) => part.startsWith('signals'))).toBe(open);
  });

  it('without Landlock is not available, and the required kernel is named', async () => {
    const status = await detectSandbox({ launcher: tools.testLauncher, extra: ['--abi', '0'] });
    expect(status).toMatchObject({ available: false, filesystem: false, network: false });
    expect(status.why).toContain('Linux 5.13 or newer with Landlock, 6.12 or newer for all of it');
  });

  it('makes the sandbox unavailable when a step fails on this machine, and names the step', async () => {
    const status = await detectSandbox({ launcher: tools.testLauncher, extra: ['--fail', 'filter'] });
    expect(status.available).toBe(false);
    expect(status.why).toMatch(/^filter: /);
  });

  it('detects a launcher that does not restrict its command', async () => {
    const liar = join(tools.directory, 'liar');
    writeFileSync(liar, `#!/bin/sh\nexec ${tools.launcher} --supervise "$@"\n`, { mode: 0o755 });
    const status = await detectSandbox({ launcher: liar });
    expect(status.available).toBe(false);
    // The script between makes another process the launcher's parent, so the launcher refuses before anything is tried.
    expect(status.why).toBeDefined();
  });

  it('tries again after a failed start of a process, and names the error if it persists', async () => {
    const status = await detectSandbox({ launcher: tools.launcher });
    crowded.starts = 2;
    expect(await detectSandbox({ launcher: tools.launcher })).toEqual(status);
    crowded.starts = 3;
    expect(await detectSandbox({ launcher: tools.launcher })).toMatchObject({
      available: false,
      why: 'the sandbox launcher could not be started (EAGAIN)',
    });
    expect(crowded.starts).toBe(0);
  });

  it('explains a missing or broken launcher, with a remedy', async () => {
    const missing = await detectSandbox({ launcher: join(tools.directory, 'nothing') });
    expect(missing).toMatchObject({ available: false, landlockAbi: 0 });
    expect(missing.why).toMatch(/install a C compiler/);
    const text = join(tools.directory, 'text');
    writeFileSync(text, 'not a program', { mode: 0o755 });
    expect((await detectSandbox({ launcher: text })).available).toBe(false);
  });
});

describe('compiling the launcher', () => {
  it.skipIf(lacks('cc'))('makes a small static program', () => {
    expect(statSync(tools.launcher).size).toBeLessThan(165_000);
    // The program names no interpreter, so it loads no library.
    expect(readFileSync(tools.launcher, 'latin1')).not.toMatch(/\/ld-[\w-]+\.so/);
  });

  it('says which package to install where there is no compiler', async () => {
    const place = createPrivateTmp();
    onTestFinished(() => place.dispose());
    const output = join(place.path, 'none');
    const built = await compileLauncher({ source: SOURCE, output, cc: ['no-such-compiler'] });
    expect(built).toMatchObject({ ok: false });
    expect(built.ok ? '' : built.why).toMatch(
      /^no C compiler \(no-such-compiler\): install .*apt install gcc libc6-dev/,
    );
    expect(existsSync(output)).toBe(false);
  });

  it.skipIf(lacks('cc'))('prints the compiler’s message, and keeps the old program', async () => {
    writeFileSync(join(tools.directory, 'broken.c'), 'int main(void) { return nonsense; }');
    const output = join(tools.directory, 'kept');
    writeFileSync(output, 'old');
    const built = await compileLauncher({ source: tools.directory, output });
    expect(built.ok ? '' : built.why).toMatch(/did not compile \(.*nonsense.*\)/);
    expect(statSync(output).size).toBe(3);
  });
});

describe('the private directory', () => {
  it('is private, does not contain the status file, and can be disposed of twice', async () => {
    const tmp = createPrivateTmp();
    expect(statSync(tmp.path).mode & 0o777).toBe(0o700);
    expect(tmp.statusFile.startsWith(`${tmp.path}/`)).toBe(false);
    expect(tmp.status()).toEqual({ kind: 'notStarted', why: 'the launcher wrote no status' });
    tmp.dispose();
    tmp.dispose();
    expect(existsSync(tmp.path)).toBe(false);
  });

  it.skipIf(lacks('cc'))('lets the command read its status file but not write to it', async () => {
    const tmp = createPrivateTmp();
    const script = `until [ -s ${tmp.statusFile} ]; do :; done; cat ${tmp.statusFile}; echo "exit 0 left 0" > ${tmp.statusFile}; mv $TMPDIR/../status $TMPDIR/; exit 5`;
    const argv = ['sh', '-c', script];
    const { launcher } = tools;
    const ran = await run(sandboxArgv({ launcher, argv, tmpDir: tmp.path, statusFile: tmp.statusFile }), {
      env: { PATH: process.env.PATH, TMPDIR: tmp.path },
    });
    expect(ran.out).toBe('started\n');
    expect(ran.err.match(/denied/g)).toHaveLength(2);
    expect(tmp.status()).toEqual({ kind: 'exited', code: 5, left: 0 });
    tmp.dispose();
  });

  it.each([
    ['', { kind: 'notStarted', why: 'the launcher wrote no status' }],
    ['started\n', { kind: 'running' }],
    ['started\nexit 3 left 2\n', { kind: 'exited', code: 3, left: 2 }],
    ['started\nsignal 9 left 0\n', { kind: 'killed', signal: 9, left: 0 }],
    ['started\nstopped wall\n', { kind: 'stopped', by: 'wall' }],
    ['failed landlock: no\n', { kind: 'notStarted', why: 'landlock: no' }],
    ['gibberish\n', { kind: 'notStarted', why: 'the launcher wrote no status' }],
  ])('parses the status %j', (text, status) => {
    const tmp = createPrivateTmp();
    writeFileSync(tmp.statusFile, text);
    expect(tmp.status()).toEqual(status);
    tmp.dispose();
  });
});
