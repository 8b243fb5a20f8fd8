import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { LINTER } from '../support/linters.ts';

const ROOT = new URL('../..', import.meta.url);

it.skipIf(lacks(LINTER))(
  'format, lint, types, import rule and unused code are clean: npm run check -- static',
  { timeout: 600_000 },
  () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['test/checks/index.ts', 'static'], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${new URL('node_modules/.bin', ROOT).pathname}:${process.env.PATH}` },
    });
    expect(status, `${stdout}${stderr}`.slice(-3000)).toBe(0);
  },
);
