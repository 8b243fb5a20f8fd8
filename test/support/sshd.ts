/** A real sshd on loopback, with keys and configuration of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { lacks, pathOf } from './lacks.ts';

/** sshd must be started by its full path. */
const SSHD = join('/usr', 'sbin', 'sshd');

/**
 * Returns whether no host is available on this machine, or not to the user of the tests: a system account can't log in.
 */
export function lacksSshd(): boolean {
  return lacks('ssh') || lacks('ssh-keygen') || lacks(SSHD) || !mayLogIn();
}

function mayLogIn(): boolean {
  const { shell, username } = userInfo();
  const may = !/\/(?:nologin|false)$/.test(shell ?? '');
  if (!may) console.log(`skipped: ${username} can't log in on this machine`);
  return may;
}

export type SshHost = {
  /** The host’s name for ssh. */
  readonly name: string;
  /** A directory with an `ssh` that reads this host's configuration, to be the first in PATH. */
  readonly bin: string;
  /** Returns how many connections it accepted. */
  accepted(): number;
  /** The process of the server. */
  readonly pid: number;
  /** The paths of its clients' configuration, and of its key for them. */
  readonly config: string;
  readonly identity: string;
  readonly port: number;
  stop(): Promise<void>;
};

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/**
 * `known`: clients know its key. `lines`: added to its configuration. `user`: the account of its sessions; the user of
 * the tests by default.
 */
type SshdOptions = {
  readonly lines?: readonly string[];
  readonly user?: string;
  readonly known?: boolean;
  /** The home of its sessions; by default that of a named account, otherwise an empty one. */
  readonly home?: string;
  /** Words before the server's command: a program that starts it by exec. */
  readonly behind?: readonly string[];
};

/** Starts a server; its sessions belong to the named user. */
export async function startSshd(
  name = 'web1',
  { lines = [], user, known = true, behind = [], home: own }: SshdOptions = {},
): Promise<SshHost> {
  const folder = mkdtempSync(join(tmpdir(), 'sshd-'));
  const at = (file: string) => join(folder, file);
  // The machine's own startup files may be slow, and may not tolerate a kill.
  const home = own ?? (user === undefined ? at('home') : undefined);
  // The user who logs in must be able to read the folder.
  chmodSync(folder, 0o755);
  mkdirSync(at('home'));
  for (const file of ['host', 'user'])
    execFileSync(pathOf('ssh-keygen') ?? '', ['-q', '-t', 'ed25519', '-N', '', '-f', at(file)]);
  writeFileSync(at('authorized_keys'), readFileSync(at('user.pub')), { mode: 0o644 });
  const port = await freePort();
  writeFileSync(
    at('sshd_config'),
    [
      // sshd uses the first line for each setting.
      ...lines,
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host')}`,
      `AuthorizedKeysFile ${at('authorized_keys')}`,
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin yes',
      'LogLevel VERBOSE',
      `PidFile ${at('pid')}`,
      ...(home === undefined ? [] : [`SetEnv HOME=${home}`]),
      '',
    ].join('\n'),
  );
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  writeFileSync(at('known_hosts'), !known ? '' : `[127.0.0.1]:${port} ${readFileSync(at('host.pub'), 'utf8')}`);
  writeFileSync(
    at('config'),
    `Host ${name}
  HostName 127.0.0.1
  Port ${port}
  User ${user ?? userInfo().username}
  IdentityFile ${at('user')}
  IdentitiesOnly yes
  UserKnownHostsFile ${at('known_hosts')}
`,
  );
  layClient(at('bin'), at('config'));
  const [file = SSHD, ...words] = [...behind, SSHD, '-D', '-f', at('sshd_config'), '-E', at('log')];
  const server = spawn(file, words, { stdio: 'ignore' });
  await untilListens(server, at('log'));
  return {
    name,
    bin: at('bin'),
    pid: server.pid ?? -1,
    config: at('config'),
    identity: at('user'),
    port,
    accepted: () => (readFileSync(at('log'), 'utf8').match(/^Accepted publickey for /gm) ?? []).length,
    async stop() {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      if (server.exitCode === null && server.kill()) await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The program calls ssh as the user would, only with another configuration. */
function layClient(bin: string, config: string): void {
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'ssh'),
    `#!/bin/sh\ncase " $* " in *" -F "*) exec ${pathOf('ssh')} "$@" ;; esac\nexec ${pathOf('ssh')} -F ${config} "$@"\n`,
  );
  chmodSync(join(bin, 'ssh'), 0o755);
}

export type SshHosts = Pick<SshHost, 'bin' | 'config' | 'stop'> & { readonly all: readonly SshHost[] };

/** Starts several servers that one `ssh` knows by their names, each with an empty home. */
export async function startSshds(
  names: readonly string[],
  optionsOf: (name: string) => SshdOptions = () => ({}),
): Promise<SshHosts> {
  const folder = mkdtempSync(join(tmpdir(), 'sshds-'));
  const all: SshHost[] = [];
  const stop = async () => {
    await Promise.all(all.map((host) => host.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const name of names) {
      const home = join(folder, name);
      mkdirSync(home);
      all.push(await startSshd(name, { home, ...optionsOf(name) }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const [bin, config] = [join(folder, 'bin'), join(folder, 'config')];
  writeFileSync(config, all.map((host) => readFileSync(host.config, 'utf8')).join(''));
  layClient(bin, config);
  return { bin, config, all, stop };
}

async function untilListens(server: ChildProcess, log: string): Promise<void> {
  for (;;) {
    const text = readIfThere(log);
    if (text.includes('Server listening')) return;
    if (server.exitCode !== null) throw new Error(`sshd did not start: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
