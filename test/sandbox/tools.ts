/** What the tests of the sandbox are run with: the launcher as it ships, one with test options, and the attacker. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileLauncher } from '../../src/sandbox/index.ts';
import { pathOf } from '../support/lacks.ts';

const SOURCE = join(import.meta.dirname, '../../src/sandbox/launcher');

export type Tools = {
  /** Readable by every user. */
  readonly directory: string;
  readonly launcher: string;
  /** Takes `--abi N` (pretend an older Landlock) and `--fail STEP` as well. */
  readonly testLauncher: string;
  readonly hostile: string;
  dispose(): void;
};

/** Compiles the three. `hostile` only when asked for: it takes a second. */
export async function buildTools(options: { readonly hostile?: boolean } = {}): Promise<Tools> {
  const directory = mkdtempSync(join(tmpdir(), 'aish-sandbox-test-'));
  chmodSync(directory, 0o755);
  const launcher = join(directory, 'aish-sandbox');
  const testLauncher = join(directory, 'aish-sandbox-test');
  const hostile = join(directory, 'hostile');
  for (const [output, testHooks] of [
    [launcher, false],
    [testLauncher, true],
  ] as const) {
    const built = await compileLauncher({ source: SOURCE, output, testHooks });
    if (!built.ok) throw new Error(built.why);
  }
  if (options.hostile) {
    const sources = join(import.meta.dirname, 'hostile');
    const files = readdirSync(sources).filter((name) => name.endsWith('.c'));
    const compiler = pathOf('cc') ?? 'cc';
    execFileSync(compiler, ['-O1', '-w', '-static', ...files.map((name) => join(sources, name)), '-o', hostile]);
  }
  return {
    directory,
    launcher,
    testLauncher,
    hostile,
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
}
