/**
 * Returns whether this kernel and account support trials (overlays and unprivileged user namespaces), and a trial with
 * its list.
 */
import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lacks } from '../../support/lacks.ts';
import type { Scene } from './scene.ts';

const SCRIPT =
  'd=$(mktemp -d) && mkdir "$d/l" "$d/u" "$d/w" && mount -t overlay overlay -o "lowerdir=$d/l,upperdir=$d/u,workdir=$d/w,userxattr" "$d/l"; r=$?; umount "$d/l"; rm -rf "$d"; exit $r';

export function trialsWork(): boolean {
  if (lacks('cc') || lacks('unshare')) return false;
  const { status } = spawnSync('unshare', ['-Urm', 'sh', '-c', SCRIPT], { stdio: 'ignore' });
  if (status !== 0) console.log('skipped: this kernel or account allows no overlay in a user namespace');
  return status === 0;
}

/** Waits until the clock of the file system advances, so that earlier changes are older than a trial. */
export function tickOf(scene: Scene): void {
  const probe = join(scene.root, 'probe');
  const changed = () => {
    writeFileSync(probe, '');
    return statSync(probe, { bigint: true }).ctimeNs;
  };
  const first = changed();
  while (changed() <= first + 10_000_000n);
}

/** Returns what a trial lists, as `kind path`. */
export async function triedIn(scene: Scene, script: string) {
  tickOf(scene);
  const { number, listed } = await scene.try(script);
  if (typeof listed === 'string') throw new Error(listed);
  const rows = listed.changes.map(({ kind, path }) => `${kind} ${path.slice(scene.tree.length + 1)}`);
  return { number, rows };
}
