import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takePipe } from '../../src/executor/index.ts';
import { baseEnv, once, workspace } from './support.ts';

async function overPipe(command: string, options: Parameters<typeof once>[1] = {}) {
  const pipe = await takePipe();
  if (!pipe) throw new Error('there are no pipes here');
  return once(command, { ...options, pipe });
}

/** Returns the fields of a result that are the same in every run. */
const told = ({ exit, cwd, head, tail, omittedLines, note }: Awaited<ReturnType<typeof once>['result']>) => ({
  exit,
  cwd,
  head,
  tail,
  omittedLines,
  note,
});

const openFiles = () => readdirSync('/proc/self/fd').length;

describe('a command over a pipe', () => {
  it.each([
    'echo out; exit 3',
    'echo one; echo two >&2; echo three',
    'printf "no line end"',
    'printf "a\\n\\n  b  \\n\\n\\n"',
    'cat missing; echo $?',
    'cd /usr; false',
    'set -e; cd /usr; false; echo not reached',
    'cd /usr; set -x; true',
    'kill -TERM $$',
    'nosuch',
    'echo $# "$@" $0',
    'seq 1 9999',
    'printf "\\033[32mgreen\\033[m and \\tplain\\n"',
    'printf "%0300d\\n" 7',
    'printf "ü 世界 🙂\\n"',
    'printf "back\\rover\\n"',
    'cat <<E\nhere\nE',
  ])('has the same result as in a terminal: %j', async (command) => {
    const cwd = workspace();
    const [inTerminal, piped] = [await once(command, { cwd }).result, await (await overPipe(command, { cwd })).result];
    expect(told(piped)).toEqual(told(inTerminal));
  });

  it('has a real pipe, so its outputs can be opened by name', async () => {
    const { result } = await overPipe(
      'echo one > /dev/stdout; echo two > /dev/stderr; test -p /dev/stdout && echo pipe',
    );
    expect(await result).toMatchObject({ exit: 0, head: 'one\ntwo\npipe' });
  });

  it('inherits no terminal of this program, also without the launcher', async () => {
    const beside = once('sleep 300');
    const { head } = await (await overPipe('readlink /proc/$$/fd/* | grep -c -e ptmx -e pts')).result;
    expect(head).toBe('0');
    beside.interrupt();
    await beside.result;
  });

  it('has no input and no terminal', async () => {
    const running = await overPipe('cat; read -r line || echo end; tty; : < /dev/tty || echo none');
    running.write('not for it\r');
    const { head } = await running.result;
    expect(head).toMatch(/^end\nnot a tty\n.*\/dev\/tty.*\nnone$/);
    expect(running.asks).toBe(false);
  });

  it('ends on Ctrl-C with all its processes', async () => {
    const running = await overPipe('sleep 60 & echo begun; sleep 60');
    await new Promise<void>((resolve) => running.output.subscribe(resolve));
    running.interrupt();
    expect(await running.result).toMatchObject({ exit: 130, head: 'begun', note: 'interrupted' });
  });

  it('ends although another process keeps the pipe open', async () => {
    const { result } = await overPipe('setsid sleep 5 & echo done');
    const { milliseconds, head } = await result;
    expect(head).toBe('done');
    expect(milliseconds).toBeLessThan(4000);
  });

  it('says why it could not start, and leaves no descriptor open', async () => {
    const first = await overPipe('true');
    await first.result;
    const before = openFiles();
    for (let n = 0; n < 5; n += 1) {
      const running = await overPipe('true', { cwd: '/no/such/place' });
      expect((await running.result).note).toContain('could not start');
      await (await overPipe('seq 1 20000')).result;
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(openFiles()).toBeLessThanOrEqual(before);
  });

  it('stores the whole of a large output in a file', async () => {
    const home = workspace();
    writeFileSync(join(home, 'big'), 'some text to fill the line\n'.repeat(400_000));
    const options = { cwd: home, dataDir: join(home, 'data'), env: baseEnv(home) };
    const { file = '', bytes, head, tail } = await (await overPipe('cat big; echo last', options)).result;
    expect(bytes).toBe(27 * 400_000 + 5);
    expect(readFileSync(file, 'utf8')).toBe(`${'some text to fill the line\n'.repeat(400_000)}last\n`);
    expect(head.startsWith('some text')).toBe(true);
    expect(tail.endsWith('\nlast')).toBe(true);
  });
});
