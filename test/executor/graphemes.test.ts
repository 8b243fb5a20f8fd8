import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

// Allocates from Node's buffer pool first, so that the table lies within the pool and its header could be read from
// other bytes.
const PROBE = `
import headless from '@xterm/headless';
for (let i = 0; i < 100; i++) Buffer.from('some text that fills the pool');
const { UnicodeGraphemesAddon } = await import('./src/executor/graphemes.ts');
const terminal = new headless.Terminal({ cols: 20, rows: 2, allowProposedApi: true });
terminal.loadAddon(new UnicodeGraphemesAddon());
terminal.unicode.activeVersion = '15-graphemes';
await new Promise((resolve) => terminal.write('e\\u0301漢👩‍🚀.', resolve));
console.log(JSON.stringify({
  cells: terminal.buffer.active.cursorX,
  pool: Buffer.poolSize > 0,
  megabytes: Math.round(process.memoryUsage().arrayBuffers / 1e6),
}));
process.exit(0);
`;

it('the table of character widths is read correctly at any offset in memory', () => {
  const args = ['--input-type=module-typescript', '-e', PROBE];
  const said = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
  // Read from the wrong offset it took gigabytes, and on some versions of Node never ended.
  expect(JSON.parse(said)).toEqual({ cells: 6, pool: true, megabytes: 0 });
});
