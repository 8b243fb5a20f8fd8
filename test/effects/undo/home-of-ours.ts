/** A home for the tests of a file, and nothing of the user's that leads to another. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** To be called once per file; before each test `made` gets the folder around the home. */
export function homeForEach(within: string, made: (root: string) => void): void {
  const { HOME, ZDOTDIR, XDG_CONFIG_HOME } = process.env;
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'aish-home-'));
    process.env.HOME = join(root, within);
    mkdirSync(process.env.HOME, { recursive: true });
    delete process.env.ZDOTDIR;
    delete process.env.XDG_CONFIG_HOME;
    made(root);
  });
  afterEach(() => {
    for (const [name, value] of Object.entries({ HOME, ZDOTDIR, XDG_CONFIG_HOME }))
      if (value !== undefined) process.env[name] = value;
    rmSync(root, { recursive: true, force: true });
  });
}
