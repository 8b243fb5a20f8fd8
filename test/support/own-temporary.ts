/**
 * One temporary directory for a whole run, gone with it: what tests forget, and what those leave that are cut off on
 * purpose, does not stay on the machine of whoever runs them. Its name is short, since sockets' paths are, and open to
 * every user, as the machine's own is, since some tests run as another one.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setup(): () => void {
  const own = mkdtempSync(join(tmpdir(), 't-'));
  chmodSync(own, 0o1777);
  process.env.TMPDIR = own;
  return () => {
    // Directories that a test closed to its own user are opened first.
    spawnSync('chmod', ['-R', 'u+rwX', own], { stdio: 'ignore' });
    rmSync(own, { recursive: true, force: true, maxRetries: 3 });
  };
}
