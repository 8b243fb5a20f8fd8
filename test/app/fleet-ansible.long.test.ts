/** Commands to real servers through a real Ansible, which evaluates nearly everything it is given. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetMachine } from '../../src/contracts/fleet.ts';
import { type OpenFleetMachine, openMachine } from '../../src/fleet/ssh.ts';
import { shellQuote } from '../../src/text/shell.ts';
import { until } from '../support/hosts.ts';
import { lacks } from '../support/lacks.ts';
import { processes } from '../support/processes.ts';
import { lacksSshd, type SshHosts, startSshds } from '../support/sshd.ts';

const NAMES = ['web1', 'web2'];
const unaborted = new AbortController().signal;
/** The longest time for several starts of Ansible on a busy machine, in ms. */
const SLOW_MS = 120_000;

describe.skipIf(lacksSshd() || lacks('ansible'))('a fleet through Ansible', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ans-'));
  const trap = join(folder, 'ran-here');
  const there = join(folder, 'there');
  const before = { PATH: process.env.PATH, cwd: process.cwd() };
  let servers: SshHosts;
  let fleet: OpenFleetMachine;
  const machines = new Map<string, FleetMachine>();

  beforeAll(async () => {
    servers = await startSshds(NAMES);
    process.env.PATH = `${servers.bin}:${before.PATH}`;
    // The program runs in a foreign directory, with a foreign environment.
    const project = join(folder, 'project');
    for (const path of [there, join(project, 'library'), join(project, 'callbacks')])
      mkdirSync(path, { recursive: true });
    const touches = `import os\nos.system('touch ${trap}')\n`;
    writeFileSync(
      join(project, 'ansible.cfg'),
      `[defaults]\nlibrary=${project}/library\ncallback_plugins=${project}/callbacks\nlookup_plugins=${project}/callbacks\nvault_password_file=${project}/run\n[ssh_connection]\nssh_executable=${project}/run\n`,
    );
    writeFileSync(join(project, 'run'), `#!/bin/sh\ntouch ${trap}\n`, { mode: 0o755 });
    for (const name of ['library/shell.py', 'callbacks/minimal.py', 'callbacks/tree.py', 'callbacks/pipe.py'])
      writeFileSync(join(project, name), touches);
    process.chdir(project);
    process.env.ANSIBLE_CONFIG = join(project, 'ansible.cfg');
    process.env.ANSIBLE_CALLBACK_PLUGINS = join(project, 'callbacks');
    process.env.PYTHONPATH = join(project, 'callbacks');
    fleet = openMachine({ dataDir: folder, size: () => ({ columns: 80, rows: 24 }), isUsers: () => false });
    const open = fleet.byAnsible(60);
    await Promise.all(
      NAMES.map(async (name) => {
        const machine = await open(name, unaborted);
        if ('problem' in machine) throw new Error(machine.problem);
        machines.set(name, machine);
      }),
    );
  }, SLOW_MS);
  afterAll(async () => {
    await Promise.all([...machines.values()].map((machine) => machine.close()));
    fleet?.close();
    process.chdir(before.cwd);
    process.env.PATH = before.PATH;
    for (const name of ['ANSIBLE_CONFIG', 'ANSIBLE_CALLBACK_PLUGINS', 'PYTHONPATH']) delete process.env[name];
    await servers?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, SLOW_MS);

  async function run(command: string, name = 'web1') {
    const machine = machines.get(name);
    if (!machine) throw new Error(`${name} is not there`);
    const options = { cwd: `${name}:${there}`, mode: 'unrestricted', signal: unaborted } as const;
    const { exit, head, tail, note } = await (await machine.machine.spawn(command, options)).result;
    return { exit, output: (head + tail).trimEnd(), note };
  }
  /** Returns bash's result for a command in the same directory. */
  function byBash(command: string) {
    const { status, stdout } = spawnSync('bash', ['-c', `exec 2>&1; exec bash -c -- "$1"`, 'bash', command], {
      cwd: there,
      encoding: 'utf8',
    });
    return { exit: status, output: stdout.trimEnd(), note: undefined };
  }

  it(
    'runs every command on the host exactly as it is written, and no part of it on this machine',
    async () => {
      const nasty = [
        `{{ lookup('pipe','touch ${trap}') }}`,
        `{{ lookup("pipe", "touch ${trap}") }}{% raw %}{{ x }}{% endraw %}{# gone? #}`,
        `{% for x in range(3) %}x{% endfor %}`,
        '#jinja2:variable_start_string:"[["\n[[ 1 + 1 ]]',
        `creates=/etc/passwd removes=/nowhere chdir=/ executable=/bin/false warn=no`,
        `!unsafe "a" !vault | &x *x @${trap}`,
        `{"cmd": "touch ${trap}"}`,
        `[1, 2]`,
        `two\nlines\n\n`,
        `quotes ' " \\ \\n \\x41 $HOME ~ \${PATH:-x} \`touch ${trap}\` $(touch ${trap}) !`,
        'Ünïcödé 日本 😀 \u0085 \u2028 \ufeff \u007f \u009b',
        '--- \t# no comment: [',
      ];
      // Each starts a command of its own where the text is special; the results are compared byte for byte.
      const commands = [
        `printf '<%s>' ${nasty.map(shellQuote).join(' ')} | od -An -tx1; exit 7`,
        `: ${shellQuote('{{ x }}'.repeat(10_000))}; printf %s ${shellQuote('é'.repeat(10_000))} | cksum`,
        `creates=/etc/passwd chdir=/ pwd`,
        `echo {{ lookup('pipe','touch ${trap}') }}`,
        '-x; echo still',
        'true && ! false; echo $?; echo err >&2; exit 300',
      ];
      const all = await Promise.all(commands.map((command) => run(command)));
      for (const [at, command] of commands.entries()) expect(all[at], command).toEqual(byBash(command));
      expect(existsSync(trap)).toBe(false);
      expect(readdirSync(there)).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    'ends Ansible’s persistent connections when it ends',
    async () => {
      const masters = () =>
        processes().filter(({ words }) => words.startsWith('ssh: ') && words.includes(`aish-a-${process.pid}-`));
      expect(masters()).toHaveLength(NAMES.length);
      const ended = performance.now();
      await Promise.all([...machines.values()].map((machine) => machine.close()));
      await until(() => masters().length === 0);
      // Otherwise the connections would stay open for a minute.
      expect(performance.now() - ended).toBeLessThan(45_000);
    },
    SLOW_MS,
  );
});
