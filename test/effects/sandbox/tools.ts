/** The programs that the sandbox tests use: the shipped launcher, one with test options, and the attacker. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileLauncher } from '../../../src/effects/sandbox/index.ts';
import { knowledgeHeader } from '../../../src/knowledge/header.ts';
import { pathOf } from '../../support/lacks.ts';

const SOURCE = join(import.meta.dirname, '../../../src/effects/launcher');
const COMPILE = join(import.meta.dirname, '../../../src/effects/sandbox/compile.ts');
const HOSTILE = join(import.meta.dirname, 'hostile');
/**
 * The directories for compiled programs: in the checkout, or in the user’s temporary directory if the checkout is
 * read-only.
 */
const BUILT = [
  join(import.meta.dirname, '../../../node_modules/.cache/aish-test-tools'),
  join(tmpdir(), `aish-test-tools-${process.getuid?.()}`),
];

export type Tools = {
  /** The directory of the tools, readable by every user. */
  readonly directory: string;
  readonly launcher: string;
  /** The launcher with test options: `--abi N` (simulates an older Landlock) and `--fail STEP`. */
  readonly testLauncher: string;
  readonly hostile: string;
  dispose(): void;
};

/** Compiles once for all test files, until the sources, the compile options or the compiler's name change. */
async function once(output: string, sources: string, kind: string, compile: () => Promise<void> | void): Promise<void> {
  const hash = createHash('sha256').update(`${kind} ${process.arch} ${process.env.CC ?? 'cc'}\n${knowledgeHeader()}`);
  for (const name of [COMPILE, ...readdirSync(sources).map((name) => join(sources, name))].sort())
    hash.update(name).update(readFileSync(name));
  const name = hash.digest('hex');
  for (const place of BUILT)
    if (isOwn(place) && existsSync(join(place, name))) return copyFileSync(join(place, name), output);
  await compile();
  for (const place of BUILT) if (keep(output, place, name)) return;
}

/** Returns whether nobody else can have written to the directory. A path below a closed directory does not qualify. */
function isOwn(place: string): boolean {
  try {
    const stats = lstatSync(place);
    return (
      stats.isDirectory() && (place === BUILT[0] || (stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0))
    );
  } catch {
    return false;
  }
}

/** Stores a compiled program. Returns false where the place is not writable. */
function keep(output: string, place: string, name: string): boolean {
  try {
    mkdirSync(place, { recursive: true, mode: 0o755 });
    if (!isOwn(place)) return false;
    copyFileSync(output, join(place, `${name}.${process.pid}`));
    renameSync(join(place, `${name}.${process.pid}`), join(place, name));
    return true;
  } catch {
    return false;
  }
}

/** Builds the programs; `hostile` only on request. */
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
    await once(output, SOURCE, `launcher ${testHooks}`, async () => {
      const built = await compileLauncher({ source: SOURCE, output, testHooks });
      if (!built.ok) throw new Error(built.why);
    });
  }
  if (options.hostile) {
    await once(hostile, HOSTILE, 'hostile', () => {
      const files = readdirSync(HOSTILE).filter((name) => name.endsWith('.c'));
      const compiler = pathOf('cc') ?? 'cc';
      execFileSync(compiler, ['-O1', '-w', '-static', ...files.map((name) => join(HOSTILE, name)), '-o', hostile]);
    });
  }
  return {
    directory,
    launcher,
    testLauncher,
    hostile,
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
}
