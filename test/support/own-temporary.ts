/**
 * One temporary directory for a whole run, gone with it: what tests forget, and what those leave that are cut off on
 * purpose, does not stay on the machine of whoever runs them. Its name is short, since sockets' paths are, and open to
 * every user, as the machine's own is, since some tests run as another one.
 */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../src/text/files.ts';

export default function setup(): () => void {
  const own = mkdtempSync(join(tmpdir(), 't-'));
  chmodSync(own, 0o1777);
  process.env.TMPDIR = own;
  return () => void removeTree(own);
}
