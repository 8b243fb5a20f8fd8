/** Files that a killed program left on a host are removed at the next connection to it, and no others are. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Helper } from '../../../src/remote/hosts/helper.ts';
import { openHostDirectories } from '../../../src/store/index.ts';
import { shellQuote } from '../../../src/text/shell.ts';
import { hostsOf, until } from '../../support/hosts.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

const STORE = fileURLToPath(new URL('../../../src/store/host-records.ts', import.meta.url));

/** Writes notes as another program that has ended since. */
function noted(folder: string, left: readonly (readonly [host: string, directory: string])[]): void {
  const code = `import { openHostDirectories } from ${JSON.stringify(STORE)};
const left = openHostDirectories(${JSON.stringify(folder)});
for (const [host, directory] of ${JSON.stringify(left)}) left.lies(host, directory);
process.kill(process.pid, 'SIGKILL');`;
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect([signal, stderr]).toEqual(['SIGKILL', expect.not.stringContaining('Error')]);
}

describe('the notes about leftovers', () => {
  const made = () => join(mkdtempSync(join(tmpdir(), 'notes-')), 'on-hosts');
  const directory = '/tmp/aish-tui-aaaaaaaa';

  it('are ignored when they come from another or an unknown machine or boot', () => {
    const folder = made();
    noted(folder, [['web1', directory]]);
    expect(openHostDirectories(folder).of('web1')).toMatchObject([{ directory }]);
    expect(openHostDirectories(folder, () => undefined).of('web1')).toEqual([]);
    const [name = ''] = readdirSync(folder);
    const path = join(folder, name);
    // A note with the same process id and PID namespace, but from another boot, on a machine that shares this home.
    const boot = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i;
    writeFileSync(path, readFileSync(path, 'utf8').replace(boot, '00000000-0000-4000-8000-000000000000'));
    expect(openHostDirectories(folder).of('web1')).toEqual([]);
    const unknown = made();
    openHostDirectories(unknown, () => undefined).lies('web1', directory);
    expect(openHostDirectories(unknown).of('web1')).toEqual([]);
  });

  it('cause no error when they can’t be removed', () => {
    const folder = made();
    noted(folder, [['web1', directory]]);
    const left = openHostDirectories(folder);
    const [found] = left.of('web1');
    const [name = ''] = readdirSync(folder);
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
    expect(found?.forget()).toBeUndefined();
    expect(readdirSync(folder)).toEqual([name]);
  });
});

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

  it('of a killed aish-tui are removed, and no other directory in its notes', async () => {
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
    const left = openHostDirectories(folder);
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

  it('of a running aish-tui are noted until they are removed, and left alone by others', async () => {
    const own = join(there, 'own');
    const left = openHostDirectories(own);
    const at = hostsOf(server, undefined, undefined, left);
    await at.open();
    expect([readdirSync(own).length, left.of('web1')]).toEqual([1, []]);
    // A lost connection keeps its directory, and the next one does too.
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

  it('are removed however long that takes', async () => {
    const much = made('aish-tui-eeeeeeee');
    const notes = join(there, 'much');
    noted(notes, [['web1', much]]);
    const { ask } = Helper.prototype;
    const removal = `rm -rf ${shellQuote(much)}`;
    // Simulates a removal that takes longer than the limit for a question.
    const slow = vi.spyOn(Helper.prototype, 'ask').mockImplementation(async function (this: Helper, code, patience) {
      if (!code.includes(removal) || (patience ?? 0) > 60_000) return ask.call(this, code, patience);
      this.end();
      return undefined;
    });
    const at = hostsOf(server, undefined, undefined, openHostDirectories(notes));
    await at.open();
    await until(() => slow.mock.calls.some(([code]) => code.includes(removal)));
    expect(await at.hosts.ask('web1', 'echo here')).toBe('here\n');
    await until(() => !existsSync(much));
    vi.restoreAllMocks();
    await at.hosts.close();
  });
});
