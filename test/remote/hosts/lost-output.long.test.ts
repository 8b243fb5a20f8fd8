/** The server reports a command's end before all its output arrived. Output lost then is reported as incomplete. */
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Connection } from '../../../src/remote/hosts/connection.ts';
import { hostsOf, until } from '../../support/hosts.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

const MISSING = 'the connection broke at its end: output may be missing';

/** A fake ssh that runs `how` for its sessions with a terminal; `"$@"` is the real ssh. */
function clientThat(how: string, { bin }: SshHost): string {
  const own = mkdtempSync(join(tmpdir(), 'bin-'));
  const path = join(own, 'ssh');
  const text = `#!/bin/sh\nset -- '${bin}/ssh' "$@"\ncase " $* " in *" -tt "*) ${how} ;; *) exec "$@" ;; esac\n`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return own;
}

describe.skipIf(lacksSshd())('output that a connection lost is reported as incomplete', () => {
  let server: SshHost;
  beforeAll(async () => {
    server = await startSshd();
  });
  afterAll(() => server?.stop());

  it.each([
    ['no output arrived, and the client exits with 0', '"$@" >/dev/null; exit 0'],
    ['a part of it arrived', '"$@" | head -c 3; exit 0'],
    ['everything arrived except the last word', '"$@" | head -n 1; exit 0'],
  ])('when %s', async (_, how) => {
    const at = hostsOf({ bin: clientThat(how, server) });
    await at.open();
    // The command's end is the end that the host recorded, whatever the client reports.
    for (const [command, code] of [
      ['echo output; exit 3', 3],
      ['echo output', 0],
    ] as const) {
      const { exit, note } = await at.run(command);
      expect([exit, note]).toEqual([code, MISSING]);
    }
    await at.hosts.close();
  });

  it('complete output is not reported as incomplete, whatever it ends with', async () => {
    const at = hostsOf(server);
    await at.open();
    for (const [command, head, code] of [
      ['echo output', 'output', 0],
      ["printf 'no end of line'; exit 3", 'no end of line', 3],
      ["printf 'a\\033]7331;x'", 'a', 0],
      ['stty raw; echo output', 'output', 0],
      ['exec echo output', 'output', 0],
      ['exit 255', '', 255],
    ] as const) {
      const result = await at.run(command);
      expect([result.head, result.exit, result.note]).toEqual([head, code, undefined]);
    }
    const { exit, note } = await at.run('echo output', 'web1:/not/there');
    expect([exit, note]).toEqual([1, undefined]);
    await at.hosts.close();
  });

  it('a running command continues when the reply to its submission is lost', async () => {
    const at = hostsOf(server);
    await at.open();
    const work = mkdtempSync(join(tmpdir(), 'laid-'));
    const { ask } = Connection.prototype;
    let unanswered = false;
    const lose = vi.spyOn(Connection.prototype, 'ask').mockImplementationOnce(async function (this: Connection, code) {
      await ask.call(this, code);
      await until(() => existsSync(join(work, 'begun')));
      unanswered = true;
      return undefined;
    });
    const command = `: >${work}/begun; until [ -e ${work}/go ]; do sleep 0.05; done; echo output; exit 3`;
    const running = await at.start(command);
    await until(() => unanswered);
    lose.mockRestore();
    await at.run('true');
    writeFileSync(join(work, 'go'), '');
    const { exit, head, note } = await running.result;
    expect([exit, head, note]).toEqual([3, 'output', undefined]);
    await at.hosts.close();
  });

  it('a command that could not be submitted never starts, and nobody waits for it', async () => {
    const at = hostsOf(server);
    await at.open();
    const refused = Promise.withResolvers<{ exit: number; text: string }>();
    const refuse = vi.spyOn(Connection.prototype, 'ask').mockReturnValueOnce(refused.promise);
    const running = await at.start('echo output');
    const ended = vi.spyOn(running, 'hangUp');
    refused.resolve({ exit: 1, text: '' });
    const { exit, note } = await running.result;
    refuse.mockRestore();
    expect([exit, note, ended.mock.calls.length]).toEqual([null, 'it never began', 1]);
    await at.hosts.close();
  });
});
