/**
 * `npm ci` refuses a lock file that lacks an optional package which another entry requests, even for another platform;
 * and npm omits those when the current registry does not have them. Run as a program this file adds what is missing,
 * with the registry's checksums, and removes what has none, with its request: `node test/rules/lockfile.ts`.
 * docs/decisions/lockfile-checksums.md explains why.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../package-lock.json', import.meta.url));

type Locked = {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

export type LockFile = { readonly packages: Readonly<Record<string, Locked>> };

/** An optional package that a locked one requests and that has no entry. */
type Missing = { readonly name: string; readonly range: string; readonly by: string; readonly dev: boolean };

export function missingFrom(lock: LockFile): readonly Missing[] {
  return Object.entries(lock.packages).flatMap(([by, { dev = false, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isLocked(lock, by, name))
      .map(([name, range]) => ({ name, range, by, dev })),
  );
}

/** Returns locked packages without a checksum. */
export function unverified(lock: LockFile): readonly [path: string, locked: Locked][] {
  return Object.entries(lock.packages).filter(([path, { integrity }]) => path !== '' && integrity === undefined);
}

/** Returns the lock file without these entries, and without the requests for them. */
export function without(lock: LockFile, gone: ReadonlySet<string>): LockFile {
  const stay = Object.entries(lock.packages).filter(([path]) => !gone.has(path));
  const packages = stay.map(([path, { optionalDependencies, ...rest }]): [string, Locked] => {
    if (!optionalDependencies) return [path, rest];
    const wanted = Object.entries(optionalDependencies).filter(([name]) => !gone.has(`node_modules/${name}`));
    return [path, { ...rest, optionalDependencies: Object.fromEntries(wanted) }];
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

/** Returns a version's checksum from the current registry; undefined where it does not have it. */
function integrityOf(path: string, version: string): string | undefined {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  try {
    const said = execFileSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return said.toString().trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a package in `folder` finds `name`, looking upwards as Node does. */
function isLocked(lock: LockFile, folder: string, name: string): boolean {
  if (posix.join(folder, 'node_modules', name) in lock.packages) return true;
  return folder !== '' && isLocked(lock, folder.replace(/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, ''), name);
}

/** Platform packages name their platform: `@scope/thing-linux-x64-musl`. */
const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const CPUS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** Returns the entry npm would have written, without the checksum, which only a registry that has it knows. */
function entryFor({ name, range, dev }: Missing): Record<string, unknown> {
  const words = name.split(/[^a-z0-9]+/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = CPUS.filter((kind) => words.includes(kind));
  const libc = name.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : [];
  return {
    version: range,
    ...(cpu.length > 0 && { cpu }),
    ...(dev && { dev: true }),
    ...(libc.length > 0 && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  };
}

export function readLockFile(): LockFile {
  const lock: LockFile = JSON.parse(readFileSync(FILE, 'utf8'));
  return lock;
}

if (import.meta.main) {
  const lock = readLockFile();
  const missing = missingFrom(lock);
  const unpinned = missing.filter(({ range }) => !/^\d+\.\d+\.\d+/.test(range));
  if (unpinned.length > 0) {
    throw new Error(`no exact version for ${unpinned.map(({ name, by }) => `${name} of ${by}`).join(', ')}`);
  }
  const added = missing.map((one): [string, unknown] => [`node_modules/${one.name}`, entryFor(one)]);
  const packages = Object.fromEntries(
    [...Object.entries(lock.packages), ...added].sort(([a], [b]) => a.localeCompare(b, 'en')),
  );
  const gone = new Set<string>();
  for (const [path, { version = '', optional }] of unverified({ packages: packages as LockFile['packages'] })) {
    const integrity = integrityOf(path, version);
    if (integrity !== undefined) packages[path] = { version, integrity, ...(packages[path] as Locked) };
    else if (optional) gone.add(path);
    else throw new Error(`no checksum: this registry does not serve ${path} ${version}`);
  }
  const whole = without({ ...lock, packages: packages as LockFile['packages'] }, gone);
  writeFileSync(FILE, `${JSON.stringify(whole, null, 2)}\n`);
  for (const path of gone) console.log(`left out, for this registry does not serve it: ${path}`);
  for (const { name, range } of missing) console.log(`${name} ${range}`);
}
