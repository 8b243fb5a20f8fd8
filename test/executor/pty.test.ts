/** How a terminal's output is read. */
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { Pty } from '../../src/executor/pty.ts';

/** What a terminal hands over at a time. */
const KERNEL_PIECE_BYTES = 4096;

it('hands a flood on whole and in order, in pieces larger than the terminal gives', async () => {
  const pieces: Buffer[] = [];
  const code = await new Promise<number>((resolve) => {
    new Pty({
      argv: ['/bin/bash', '-c', 'seq 200000'],
      cwd: tmpdir(),
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      columns: 80,
      rows: 24,
      onData: (data) => pieces.push(data),
      onExit: resolve,
    });
  });
  expect(code).toBe(0);
  const lines = Buffer.concat(pieces).toString().split('\r\n');
  expect(lines.slice(0, -1)).toEqual(Array.from({ length: 200_000 }, (_, n) => String(n + 1)));
  const large = pieces.filter(({ length }) => length > KERNEL_PIECE_BYTES);
  expect(large).not.toHaveLength(0);
  // Its memory is given back by whoever has forgotten it.
  expect(large.every(({ buffer, length }) => buffer.byteLength === length)).toBe(true);
});
