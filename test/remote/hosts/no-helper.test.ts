/** If no helper starts (the master is stopped), callers do not wait one after the other. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Helper } from '../../../src/remote/hosts/helper.ts';
import { hostsOf, until } from '../../support/hosts.ts';
import { processes } from '../../support/processes.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

const ENV = { PATH: process.env.PATH ?? '' };
/** A time in ms that is shorter than the limit for a helper’s start. */
const SOON_MS = 9000;

describe.skipIf(lacksSshd())('a question for a host without a helper', () => {
  let server: SshHost;
  beforeAll(async () => {
    server = await startSshd();
  });
  afterAll(() => server?.stop());

  it('fails when the helper that is being started does not answer, and the next question starts another helper', async () => {
    const at = hostsOf(server);
    await at.open();
    const ask = () => at.hosts.ask('web1', 'echo on');
    const { promise: comes, resolve: give } = Promise.withResolvers<undefined>();
    const start = vi.spyOn(Helper, 'start').mockImplementation(() => comes);
    for (const { pid, words } of processes())
      if (words.includes(at.socket()) && words.endsWith('exec /bin/sh')) process.kill(pid, 'SIGKILL');
    const asked: Promise<string | undefined>[] = [];
    // Until the helper's end is noticed, it still gets the questions.
    await until(() => {
      if (start.mock.calls.length === 0) asked.push(ask());
      return start.mock.calls.length > 0;
    });
    asked.push(ask(), ask());
    give(undefined);
    expect(await Promise.all(asked.slice(-3))).toEqual([undefined, undefined, undefined]);
    expect(start).toHaveBeenCalledTimes(1);
    start.mockRestore();
    expect(await ask()).toContain('on');
    await at.hosts.close();
  });
});

it('the connection does not wait for a late helper once its caller has cancelled', async () => {
  const argv = ['sleep', '1000.7310'] as const;
  const [before, later] = [AbortSignal.abort(), new AbortController()];
  const all = [before, later.signal].map((signal) => Helper.start({ argv: [...argv], env: ENV }, undefined, signal));
  later.abort();
  expect(await Promise.race([Promise.all(all), delay(SOON_MS, 'late')])).toEqual([undefined, undefined]);
  await until(() => !processes().some(({ words }) => words === argv.join(' ')));
});
