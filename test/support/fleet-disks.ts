/** Servers of a fleet on one machine, each of which sees a directory of its own at one path: that takes root, and mounts. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { pathOf } from './lacks.ts';
import { type SshHosts, startSshds } from './sshd.ts';

const unshare = pathOf('unshare') ?? '';
const alone = [unshare, '-m', '--propagation', 'private', '/bin/sh', '-c'];

export const canMount = process.getuid?.() === 0 && spawnSync(unshare, ['-m', 'true']).status === 0;

/** They run for as long as the tests of a `describe`. */
export function fleetDisks(names: readonly string[]) {
  let servers: SshHosts | undefined;
  const place = mkdtempSync(join(tmpdir(), 'srv-'));
  const disks = mkdtempSync(join(tmpdir(), 'disks-'));
  const disk = (name: string) => join(disks, name);
  beforeAll(async () => {
    for (const name of names) mkdirSync(disk(name));
    servers = await startSshds(names, (name) => ({
      home: place,
      behind: [...alone, 'mount --bind "$0" "$1" && shift && exec "$@"', disk(name), place],
    }));
  }, 60_000);
  afterAll(async () => {
    await servers?.stop();
    for (const folder of [place, disks]) rmSync(folder, { recursive: true, force: true });
  });
  return {
    /** The same as it lies here. */
    disk,
    /** All emptied, and filled anew. */
    fresh(fill: (path: string, name: string) => void) {
      for (const name of names) {
        spawnSync('find', [disk(name), '-mindepth', '1', '-delete']);
        fill(disk(name), name);
      }
    },
    get servers(): SshHosts {
      if (!servers) throw new Error('the servers do not run');
      return servers;
    },
    /** The path with their `ssh` in front. */
    onPath: (to: { readonly env: Record<string, string> }) => `${servers?.bin}:${to.env.PATH}`,
  };
}
