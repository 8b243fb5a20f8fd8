/**
 * The caches of package managers in Project mode (MO-9). The user's own caches are read-only in that mode, so variables
 * point each package manager to a directory of aish-tui's cache. Changes in it are neither recorded nor counted.
 */
import { createHash } from 'node:crypto';
import { lutimesSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../text/files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type ProjectCache = {
  readonly directory: string;
  /** The variables that package managers read. */
  readonly env: Readonly<Record<string, string>>;
};

/** Variables with their path inside the cache directory. */
const PLACES: Readonly<Record<string, string>> = {
  npm_config_cache: 'npm',
  YARN_CACHE_FOLDER: 'yarn',
  PNPM_HOME: 'pnpm',
  PIP_CACHE_DIR: 'pip',
  UV_CACHE_DIR: 'uv',
  POETRY_CACHE_DIR: 'poetry',
  CARGO_HOME: 'cargo',
  GOMODCACHE: 'go/mod',
  GOCACHE: 'go/build',
};
const MS_PER_DAY = 24 * 60 * 60 * 1000;

const rootIn = (cache: string) => join(cache, 'projects');

/**
 * Returns a project's cache, created on first use; undefined if that fails.
 * @param cache aish-tui's cache directory
 */
export function cacheOf(cache: string, tree: string, env: Environment = process.env): ProjectCache | undefined {
  const root = rootIn(cache);
  const directory = join(root, createHash('sha256').update(tree).digest('hex').slice(0, 16));
  try {
    if (!isThere(directory)) make(directory, env);
    const now = new Date();
    lutimesSync(directory, now, now);
  } catch {
    return undefined;
  }
  const places = Object.entries(PLACES).map(([name, place]) => [name, join(directory, place)] as const);
  // `UV_LINK_MODE=copy`: the cache and the tree are separate mounts, so hard links between them fail.
  return { directory, env: { ...Object.fromEntries(places), UV_LINK_MODE: 'copy', ...goProxy(env) } };
}

/** Created under a temporary name and renamed when complete, so that no command can place a symlink in the way. */
function make(directory: string, env: Environment): void {
  const fresh = `${directory}.${process.pid}`;
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  linkCargo(env.CARGO_HOME || join(env.HOME || homedir(), '.cargo'), join(fresh, 'cargo'));
  try {
    renameSync(fresh, directory);
  } catch {
    // Another session created it first.
    removeTree(fresh);
  }
}

/**
 * The project gets its own registry and checkouts. Configuration, programs and existing crates are symlinks to the
 * user's.
 */
function linkCargo(from: string, to: string): void {
  const own = ['registry', 'git'];
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const { name } of entriesOf(from))
    if (!own.includes(name) && !name.startsWith('.')) symlinkSync(join(from, name), join(to, name));
  for (const [part, depth] of [
    ['registry/index', 1],
    ['registry/cache', 2],
    ['registry/src', 2],
    ['git/db', 1],
    ['git/checkouts', 1],
  ] as const)
    mirror(join(from, part), join(to, part), depth);
}

/** Creates the directories down to a depth, with symlinks to everything below. */
function mirror(from: string, to: string, depth: number): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of entriesOf(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (depth > 1 && entry.isDirectory()) mirror(source, target, depth - 1);
    else symlinkSync(source, target);
  }
}

/** Go's module cache is laid out like a proxy, so Go can read the user's existing modules from it. */
function goProxy(env: Environment): Readonly<Record<string, string>> {
  const home = env.HOME || homedir();
  const had = join(env.GOMODCACHE || join(env.GOPATH?.split(':')[0] || join(home, 'go'), 'pkg/mod'), 'cache/download');
  if (entriesOf(had).length === 0) return {};
  const kept = /^GOPROXY=(.*)$/m.exec(textOf(join(env.XDG_CONFIG_HOME || join(home, '.config'), 'go/env')))?.[1];
  return { GOPROXY: `file://${had},${env.GOPROXY || kept || 'https://proxy.golang.org,direct'}` };
}

/**
 * Removes caches unused for this many days, then the least recently used ones until the rest fits. A cache used
 * within a day stays. Returns the number of bytes freed.
 */
export async function pruneCaches(
  cache: string,
  { totalBytes, days }: { readonly totalBytes: number; readonly days: number },
  now: number,
): Promise<number> {
  const all = await cachesIn(cache);
  let total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  let freed = 0;
  for (const { path, usedAt, bytes } of all.sort((a, b) => a.usedAt - b.usedAt)) {
    if (usedAt > now - MS_PER_DAY || (total <= totalBytes && usedAt >= now - days * MS_PER_DAY)) break;
    if (!removeTree(path)) continue;
    total -= bytes;
    freed += bytes;
  }
  return freed;
}

/** Lists the caches of all projects. */
export async function cachesIn(cache: string) {
  const root = rootIn(cache);
  return Promise.all(
    entriesOf(root).map(async ({ name }) => {
      const path = join(root, name);
      return { path, usedAt: (await lstat(path).catch(() => undefined))?.mtimeMs ?? 0, bytes: await bytesBelow(path) };
    }),
  );
}

async function bytesBelow(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) bytes += await bytesBelow(below);
    else bytes += (await lstat(below).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isThere(path: string): boolean {
  try {
    return readdirSync(path) !== undefined;
  } catch {
    return false;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
