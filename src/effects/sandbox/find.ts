/** Where the launcher is: built beside the bundle, or in the optional package for this kind of machine. */
import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** `e_machine` of an ELF file, by Node's name of the architecture. */
const MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };
const ELF_MAGIC = 0x7f454c46;

/** The package that carries the launcher for a machine of this kind. */
export const launcherPackage = (arch: string) => `@aish-tui/sandbox-linux-${arch}`;

/**
 * The full path of a launcher for this machine, looked for beside `base` (the bundle's URL) and then among the packages
 * that a module there would find. One of another architecture is passed over, so it is never started; where there is
 * none, the path where a build would put it.
 */
export function findLauncher(base: string | URL, arch: string = process.arch): string {
  const built = fileURLToPath(new URL('./aish-sandbox', base));
  if (runsOn(built, arch)) return built;
  const carried = carriedBy(base, arch);
  return carried !== undefined && runsOn(carried, arch)
    ? carried
    : fileURLToPath(new URL(`./aish-sandbox-${arch}`, base));
}

function carriedBy(base: string | URL, arch: string): string | undefined {
  try {
    return createRequire(base).resolve(`${launcherPackage(arch)}/aish-sandbox`);
  } catch {
    return undefined;
  }
}

/** Whether the file is a 64-bit little-endian program for `arch`. */
export function runsOn(path: string, arch: string): boolean {
  const head = Buffer.alloc(20);
  try {
    const file = openSync(path, 'r');
    try {
      if (readSync(file, head) < head.length) return false;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  const little64 = head[4] === 2 && head[5] === 1;
  return head.readUInt32BE(0) === ELF_MAGIC && little64 && head.readUInt16LE(18) === MACHINES[arch];
}
