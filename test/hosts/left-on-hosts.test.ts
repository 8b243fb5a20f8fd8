/** What a killed program has left on a host is removed when somebody connects to it again, and nothing else is. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLeftOnHosts } from '../../src/store/index.ts';
import { hostsOf, until } from '../support/hosts.ts';
import { lacksSshd, type SshHost, startSshd } from '../support/sshd.ts';

const STORE = fileURLToPath(new URL('../../src/store/left-on-hosts.ts', import.meta.url));

/** Another program notes these, and is gone. */
function noted(folder: string, left: readonly (readonly [host: string, directory: string])[]): void {
  const code = `import { openLeftOnHosts } from ${JSON.stringify(STORE)};
const left = openLeftOnHosts(${JSON.stringify(folder)});
for (const [host, directory] of ${JSON.stringify(left)}) left.lies(host, directory);
process.kill(process.pid, 'SIGKILL');`;
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect([signal, stderr]).toEqual(['SIGKILL', expect.not.stringContaining('Error')]);
}

describe.skipIf(lacksSshd())('directories on a host', () => {
  let server: SshHost;
  const folder = join(mkdtempSync(join(tmpdir(), 'left-')), 'on-hosts');
  const there = mkdtempSync(join(tmpdir(), 'there-'));
  const made = (name: string) => {
    const path = join(there, name);
    mkdirSync(path);
    writeFileSync(join(path, 'file'), '');
    return path;
  };
  beforeAll(async () => {
    server = await startSshd();
  });
  afterAll(() => server?.stop());

  it('of a program that was killed go, and no other that its notes name', async () => {
    const [killed, others, ofAnotherHost, precious] = [
      'aish-tui-aaaaaaaa',
      'data',
      'aish-tui-bbbbbbbb',
      'precious',
    ].map(made);
    const link = join(there, 'aish-tui-cccccccc');
    symlinkSync(precious ?? '', link);
    const gone = join(there, 'aish-tui-dddddddd');
    noted(folder, [
      ['web1', killed ?? ''],
      ['web1', others ?? ''],
      ['web2', ofAnotherHost ?? ''],
      ['web1', link],
      ['web1', gone],
    ]);
    const left = openLeftOnHosts(folder);
    const at = hostsOf(server, undefined, undefined, left);
    await at.open();
    await until(() => left.of('web1').length === 1);
    expect([killed, others, ofAnotherHost, precious].map((path) => existsSync(join(path ?? '', 'file')))).toEqual([
      ...[false, true, true, true],
    ]);
    expect(left.of('web1')).toMatchObject([{ directory: others }]);
    expect(left.of('web2')).toMatchObject([{ directory: ofAnotherHost }]);
    await at.hosts.close();
  });

  it('of one that is there are noted until they are removed, and left alone', async () => {
    const own = join(there, 'own');
    const left = openLeftOnHosts(own);
    const at = hostsOf(server, undefined, undefined, left);
    await at.open();
    expect([readdirSync(own).length, left.of('web1')]).toEqual([1, []]);
    // A lost connection keeps its directory, and so does the next one.
    await at.loseConnection();
    await at.open();
    expect(readdirSync(own)).toHaveLength(1);
    await at.hosts.close();
    expect(readdirSync(own)).toEqual([]);
    await at.open();
    await at.loseConnection();
    await at.hosts.close();
    expect(readdirSync(own)).toHaveLength(1);
  });
});
