/** The caches of package managers in Project mode: their first contents, and their removal. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cacheOf, cachesIn, pruneCaches } from '../../src/app/project-caches.ts';

const DAY = 24 * 60 * 60 * 1000;

describe('the cache of a project', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'aish-caches-'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('links to the user’s configuration and crates, and keeps everything else separate', () => {
    const home = join(root, 'home');
    const crates = join(home, '.cargo/registry/cache/crates.io');
    mkdirSync(crates, { recursive: true });
    writeFileSync(join(crates, 'a-1.0.0.crate'), 'crate');
    writeFileSync(join(home, '.cargo/config.toml'), '[net]\n');
    writeFileSync(join(home, '.cargo/.package-cache'), '');
    mkdirSync(join(home, 'go/pkg/mod/cache/download/example.com'), { recursive: true });
    const made = cacheOf(join(root, 'cache'), '/some/tree', { HOME: home });
    const cargo = made?.env.CARGO_HOME ?? '';
    expect(readFileSync(join(cargo, 'config.toml'), 'utf8')).toBe('[net]\n');
    expect(lstatSync(join(cargo, 'registry/cache/crates.io')).isSymbolicLink()).toBe(false);
    expect(readFileSync(join(cargo, 'registry/cache/crates.io/a-1.0.0.crate'), 'utf8')).toBe('crate');
    expect(existsSync(join(cargo, '.package-cache'))).toBe(false);
    expect(made?.env.GOPROXY).toBe(`file://${home}/go/pkg/mod/cache/download,https://proxy.golang.org,direct`);
    expect(cacheOf(join(root, 'cache'), '/some/tree', { HOME: home })?.directory).toBe(made?.directory);
    expect(cacheOf(join(root, 'cache'), '/other', { HOME: home })?.directory).not.toBe(made?.directory);
  });

  it('is removed when old, or least recently used over the size limit, but never in use', async () => {
    const cache = join(root, 'pruned');
    const now = Date.now();
    for (const [tree, days, bytes] of [
      ['/old', 40, 10],
      ['/second', 3, 600],
      ['/third', 2, 500],
      ['/today', 0, 5000],
    ] as const) {
      const { directory = '' } = cacheOf(cache, tree, { HOME: root }) ?? {};
      writeFileSync(join(directory, 'data'), 'x'.repeat(bytes));
      utimesSync(directory, (now - days * DAY) / 1000, (now - days * DAY) / 1000);
    }
    expect(await pruneCaches(cache, { totalBytes: 5700, days: 30 }, now)).toBe(610);
    expect((await cachesIn(cache)).map(({ bytes }) => bytes).sort((a, b) => a - b)).toEqual([500, 5000]);
    expect(await pruneCaches(cache, { totalBytes: 0, days: 30 }, now)).toBe(500);
  });
});
