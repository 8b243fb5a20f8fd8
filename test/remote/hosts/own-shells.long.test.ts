/**
 * The user's own shell on a host, whatever the login shell: blocks, full screens, keys, jobs, passwords, and hostile
 * startup files.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startUserShell } from '../../../src/executor/index.ts';
import { addUser, removeUser } from '../../support/accounts.ts';
import { folder, hostsOf, size, until } from '../../support/hosts.ts';
import { lacks, pathOf } from '../../support/lacks.ts';
import { processes } from '../../support/processes.ts';
import { lacksSshd, startSshd } from '../../support/sshd.ts';

/** Programs and functions that replace those the integration might call. */
const TAKEN = ['cat', 'printf', 'echo', 'tty', 'env', 'stty', 'sed', 'mkfifo', 'dd', 'tr', 'test', 'read'];
const FUNCTIONS = TAKEN.map((name) => `${name}() { :; }`).join('\n');
const POSIX = `echo NOISE\nPATH=$HOME/bad:$PATH\nexport PATH\n${FUNCTIONS}\nPS1='mine> '\nalias cd=false\nunalias cd\n`;

type Row = {
  readonly name: string;
  /** The shell that runs on the host. */
  readonly runs: string;
  /** The startup file that it reads, and its path. */
  readonly rc: readonly [path: string, text: string];
};

const ROWS: readonly Row[] = [
  { name: 'bash', runs: 'bash', rc: ['.bashrc', POSIX] },
  { name: 'zsh', runs: 'zsh', rc: ['.zshrc', POSIX] },
  { name: 'fish', runs: 'fish', rc: ['.config/fish/config.fish', 'echo NOISE\nset -x PATH $HOME/bad $PATH\n'] },
  { name: 'dash', runs: 'dash', rc: ['.shrc', POSIX] },
  { name: 'ash', runs: 'ash', rc: ['.shrc', POSIX] },
  { name: 'tcsh', runs: 'bash', rc: ['.tcshrc', 'echo NOISE\nsetenv PATH $HOME/bad:$PATH\n'] },
];

/** Returns the path of ash: busybox under that name. */
function ashPath(): string | undefined {
  const busybox = pathOf('busybox');
  if (busybox === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'ash-'));
  chmodSync(directory, 0o755);
  symlinkSync(busybox, join(directory, 'ash'));
  return join(directory, 'ash');
}

const there = ROWS.flatMap((row) => {
  const path = row.name === 'ash' ? ashPath() : pathOf(row.name);
  return path === undefined ? [] : [{ ...row, path }];
});

describe.skipIf(lacksSshd() || process.getuid?.() !== 0)(
  'the user’s own shell on a host with hostile startup files',
  () => {
    it.each(there)('$name', async ({ path, runs, rc: [file, text] }) => {
      const user = addUser(path);
      const home = `/home/${user}`;
      const put = (name: string, content: string, mode = 0o644) => {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        writeFileSync(join(home, name), content, { mode });
      };
      put(file, text);
      put('.profile', 'ENV=$HOME/.shrc; export ENV\n');
      for (const name of TAKEN) put(`bad/${name}`, `#!/bin/sh\necho ${name} >>${home}/ran\n`, 0o755);
      mkdirSync(join(home, 'odd\x07;x'));
      execFileSync('chown', ['-R', user, home]);
      const server = await startSshd('web1', { user });
      const at = hostsOf(server);
      try {
        await at.open();
        const seat = at.hosts.shell('web1');
        if (!seat) throw new Error('not connected');
        expect(seat.program).toMatch(new RegExp(`/${runs}$`));
        const own = await startUserShell({ there: seat, cwd: `web1:${home}`, env: {}, ...size, dataDir: folder });
        const ran = (line: string) => own.run(line).result;
        const stops = async (line: string, key: string) => {
          const running = own.run(line);
          await until(() => processes().some(({ words }) => words === line));
          running.write(key);
          return (await running.result).exit;
        };

        // Each line is a block with its own output, exit code and directory, whatever the line sets.
        expect(await ran('cd /usr/share; false')).toMatchObject({ head: '', exit: 1, cwd: 'web1:/usr/share' });
        expect(await ran('pwd')).toMatchObject({ head: '/usr/share', exit: 0 });
        expect((await ran('sh -c "exit 7"')).exit).toBe(7);
        expect((await ran('ls /usr/share | wc -l; sh -c "kill -9 \\$\\$"')).exit).toBe(137);
        expect((await ran("ls '")).exit).not.toBe(0);
        expect((await ran('sh -c "echo on"')).head).toBe('on');

        expect((await ran(runs === 'fish' ? 'false' : "PS1='other> ' PS2=; false")).exit).toBe(1);
        // A directory that can't be expressed is unknown, and is never taken to be the previous directory.
        await ran(`cd "$(ls -d ${home}/odd*)"`);
        expect(existsSync(own.cwd.slice('web1:'.length))).toBe(false);
        await ran('cd /usr/share');

        // The user's shell can run full-screen programs.
        if (!lacks('vim')) {
          const editing = own.run(`vim -u NONE -N ${home}/note`);
          await until(() => editing.fullScreen);
          editing.write('ihello there');
          editing.write('\x1b:wq\r');
          expect((await editing.result).exit).toBe(0);
          expect(readFileSync(join(home, 'note'), 'utf8')).toBe('hello there\n');
        }

        // Ctrl-C reaches the command.
        expect(await stops('sleep 1231', '\x03')).toBe(130);
        expect((await ran('pwd')).head).toBe('/usr/share');
        const asks = own.run(`/bin/sh -c '/bin/stty -echo; printf Password:; read p; /bin/stty echo; echo $p | wc -c'`);
        await until(() => asks.echoOff);
        asks.write('secret\r');
        const { head } = await asks.result;
        expect(head).toMatch(/^Password:\s*7$/);

        // Input that a program did not read does not reach the next one.
        const deaf = own.run('sleep 0.4');
        deaf.write('typed');
        await deaf.result;
        expect(await deaf.unread()).toBe('typed');
        expect(
          (await ran(`/bin/sh -c '/bin/stty -icanon min 0 time 2; /bin/dd 2>/dev/null; /bin/stty icanon'`)).head,
        ).toBe('');

        // Ctrl-Z, jobs and fg work.
        await stops('sleep 1232', '\x1a');
        expect((await ran('jobs')).head).toMatch(/sleep 1232/);
        await ran('kill -9 %1');
        await until(() => !processes().some(({ words }) => words === 'sleep 1232'));

        expect(existsSync(join(home, 'ran')) ? readFileSync(join(home, 'ran'), 'utf8') : '').toBe('');
        await own.dispose();
      } finally {
        await at.hosts.close();
        await server.stop();
        removeUser(user);
      }
    });
  },
);
