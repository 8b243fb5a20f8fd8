/**
 * One temporary directory for a whole run, removed with it, so that leftovers of tests, even deliberately killed ones,
 * do not stay on the machine. Its name is short, since paths of sockets are limited, and it is open to every user like
 * the system's own, since some tests run as another user.
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
