/** Whether this kernel and account can hold a trial at all: overlays, and user namespaces for everybody. */
import { spawnSync } from 'node:child_process';
import { lacks } from '../support/lacks.ts';

const SCRIPT =
  'd=$(mktemp -d) && mkdir "$d/l" "$d/u" "$d/w" && mount -t overlay overlay -o "lowerdir=$d/l,upperdir=$d/u,workdir=$d/w,userxattr" "$d/l"; r=$?; umount "$d/l"; rm -rf "$d"; exit $r';

export function trialsWork(): boolean {
  if (lacks('cc') || lacks('unshare')) return false;
  const { status } = spawnSync('unshare', ['-Urm', 'sh', '-c', SCRIPT], { stdio: 'ignore' });
  if (status !== 0) console.log('skipped: this kernel or account allows no overlay in a user namespace');
  return status === 0;
}
