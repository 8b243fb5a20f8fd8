import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runProgram, scratch } from '../support/program.ts';

const SERVER = fileURLToPath(new URL('../support/serve-script.mjs', import.meta.url));

/** Returns a port of this machine on which nothing listens. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

const preset = (port: number, serve: string) => ({
  models: { late: { base_url: `http://127.0.0.1:${port}/v1`, model: 'late', serve } },
});

it('the program starts a preset’s server when nothing answers, waits for it, and ends it on closing', async () => {
  const port = await freePort();
  using place = scratch(undefined, preset(port, `'${process.execPath}' '${SERVER}' ${port}`));
  const { code, out } = await runProgram(place, ['ask', 'are you there?']);
  expect(out).toContain('late: nothing answers; starting ');
  expect(out).toContain('served at last');
  expect(code).toBe(0);
  await expect(fetch(`http://127.0.0.1:${port}/v1/models`)).rejects.toThrow();
});

it('a server that ends before it is ready is reported with its exit code', async () => {
  const port = await freePort();
  using place = scratch(undefined, preset(port, 'echo no such model >&2; exit 7'));
  const { code, out } = await runProgram(place, ['ask', 'are you there?']);
  expect(out).toMatch(
    /late: its server did not answer \(exit 7\); its last line: no such model; the full log is in .*serve-late\.log/,
  );
  expect(code).toBe(6);
});
