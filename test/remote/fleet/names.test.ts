import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  expandRange,
  inventoryHosts,
  readIni,
  readList,
  readSshConfig,
  readYaml,
  resolveGroups,
  sshHosts,
} from '../../../src/remote/fleet/inventory.ts';

import { joinKnown, type Known, resolveHosts } from '../../../src/remote/fleet/names.ts';

import { lacks, pathOf } from '../../support/lacks.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'aish-names-'));
  mkdirSync(join(home, '.ssh/more'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const knows = (groups: Record<string, readonly string[]>): Known => ({
  hosts: new Map(),
  groups: new Map(Object.entries(groups)),
});

describe('the hosts of a run', () => {
  it('are names and groups, each machine once, in the order they were written', () => {
    const known = knows({ web: ['web1', 'web2'] });
    expect(resolveHosts('db1, @web,web1,root@10.0.0.7', known)).toEqual({
      ok: true,
      hosts: ['db1', 'web1', 'web2', 'root@10.0.0.7'],
    });
  });

  it('can’t include an unknown group, which is a mistake and never an empty list', () => {
    expect(resolveHosts('@wbe', knows({ web: ['web1'] }))).toEqual({
      ok: false,
      problem: 'no group is called @wbe; did you mean @web?',
    });
    expect(resolveHosts('@web', knows({ web: [] }))).toMatchObject({ ok: false });
    expect(resolveHosts(' , ', knows({}))).toMatchObject({ ok: false });
  });

  it.each(['-oProxyCommand=id', 'a b', 'a;id', '$(id)', 'a\nb', '`id`'])('can’t be named %j', (name) => {
    expect(resolveHosts(name, knows({}))).toMatchObject({ ok: false });
  });
});

describe('ssh’s configuration', () => {
  it('yields the names of Host lines without wildcards, and the included files', () => {
    const text = 'Host web1 web2 # two\nHost *.lan !db\nhost="db1"\n  HostName 10.0.0.1\nInclude more/* "~/other"\n';
    expect(readSshConfig(text)).toEqual({ names: ['web1', 'web2', 'db1'], includes: ['more/*', '~/other'] });
  });

  it('is read with its includes, even circular ones', async () => {
    writeFileSync(join(home, '.ssh/config'), 'Include more/*\nHost one\n  IdentityFile /secret\n');
    writeFileSync(join(home, '.ssh/more/a'), 'Host two\nInclude ~/.ssh/config\n');
    const { hosts } = await sshHosts(home, join(home, 'none'));
    expect([...hosts]).toEqual([
      ['one', {}],
      ['two', {}],
    ]);
  });
});

const INI = `
mail.example.org
[web]
web[01:03] ansible_user=deploy ansible_password=hunter2
[db]
db1 ansible_host=10.0.0.9 ansible_port=2222
[db:vars]
token=geheim
[site:children]
web
db
site
`;

const YAML = `
all:
  vars:
    api_token: geheim
  children:
    web:
      hosts:
        web[01:02]:
          ansible_user: deploy
          ansible_password: hunter2
        'web03':
    site:
      children:
        web:
      hosts:
        db1:
          ansible_host: "10.0.0.9"
          ansible_port: 2222 # other
          motd: |
            evil:
              hosts:
                attacker:
`;

describe('an inventory', () => {
  it('is read as INI: groups of groups, ranges and addresses, and no other variable', () => {
    const { hosts, groups } = resolveGroups(readIni(INI));
    expect(groups.get('site')).toEqual(['web01', 'web02', 'web03', 'db1']);
    expect(groups.get('all')).toHaveLength(5);
    expect(hosts.get('web01')).toEqual({ user: 'deploy' });
    expect(hosts.get('db1')).toEqual({ host: '10.0.0.9', port: 2222 });
    expect(JSON.stringify([...hosts])).not.toMatch(/hunter2|geheim/);
  });

  it('is read as YAML, where lines of a multi-line text are not hosts', () => {
    const { hosts, groups } = resolveGroups(readYaml(YAML));
    expect(groups.get('web')).toEqual(['web01', 'web02', 'web03']);
    expect(groups.get('site')).toEqual(['db1', 'web01', 'web02', 'web03']);
    expect(hosts.get('db1')).toEqual({ host: '10.0.0.9', port: 2222 });
    expect(JSON.stringify([...hosts, ...groups])).not.toMatch(/hunter2|geheim|attacker|evil/);
  });

  it('is read from Ansible’s list, with only three variables', () => {
    const listed = {
      _meta: { hostvars: { a: { ansible_host: '::1', ansible_become_password: 'geheim', ansible_user: '-x' } } },
      all: { children: ['web'] },
      web: { hosts: ['a', '-oProxyCommand=id', 7] },
    };
    const { hosts, groups } = resolveGroups(readList(JSON.stringify(listed)));
    expect([...hosts]).toEqual([['a', { host: '::1' }]]);
    expect(groups.get('web')).toEqual(['a']);
  });

  it.skipIf(lacks('ansible-inventory'))('yields the same as an installed Ansible', async () => {
    const file = join(home, 'hosts');
    writeFileSync(file, INI.replace('site\n', ''));
    const known = await inventoryHosts(file);
    expect([...(known?.groups.get('site') ?? [])].sort()).toEqual(['db1', 'web01', 'web02', 'web03']);
    expect(known?.hosts.get('db1')).toEqual({ host: '10.0.0.9', port: 2222 });
    expect(JSON.stringify([...(known?.hosts ?? [])])).not.toMatch(/hunter2|geheim/);
  });

  it.skipIf(lacks('ansible-inventory'))(
    'is never run as a program or plugin, and runs none that it names',
    async () => {
      const ran = join(home, 'ran');
      const program = join(home, 'program.sh');
      writeFileSync(program, `#!/bin/sh\ntouch ${ran}\necho '{"web": {"hosts": ["a"]}}'\n`, { mode: 0o755 });
      const plugin = join(home, 'generator.yml');
      const pipe = `{{ lookup('pipe', 'touch ${ran}') }}`;
      writeFileSync(
        plugin,
        `plugin: ansible.builtin.generator\nhosts: {name: "x${pipe}"}\nlayers: {x: ["a${pipe}"]}\n`,
      );
      for (const file of [program, plugin]) await inventoryHosts(file);
      expect(existsSync(ran)).toBe(false);
      // Checks the trap itself: plain Ansible would have run the program.
      spawnSync(pathOf('ansible-inventory') ?? '', ['-i', program, '--list']);
      expect(existsSync(ran)).toBe(true);
    },
  );

  it('is found relative to the working directory, and only as a regular file', async () => {
    const file = join(home, 'near');
    writeFileSync(file, '[near]\nweb7\n');
    expect((await inventoryHosts(relative(process.cwd(), file)))?.groups.get('near')).toEqual(['web7']);
    expect(await inventoryHosts('/dev/zero')).toBeUndefined();
  });

  it('is read from the file where Ansible is missing, and a program is not run', async () => {
    const file = join(home, 'hosts');
    writeFileSync(file, INI);
    const known = await inventoryHosts(file, { PATH: home });
    expect(known?.groups.get('db')).toEqual(['db1']);
    expect(await inventoryHosts(join(home, 'nothing'), { PATH: home })).toBeUndefined();
  });

  it('with a group whose host has an impossible name is refused instead of dropping the host', () => {
    const known = resolveGroups(readIni('[web]\nweb1\nweb;2\n[db]\ndb1\n[site:children]\nweb\ndb\n'));
    const problem = "also names web;2, which can't be a host's name here";
    expect(resolveHosts('@web', known)).toEqual({ ok: false, problem: `the group @web ${problem}` });
    expect(resolveHosts('@site', joinKnown([known]))).toEqual({ ok: false, problem: `the group @site ${problem}` });
    expect(resolveHosts('@all', known)).toMatchObject({ ok: false });
    expect(resolveHosts('@db,web1', known)).toEqual({ ok: true, hosts: ['db1', 'web1'] });
  });

  it('has ranges of limited size, and an invalid range stays literal text', () => {
    expect(expandRange('n[8:11:2]')).toEqual(['n8', 'n10']);
    expect(expandRange('r[a:c]-[1:2]')).toHaveLength(6);
    expect(expandRange('x[1:99999999][1:99999999]').length).toBeLessThanOrEqual(500);
    expect(expandRange('plain')).toEqual(['plain']);
  });

  it('sets no address for a host name from ssh’s configuration', () => {
    const known = resolveGroups(readIni(INI));
    const both = joinKnown([{ hosts: new Map([['web01', {}]]), groups: new Map() }, known]);
    expect(both.hosts.get('db1')).toEqual({ host: '10.0.0.9', port: 2222 });
    expect(both.hosts.get('web01')).toEqual({});
  });
});
