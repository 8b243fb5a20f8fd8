/** Hosts over a real sshd, used without a screen. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launcherKit } from '../../src/app/host-shells.ts';
import type { Confinement, RunningCommand } from '../../src/contracts/commands.ts';
import type { HostDirectories } from '../../src/contracts/machine.ts';
import { asCompanion, openElsewhere, runElsewhere } from '../../src/executor/index.ts';
import { type HostOptions, Hosts, type LauncherKit } from '../../src/remote/hosts/index.ts';
import type { SshHost } from './sshd.ts';

export const folder = mkdtempSync(join(tmpdir(), 'h-'));
export const size = { columns: 80, rows: 24 };
export const unaborted = new AbortController().signal;

/** The launcher from the build. */
export const builtKit = launcherKit(new URL('../../dist/aish-tui.js', import.meta.url));

export function hostsOf(
  { bin, name = 'web1' }: Pick<SshHost, 'bin'> & { name?: string },
  kit: LauncherKit = builtKit,
  keep?: HostOptions['keep'],
  left?: HostDirectories,
) {
  const PATH = `${bin}:${process.env.PATH}`;
  process.env.PATH = PATH;
  const env = { ...(process.env as Record<string, string>), PATH };
  const lost: string[] = [];
  const masters: RunningCommand[] = [];
  let socket = '';
  const hosts = new Hosts({
    folder,
    kit,
    ...(keep ? { keep } : {}),
    ...(left ? { left } : {}),
    inTerminal(argv) {
      socket = argv[argv.indexOf('-S') + 1] ?? '';
      return runElsewhere({ argv, env, place: '/', size: () => size, dataDir: folder });
    },
    companion: (argv) => asCompanion(argv, env),
    session: (argv) => openElsewhere({ argv, env, closes: true, size: () => size, dataDir: folder }),
    ahead: true,
    onLost: (host) => lost.push(host),
  });
  const open = () =>
    hosts.open(name, async (master) => {
      masters.push(master);
    });
  const start = (
    command: string,
    cwd = `${name}:/tmp`,
    env: Record<string, string> = {},
    mode: Confinement = 'unrestricted',
  ) => hosts.machine(name).spawn(command, { cwd, mode, signal: unaborted, env });
  const run = async (command: string, cwd?: string, mode?: Confinement) => (await start(command, cwd, {}, mode)).result;
  const master = () => masters.at(-1)?.pid ?? -1;
  const loseConnection = async () => {
    process.kill(master(), 'SIGKILL');
    await until(() => lost.length > 0);
    lost.length = 0;
  };
  return { hosts, open, start, run, master, socket: () => socket, loseConnection };
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}
