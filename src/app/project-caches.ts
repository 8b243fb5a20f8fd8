/**
 * The caches of package managers in Project mode (MO-9). The user's own can't be written there, so a table of variables
 * points them to a directory of the project in aish-tui's cache. Nothing of it is kept or counted as a change.
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
  /** What points package managers to it. */
  readonly env: Readonly<Record<string, string>>;
};

/** Variables, and the place in the directory that each names. */
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

/** The cache of a project, made at its first use; undefined where it can't be made. @param cache aish-tui's own. */
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
  // No file can have two names in the cache and in the tree: they are two mounts.
  return { directory, env: { ...Object.fromEntries(places), UV_LINK_MODE: 'copy', ...goProxy(env) } };
}

/** Under another name until it is whole: no command can put a link in the way of what is made here. */
function make(directory: string, env: Environment): void {
  const fresh = `${directory}.${process.pid}`;
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  linkCargo(env.CARGO_HOME || join(env.HOME || homedir(), '.cargo'), join(fresh, 'cargo'));
  try {
    renameSync(fresh, directory);
  } catch {
    // Another session was faster.
    removeTree(fresh);
  }
}

/**
 * Only the registry and the checkouts are the project's own: configuration and programs are the user's, and so are the
 * crates that the user has already, by links.
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

/** Makes the directories down to a depth, and links to what is there. */
function mirror(from: string, to: string, depth: number): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of entriesOf(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (depth > 1 && entry.isDirectory()) mirror(source, target, depth - 1);
    else symlinkSync(source, target);
  }
}

/** Go takes the modules that the user has already from their cache, which is laid out as a proxy is. */
function goProxy(env: Environment): Readonly<Record<string, string>> {
  const home = env.HOME || homedir();
  const had = join(env.GOMODCACHE || join(env.GOPATH?.split(':')[0] || join(home, 'go'), 'pkg/mod'), 'cache/download');
  if (entriesOf(had).length === 0) return {};
  const kept = /^GOPROXY=(.*)$/m.exec(textOf(join(env.XDG_CONFIG_HOME || join(home, '.config'), 'go/env')))?.[1];
  return { GOPROXY: `file://${had},${env.GOPROXY || kept || 'https://proxy.golang.org,direct'}` };
}

/**
 * Removes caches that no command has used for so many days, then the least recently used until the rest fits. One that
 * was used within a day stays. Returns the bytes that were freed.
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

/** Every project's cache. */
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
