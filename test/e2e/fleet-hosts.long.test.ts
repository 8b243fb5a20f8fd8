/** A fleet of 20 real servers. Each has its own files at the same path. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canMount, fleetDisks } from '../support/fleet-disks.ts';
import { jsonLines } from '../support/lines.ts';
import { below } from '../support/processes.ts';
import { runProgram, scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { type ScriptedRequest, startScriptedServer, type Turn, whenever } from '../support/scripted-server.ts';
import { lacksSshd } from '../support/sshd.ts';
import { wholeLines } from '../support/whole-lines.ts';

const NAMES = Array.from({ length: 20 }, (_, n) => `web${n + 1}`);
const HOSTS = NAMES.join(',');
/** 20 logins and 20 questions at once may take this long on a busy machine. */
const ALL_AT_ONCE_MS = 60_000;
/** How often the program is killed during 20 commands. */
const KILLS = Number(process.env.AISH_FLEET_KILLS ?? 2);

/** The hosts that a question named. */
const hostsAsked = (out: string) =>
  jsonLines(out).flatMap(({ kind, groups }) =>
    kind === 'fleetHalts' ? (groups as { readonly hosts: readonly string[] }[]).flatMap(({ hosts }) => hosts) : [],
  );

const hostOf = ({ system }: ScriptedRequest) => /You work on the host (\w+),/.exec(system)?.[1] ?? '';

/** A model that wants one command on each host and accepts any result, except on the blocked hosts. */
const wants = (commandFor: (host: string) => string, blocked: readonly string[] = []): Turn =>
  whenever(() => true, {
    from(request) {
      if (request.messages.every(({ role }) => role !== 'assistant'))
        return { text: `CMD: ${commandFor(hostOf(request))}` };
      return { text: blocked.includes(hostOf(request)) ? 'GOAL: blocked it does not start' : 'GOAL: complete' };
    },
  });

describe.skipIf(lacksSshd() || !canMount)('a fleet of 20 hosts', () => {
  const fleet = fleetDisks(NAMES);
  const { disk, fresh, onPath } = fleet;
  const withData = (path: string, name: string) => {
    if (name === 'web7') symlinkSync('/srv', join(path, 'data'));
    else if (name !== 'web3') mkdirSync(join(path, 'data'));
  };
  const having = (file: string) => NAMES.filter((name) => readdirSync(disk(name)).includes(file));

  it('asks three questions for 18 equal hosts, one with a link and one without the file', async () => {
    fresh(withData);
    await using server = await startScriptedServer([wants(() => 'rm -rf data')]);
    using home = scratch(server.baseUrl);
    home.env.PATH = onPath(home);
    const { code, out } = await runProgram(home, ['run', '--json', '--hosts', HOSTS, 'clean up']);
    expect(code).toBe(4);
    const halts = jsonLines(out).filter(({ kind }) => kind === 'fleetHalts');
    expect(halts).toHaveLength(1);
    expect(halts[0]).toMatchObject({
      groups: [
        {
          hosts: NAMES.filter((name) => name !== 'web7' && name !== 'web3').toSorted(),
          targets: [{ type: 'directory' }],
        },
        { hosts: ['web3'], targets: [{ type: 'missing' }] },
        { hosts: ['web7'], targets: [{ type: 'link', link: '/srv' }] },
      ],
    });
    expect(having('data')).toHaveLength(19);
  });

  it('runs nothing on the other hosts after the canary fails', async () => {
    fresh(withData);
    await using server = await startScriptedServer([wants(() => 'rm -rf data', ['web2'])]);
    using home = scratch(server.baseUrl);
    await using rig = startRig(home, { columns: 120, rows: 60, env: { PATH: onPath(home) } });
    await rig.waitFor(/\[aish:\w+\]>/);
    rig.type(`:fleet clean up on ${HOSTS} canary web2\r`);
    await rig.waitFor(/HALT.* on 18 hosts/, ALL_AT_ONCE_MS);
    await rig.waitFor(/all shown|Enter: /);
    rig.type('p');
    await rig.waitFor(/HOST +STATUS[\s\S]*web20 +stopped/, ALL_AT_ONCE_MS);
    expect(rig.text()).toMatch(/web2 +blocked/);
    expect(rig.text()).toMatch(/web1 +stopped/);
    expect(having('data')).toEqual(NAMES.filter((name) => name !== 'web2' && name !== 'web3'));
  });

  it(
    'killed midway and resumed, runs nothing twice',
    async () => {
      for (let kill = 0; kill < KILLS; kill += 1) {
        fresh(() => {});
        await using server = await startScriptedServer([wants(() => 'echo x >>count; sleep 0.5; cat count')]);
        using home = scratch(server.baseUrl);
        home.env.PATH = onPath(home);
        const runs = () => NAMES.flatMap((name) => wholeLines(join(disk(name), 'count')));
        const after = 1 + ((kill * 7) % 19);
        let look: NodeJS.Timeout | undefined;
        const first = await runProgram(home, ['run', '--json', '--hosts', HOSTS, 'count'], {
          onOut(_, end) {
            look ??= setInterval(() => runs().length >= after && end('SIGKILL'), 5);
          },
        });
        clearInterval(look);
        expect(first.signal).toBe('SIGKILL');
        const session = String(jsonLines(first.out)[0]?.session);
        const { out } = await runProgram(home, ['run', '--json', '--resume', session]);
        const rows = jsonLines(out).filter(({ kind }) => kind === 'fleetHost');
        const asked = hostsAsked(out);
        expect(rows.map(({ host }) => String(host)).toSorted()).toEqual(NAMES.toSorted());
        for (const row of rows) {
          const [name, status] = [String(row.host), String(row.status)];
          const ran = wholeLines(join(disk(name), 'count'));
          expect(ran.length, `${name} ${status}`).toBeLessThanOrEqual(1);
          expect(status, JSON.stringify(row)).toBeOneOf(['done', 'unknown', 'aborted']);
          // A command that was being judged is asked about again, and without a user the answer is not yes.
          if (status === 'aborted') expect([asked.includes(name), ran], name).toEqual([true, []]);
          if (status === 'done') expect(ran, name).toEqual(['x']);
        }
      }
    },
    60_000 * (1 + KILLS),
  );

  it('reports a hanging, a refusing and a vanished host in a row each, and completes the others', async () => {
    fresh((path, name) => {
      if (name === 'web18' || name === 'web20') spawnSync('mkfifo', [join(path, 'version')]);
      else writeFileSync(join(path, 'version'), '1\n');
    });
    await using server = await startScriptedServer([wants(() => 'cat version')]);
    using home = scratch(server.baseUrl);
    home.env.PATH = onPath(home);
    const [hangs, refuses, vanishes] = ['web18', 'web19', 'web20'];
    await fleet.servers.all[18]?.stop();
    const { pid = -1 } = fleet.servers.all[19] ?? {};
    const look = setInterval(() => {
      const all = below(pid);
      if (!all.some(({ words }) => words === 'cat version')) return;
      clearInterval(look);
      for (const each of all) if (each.words.startsWith('sshd')) process.kill(each.pid, 'SIGKILL');
    }, 20);
    const { code, out } = await runProgram(home, ['run', '--hosts', HOSTS, '--deadline', '30s', 'which version']);
    clearInterval(look);
    expect(code).toBe(3);
    for (const name of NAMES.slice(0, 17)) expect(out).toMatch(new RegExp(`${name} +done +[\\d.]+ s +1 +A`));
    expect(out).toMatch(new RegExp(`${hangs} +no answer .*not done after 30 s`));
    expect(out).toMatch(new RegExp(`${refuses} +unreachable .*no connection to web19`));
    expect(out).toMatch(new RegExp(`${vanishes} +lost .*the connection was lost`));
  });
});
