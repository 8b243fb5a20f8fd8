import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('two builds at a time both end well, and the program starts meanwhile and afterwards', async () => {
  const build = async () => {
    await run(process.execPath, ['build.mjs'], { cwd: ROOT });
    const { stdout } = await run(process.execPath, ['dist/aish-tui.mjs', '--version'], { cwd: ROOT });
    return stdout.trim();
  };
  const [one, two] = await Promise.all([build(), build()]);
  expect(one).toMatch(/\d+\.\d+\.\d+/);
  expect(two).toBe(one);
});
