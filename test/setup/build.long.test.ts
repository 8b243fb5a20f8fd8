import { execFile } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The longest time in ms: two builds take some 20 s of processor time, which can be minutes beside a dozen other
 * processes.
 */
const LIMIT_MS = 300_000;

/** Returns the build’s own folder with the launcher, or another one without it if the checkout can’t be written. */
function folder(): string | undefined {
  try {
    accessSync(join(ROOT, 'dist'), constants.W_OK);
    return undefined;
  } catch {
    const made = mkdtempSync(join(tmpdir(), 'aish-build-'));
    onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    return made;
  }
}

it(
  'two simultaneous builds succeed, and the program starts during and after them',
  async () => {
    const into = folder();
    const build = async () => {
      await run(process.execPath, ['build.mjs', ...(into === undefined ? [] : [into])], { cwd: ROOT });
      const { stdout } = await run(process.execPath, [join(into ?? 'dist', 'aish-tui.mjs'), '--version'], {
        cwd: ROOT,
      });
      return stdout.trim();
    };
    const [one, two] = await Promise.all([build(), build()]);
    expect(one).toMatch(/\d+\.\d+\.\d+/);
    expect(two).toBe(one);
  },
  LIMIT_MS,
);
