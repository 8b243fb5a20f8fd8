/** Commands run by a launcher that was started in advance, compared with those that this program starts itself. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { RunningCommand } from '../../src/contracts/commands.ts';
import { prepareOnce, takePipe } from '../../src/executor/index.ts';
import { ensureBuilt } from '../support/build.ts';
import { lacks } from '../support/lacks.ts';
import { baseEnv, once, shows, until, workspace } from './support.ts';

const LAUNCHER = fileURLToPath(new URL('../../dist/aish-sandbox', import.meta.url));

ensureBuilt();

type Options = Parameters<typeof once>[1];

/** Runs a supervised command over a pipe, as the program does. */
async function run(
  command: string,
  options: Options,
  waited: boolean,
  more: readonly string[] = [],
): Promise<RunningCommand> {
  const cwd = options?.cwd ?? workspace();
  const pipe = await takePipe(waited ? LAUNCHER : undefined);
  if (!pipe) throw new Error('there are no pipes here');
  const wrap = ['--supervise', ...more, '--cwd', cwd, '--parent', String(process.pid), '--'];
  return once(command, { env: baseEnv(cwd), ...options, cwd, pipe, launcher: (argv) => [LAUNCHER, ...wrap, ...argv] });
}

/** Returns the starter and the launchers below it, waiting or running, as the kernel reports them. */
function launchers(): readonly { readonly pid: number; readonly parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [program = '', argument] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
        if (program !== LAUNCHER || argument !== '--starter') return [];
        const parent = Number(readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]);
        return [{ pid: Number(name), parent }];
      } catch {
        return [];
      }
    });
}

const starter = () => launchers().find(({ parent }) => parent === process.pid)?.pid ?? -1;
const below = (pid: number) => launchers().filter(({ parent }) => parent === pid);

/** Waits until a launcher waits for its command. */
async function ready(): Promise<void> {
  await until(async () => {
    const pipe = await takePipe(LAUNCHER);
    if (!pipe) return false;
    const waits = readlinkSync(`/proc/self/fd/${pipe.read}`).startsWith('pipe:');
    pipe.drop();
    closeSync(pipe.read);
    return waits;
  }, 'a launcher waits');
}

/** Returns the waiting launcher: one whose end was reported may still be exiting. */
async function theOneThatWaits(): Promise<number> {
  await ready();
  await until(() => below(starter()).length === 1, 'no other is left');
  return below(starter())[0]?.pid ?? -1;
}

describe.skipIf(lacks(LAUNCHER))('a launcher that waits for its command', () => {
  it.each([
    'echo out; exit 3',
    'echo one; echo two >&2; echo three',
    'cd /usr; false',
    'kill -TERM $$',
    'nosuch',
    'echo $# "$@" $0',
    'seq 1 9999',
    'env | grep -v AISH_TUI_RUN | sort',
    'ulimit -a; umask',
    'readlink /proc/self/fd/0; ls /proc/self/fd; tty',
    'echo one > /dev/stdout; echo two > /dev/stderr; test -p /dev/stdout && echo pipe',
    'grep -e SigBlk -e SigIgn -e SigCgt /proc/self/status',
    'test $(ps -o sess= $PPID) = $PPID && echo its own session',
  ])('runs the command as if aish-tui had started it: %j', async (command) => {
    const cwd = workspace();
    await ready();
    const results = [];
    for (const waited of [false, true]) {
      const { exit, head, tail, note, cwd: ended } = await (await run(command, { cwd }, waited)).result;
      results.push({ exit, head, tail, note, ended });
    }
    expect(results[1]).toEqual(results[0]);
  });

  it('inherits no variable and no file of aish-tui, and once it starts, another one waits', async () => {
    const waits = await theOneThatWaits();
    const environment = readFileSync(`/proc/${waits}/environ`, 'latin1').split('\0').filter(Boolean);
    expect(environment.every((each) => /^(?:AISH_TUI_RUN|PWD|SHLVL|_)=/.test(each))).toBe(true);
    const files = readdirSync(`/proc/${waits}/fd`).map((fd) => readlinkSync(`/proc/${waits}/fd/${fd}`));
    expect(files.filter((file) => file.startsWith('/') && file !== '/dev/null')).toEqual([]);
    const running = await run('echo begun; sleep 60', {}, true);
    await shows(running, 'begun');
    expect(running.pid).toBe(waits);
    await until(() => below(starter()).length >= 2, 'the next one waits');
    running.interrupt();
    expect(await running.result).toMatchObject({ exit: 130, note: 'interrupted' });
  });

  it('is used by the next command when the command that it was reserved for never starts', async () => {
    const waits = await theOneThatWaits();
    const [cwd, pipe] = [workspace(), await takePipe(LAUNCHER)];
    if (!pipe) throw new Error('none waits');
    const options = { env: baseEnv(cwd), columns: 80, rows: 24, dataDir: join(cwd, 'data') };
    const launcher = (argv: readonly string[]) => [LAUNCHER, '--supervise', '--', ...argv];
    prepareOnce({ command: 'touch begun', cwd, ...options, pipe, launcher }).drop();
    const running = await run('test ! -e begun', { cwd }, true);
    expect(running.pid).toBe(waits);
    expect((await running.result).exit).toBe(0);
  });

  it('runs several commands side by side, each with its own output and end', async () => {
    const numbers = Array.from({ length: 8 }, (_, number) => number);
    await ready();
    const all = await Promise.all(numbers.map((n) => run(`echo ${n}; exit ${n}`, {}, true)));
    const results = await Promise.all(all.map((each) => each.result));
    expect(results.map(({ head, exit }) => [head, exit])).toEqual(numbers.map((n) => [String(n), n]));
  });

  it('reports the end of its command once the store of changes is free for the next one', async () => {
    await ready();
    for (let round = 0; round < 8; round += 1) {
      const [cwd, store] = [workspace(), join(workspace(), 'undo', '1')];
      mkdirSync(store, { recursive: true, mode: 0o700 });
      const { result } = await run('echo made > file; exit 3', { cwd }, true, ['--keep', store, '--keep-tree', cwd]);
      expect((await result).exit).toBe(3);
      const undone = spawnSync(LAUNCHER, ['--undo', store], { encoding: 'utf8' });
      expect([undone.status, undone.stderr]).toEqual([0, '']);
      expect(undone.stdout).toContain(`${cwd}/file`);
    }
  });

  it('starts nothing for invalid arguments, and still waits for the next command', async () => {
    await ready();
    const running = await run('echo $NAME', { env: { NAME: 'a\0b' } }, true);
    expect((await running.result).note).toMatch(/could not start: .*null byte/);
    expect(await (await run('echo on', {}, true)).result).toMatchObject({ exit: 0, head: 'on' });
  });

  it('ends its command when the starter is killed, and the next command runs all the same', async () => {
    await ready();
    const marker = `sleep 6${process.pid}`;
    const running = await run(`echo begun; ${marker}`, {}, true);
    await shows(running, 'begun');
    process.kill(starter(), 'SIGKILL');
    expect((await running.result).exit).toBe(137);
    const alive = () => readdirSync('/proc').some((name) => commandLine(name).startsWith(marker.replace(' ', '\0')));
    await until(() => !alive(), 'nothing of it is left');
    expect(await (await run('echo on', {}, true)).result).toMatchObject({ exit: 0, head: 'on' });
  });

  it('ends with aish-tui, however that ends', async () => {
    const program = spawn('/bin/sh', ['-c', `"$0" --starter $$ <&3 & echo $!; read -r _`, LAUNCHER], {
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    });
    let said = '';
    program.stdout?.on('data', (text) => {
      said += text;
    });
    await until(() => /^ready \d+ \d+$/m.test(said) && /^\d+$/m.test(said), 'one waits');
    const pids = [/^(\d+)$/m, /^ready (\d+)/m].map((pattern) => Number(pattern.exec(said)?.[1]));
    program.kill('SIGKILL');
    program.stdio[3]?.destroy();
    await until(() => pids.every((pid) => commandLine(String(pid)) === ''), 'both are gone');
  });
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
