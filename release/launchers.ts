/** The launcher as optional packages, one for each kind of machine, so that nobody who installs needs a compiler. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileLauncher, launcherPackage, runsOn } from '../src/effects/sandbox/index.ts';
import { type Manifest, ROOT } from './manifest.ts';

/** Debian: gcc, and gcc-aarch64-linux-gnu with libc6-dev-arm64-cross. */
const COMPILERS = { x64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' } as const;

export const ARCHITECTURES = ['x64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** What the folder of one launcher package holds beside the program. */
function launcherManifest(arch: Architecture, { version, license }: Manifest): Record<string, unknown> {
  return {
    name: launcherPackage(arch),
    version,
    description: `The kernel sandbox's launcher of aish-tui for Linux ${arch}`,
    license,
    os: ['linux'],
    cpu: [arch],
    files: ['aish-sandbox'],
  };
}

export type Built = { readonly folder: string; readonly sha256: string; readonly compiler: string };

/**
 * Builds the package of one kind of machine into `folder`. The program is compiled twice, from two places, and must come
 * out the same byte for byte. Undefined where this machine has no compiler for it; throws when something is wrong.
 */
export async function buildLauncher(
  arch: Architecture,
  manifest: Manifest,
  folder: string,
): Promise<Built | undefined> {
  const compiler = compilerFor(arch);
  if (compiler === undefined) return undefined;
  mkdirSync(folder, { recursive: true });
  const output = join(folder, 'aish-sandbox');
  await compile(join(ROOT, 'src/effects/launcher'), output, compiler);
  const elsewhere = mkdtempSync(join(tmpdir(), 'aish-launcher-'));
  try {
    cpSync(join(ROOT, 'src/effects/launcher'), join(elsewhere, 'copy'), { recursive: true });
    await compile(join(elsewhere, 'copy'), join(elsewhere, 'again'), compiler);
    if (!readFileSync(output).equals(readFileSync(join(elsewhere, 'again'))))
      throw new Error(`the launcher for ${arch} came out different from another folder`);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
  if (!runsOn(output, arch)) throw new Error(`${compiler} made no program for ${arch}`);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(launcherManifest(arch, manifest), null, 2)}\n`);
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const version = execFileSync(compiler, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? '';
  return { folder, sha256: createHash('sha256').update(readFileSync(output)).digest('hex'), compiler: version };
}

async function compile(source: string, output: string, compiler: string): Promise<void> {
  const compiled = await compileLauncher({ source, output, cc: [compiler] });
  if (!compiled.ok) throw new Error(compiled.why);
}

/** The compiler's own target decides: `cc` is one for this machine only. */
function compilerFor(arch: Architecture): string | undefined {
  const candidates = arch === process.arch ? [COMPILERS[arch], 'cc'] : [COMPILERS[arch]];
  return candidates.find((name) => {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}
