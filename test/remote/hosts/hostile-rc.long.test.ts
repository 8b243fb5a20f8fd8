/** Startup files of a host that print, hang, exit, flood, or replace the programs used for questions. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { addUser, removeUser } from '../../support/accounts.ts';
import { hostsOf } from '../../support/hosts.ts';
import { pathOf } from '../../support/lacks.ts';
import { processes } from '../../support/processes.ts';
import { lacksSshd, startSshd } from '../../support/sshd.ts';

type Case = {
  readonly what: string;
  readonly rc: string;
  /** Whether the shell works; absent: there is no usable shell, and that is reported. */
  readonly works?: true;
};

/** Startup files with their text, which bash runs for everything started over ssh, including small questions. */
const CASES: readonly Case[] = [
  { what: 'prints', rc: 'echo NOISE; printf "\\n%s 0\\n" mark; echo more >&2\n', works: true },
  {
    what: 'has functions and aliases for what is asked',
    rc: `shopt -s expand_aliases
for f in printf echo cat rm mkdir id pwd cd stat find set trap builtin eval test; do eval "$f() { return 1; }"; export -f $f; alias $f=false; done 2>/dev/null
`,
    works: true,
  },
  {
    what: 'sets PATH, IFS, ENV and BASH_ENV',
    rc: `export PATH=$HOME/bad IFS=/ ENV=$HOME/evil BASH_ENV=$HOME/evil\n`,
    works: true,
  },
  { what: 'leaves', rc: 'exit 0\n' },
  { what: 'becomes something else', rc: 'exec sleep 1234\n' },
  { what: 'has a function in the place of exec', rc: 'exec() { echo "$@" >~/taken; }\n' },
  { what: 'floods', rc: 'yes NOISE\n' },
];

describe.skipIf(lacksSshd() || process.getuid?.() !== 0)('an account whose startup file', () => {
  it.each(CASES)('$what', async ({ rc, works }) => {
    const user = addUser(pathOf('bash') ?? '');
    const home = `/home/${user}`;
    writeFileSync(join(home, '.bashrc'), rc);
    writeFileSync(join(home, 'evil'), `echo x >>${home}/ran\n`);
    const server = await startSshd('web1', { user });
    const at = hostsOf(server);
    try {
      if (!works) {
        await expect(at.open()).rejects.toThrow('there is no usable shell on web1; plain ssh may work: ssh web1');
        await gone(server.pid);
        return;
      }
      await at.open();
      const there = mkdtempSync(join(tmpdir(), 'there-'));
      chmodSync(there, 0o755);
      for (const name of ['a', 'b']) writeFileSync(join(there, name), 'four');
      expect(await at.hosts.machine('web1').files.count([there], () => false)).toEqual({
        files: 2,
        bytes: 8,
        more: false,
      });
      const { head, exit, cwd } = await at.run('builtin printf "%s|" "a b" \'$x\'; builtin cd /usr; exit 3');
      // The output of the startup file comes first, as with ssh itself.
      expect([head.replace(/^NOISE\n\nmark 0\nmore\n/, ''), exit, cwd]).toEqual(['a b|$x|', 3, 'web1:/usr']);
      const [removed = ''] = await at.hosts.forget('web1');
      expect(existsSync(removed.replace('removed there: ', ''))).toBe(false);
      // The login shell reads the user’s startup file, but no other part of the program does.
      expect(readdirSync(home)).not.toContain('ran');
    } finally {
      await at.hosts.close();
      await server.stop();
      removeUser(user);
    }
  });
});

/** Waits until the processes that such a file started have ended with the connection. */
async function gone(server: number): Promise<void> {
  while (processes().some(({ parent }) => parent === server)) await delay(20);
}
