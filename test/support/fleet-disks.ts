/** Servers of a fleet on one machine, each with its own directory at one path, which needs root and mounts. */
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

/** Runs the servers during the tests of a `describe`. */
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
    /** The path of each server's directory on this machine. */
    disk,
    /** Empties all directories and fills them again. */
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
    /** Returns an environment whose PATH starts with the servers’ `ssh`. */
    onPath: (to: { readonly env: Record<string, string> }) => `${servers?.bin}:${to.env.PATH}`,
  };
}
