/** One host called web1 for the tests of a file, as the program connects to it; it is this machine. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Rig } from './rig.ts';
import { type SshHost, startSshd } from './sshd.ts';

/** Prepares the host; call it within `describe`. */
export function onWeb1() {
  let server: SshHost;
  beforeAll(async () => {
    server = await startSshd();
  });
  afterAll(() => server?.stop());
  return {
    server: () => server,
    env: () => ({ PATH: `${server.bin}:${process.env.PATH}` }),
    there: () => mkdtempSync(join(tmpdir(), 'there-')),
    async enter(rig: Rig): Promise<void> {
      await rig.waitFor(/\[aish:\w+\]>/);
      rig.type(':host web1\r');
      await rig.waitFor(/@web1 \[aish:\w+\]>/);
    },
  };
}
