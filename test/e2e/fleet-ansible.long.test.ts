import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canMount, fleetDisks } from '../support/fleet-disks.ts';
import { until } from '../support/hosts.ts';
import { lacks } from '../support/lacks.ts';
import { jsonLines } from '../support/lines.ts';
import { processes } from '../support/processes.ts';
import { runProgram, scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { startScriptedServer, type Turn, whenever } from '../support/scripted-server.ts';
import { lacksSshd } from '../support/sshd.ts';

const NAMES = ['web1', 'web2', 'web3', 'web4'];
const HOSTS = NAMES.join(',');
/** Ansible may take this long to start on a busy machine. */
const SLOW_MS = 180_000;

const wants = (command: string): Turn =>
  whenever(() => true, {
    from: ({ messages }) => ({
      text: messages.some(({ role }) => role === 'assistant') ? 'GOAL: complete' : `CMD: ${command}`,
    }),
  });

describe.skipIf(lacksSshd() || lacks('ansible') || !canMount)('a fleet through Ansible', () => {
  const fleet = fleetDisks(NAMES);
  const { disk, fresh, onPath } = fleet;
  const having = (file: string) => NAMES.filter((name) => readdirSync(disk(name)).includes(file));
  const counted = (name: string) => {
    const path = join(disk(name), 'count');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };

  it(
    'runs a safe command on all hosts, and passes Ansible’s template syntax through as text',
    async () => {
      fresh((path, name) => writeFileSync(join(path, 'version'), name === 'web3' ? '2\n' : '1\n'));
      await using server = await startScriptedServer([wants(`cat version; echo '{{ 6 * 7 }} creates=version'`)]);
      using home = scratch(server.baseUrl);
      home.env.PATH = onPath(home);
      const hosts = `${HOSTS},nowhere.invalid`;
      const { code, out } = await runProgram(home, [
        'run',
        '--json',
        '--hosts',
        hosts,
        '--via',
        'ansible',
        'which version',
      ]);
      expect(code).toBe(3);
      const rows = jsonLines(out).filter(({ kind }) => kind === 'fleetHost');
      const literal = '{{ 6 * 7 }} creates=version';
      for (const name of NAMES)
        expect(rows.find(({ host }) => host === name)).toMatchObject({
          ...{ status: 'done', output: `${name === 'web3' ? 2 : 1}\n${literal}` },
          commands: [{ exit: 0 }],
        });
      expect(rows.find(({ host }) => host === 'nowhere.invalid')).toMatchObject({
        ...{ status: 'unreachable', commands: [], reason: expect.stringContaining('nowhere.invalid') },
      });
    },
    SLOW_MS,
  );

  it(
    'asks equal questions once with the hosts’ reports, obeys one yes for all, and runs the canary first',
    async () => {
      fresh((path, name) => name !== 'web3' && mkdirSync(join(path, 'data')));
      await using server = await startScriptedServer([wants('rm -rf data')]);
      using home = scratch(server.baseUrl);
      await using rig = startRig(home, { columns: 120, rows: 60, env: { PATH: onPath(home) } });
      await rig.waitFor(/\[aish:\w+\]>/);
      rig.type(`:fleet clean up on ${HOSTS} canary web2 via ansible\r`);
      await rig.waitFor(/HALT.* on 3 hosts/, SLOW_MS);
      await rig.waitFor(/all shown|Enter: /);
      expect(rig.text()).toMatch(/data: a directory, as they report/);
      expect(having('data')).toEqual(['web1', 'web2', 'web4']);
      rig.type('p');
      await rig.waitFor(/HALT.*web3/, SLOW_MS);
      await rig.waitFor(/all shown|Enter: /);
      rig.type('s');
      await rig.waitFor(/HOST +STATUS[\s\S]*web4 +done/, SLOW_MS);
      expect(having('data')).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'killed midway and resumed, leaves no Ansible process behind and runs nothing twice',
    async () => {
      fresh(() => {});
      await using server = await startScriptedServer([wants('echo x >>count; sleep 2; cat count')]);
      using home = scratch(server.baseUrl);
      home.env.PATH = onPath(home);
      let look: NodeJS.Timeout | undefined;
      const first = await runProgram(home, ['run', '--json', '--hosts', HOSTS, '--via', 'ansible', 'count'], {
        onOut(_, end) {
          look ??= setInterval(() => NAMES.some((name) => counted(name) !== '') && end('SIGKILL'), 5);
        },
      });
      clearInterval(look);
      expect(first.signal).toBe('SIGKILL');
      await until(() => processes().every(({ words }) => !words.includes(home.env.TMPDIR ?? '')));
      const session = String(jsonLines(first.out)[0]?.session);
      const { out } = await runProgram(home, ['run', '--json', '--resume', session]);
      const rows = jsonLines(out).filter(({ kind }) => kind === 'fleetHost');
      expect(rows.map(({ host }) => String(host)).toSorted()).toEqual(NAMES);
      for (const row of rows) {
        const [name, status] = [String(row.host), String(row.status)];
        expect(status, name).toBeOneOf(['done', 'unknown']);
        expect(counted(name), `${name} ${status}`).toBeOneOf(status === 'done' ? ['x\n'] : ['', 'x\n']);
      }
    },
    SLOW_MS,
  );
});
