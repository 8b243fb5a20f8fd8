import { expect, it } from 'vitest';
import { Pty } from '../../src/executor/pty.ts';

const LINES = 300;
const NUMBERS = 100_000;
const PRINTS = `read line; i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo line $i; done`;

it('all output that a program printed before it ended is read, even long after its end', async () => {
  let text = '';
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  const pty = new Pty({
    argv: ['/bin/sh', '-c', PRINTS],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    columns: 80,
    rows: 24,
    onData: (data) => {
      text += data.toString('latin1');
    },
    onExit: resolve,
  });
  pty.write('\r');
  pty.pause();
  // The process ends, and then nothing happens for longer than node-pty waits.
  while (isAlive(pty.pid)) await new Promise((turn) => setImmediate(turn));
  await new Promise((turn) => setImmediate(turn));
  for (const until = performance.now() + 500; performance.now() < until; );
  expect(await ended).toBe(0);
  expect(text.match(/^line \d+\r$/gm)).toHaveLength(LINES);
});

it('a flood of output arrives complete and in order, however often reading pauses', async () => {
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  const pieces: Buffer[] = [];
  const pty: Pty = new Pty({
    argv: ['/bin/sh', '-c', `seq ${NUMBERS}`],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    columns: 80,
    rows: 24,
    onData: (data) => {
      if (pieces.push(data) % 5 !== 0) return;
      pty.pause();
      setImmediate(() => pty.resume());
    },
    onExit: resolve,
  });
  expect(await ended).toBe(0);
  const text = Buffer.concat(pieces).toString('latin1');
  expect(text === Array.from({ length: NUMBERS }, (_, n) => `${n + 1}\r\n`).join('')).toBe(true);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
