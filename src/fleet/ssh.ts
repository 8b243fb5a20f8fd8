/** Hosts of a fleet over ssh: with their own connections, separate from those the user opened with `:host`. */
import { rmSync } from 'node:fs';
import type { FleetMachine, OpenMachine } from '../contracts/fleet.ts';
import { sizeForModel } from '../engine/live.ts';
import { asCompanion, openElsewhere, processEnvironment, runElsewhere, socketFolder } from '../executor/index.ts';
import { clientFor } from '../remote/fleet/index.ts';
import { Hosts, type LauncherKit } from '../remote/hosts/index.ts';
import { messageOf } from '../text/errors.ts';
import { carrierByAnsible } from './ansible.ts';
import { type ContainerOptions, openContainer } from './container.ts';

/** The longest time to connect, in ms: no user can answer ssh’s questions in a fleet. */
const CONNECT_TIMEOUT_MS = 20_000;
/** A server rejects some of many simultaneous connections (sshd's MaxStartups), so only a few start at a time. */
const AT_ONCE = 4;

const NO_LAUNCHERS: LauncherKit = {
  program: () => undefined,
  whyOpen: () => 'a fleet has no launcher',
  restricted: () => [],
  kept: () => [],
  project: () => [],
  trial: () => [],
};

/** Connects with ssh's own configuration. A connection that needs an answer from the user fails. */
function openOverSsh({ dataDir, size, left }: ContainerOptions): OpenMachine & { close(): void } {
  const env = processEnvironment();
  const lost = new Map<string, (why: string) => void>();
  const isLost = (host: string) => lost.get(host)?.('the connection was lost; what ran there then is not known');
  const queue: (() => void)[] = [];
  let opening = 0;
  let folder: string | undefined;
  const hosts = new Hosts({
    // A fleet runs in Unrestricted: it installs no launcher.
    kit: NO_LAUNCHERS,
    ...(left ? { left } : {}),
    get folder() {
      folder ??= socketFolder('ssh');
      return folder;
    },
    inTerminal: (argv) => runElsewhere({ argv, env, place: '/', size, dataDir }),
    companion: (argv) => asCompanion(argv, env),
    session: (argv) => openElsewhere({ argv, env, closes: true, size: () => sizeForModel(size()), dataDir }),
    onLost: isLost,
    // The lost connection may be reported after the conversation would continue.
    onUnsettled: isLost,
  });
  const connect = async (host: string, signal: AbortSignal): Promise<void> => {
    if (opening >= AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve));
    opening += 1;
    try {
      signal.throwIfAborted();
      await hosts.open(host, async (master, ready) => {
        const end = () => master.hangUp();
        const timer = setTimeout(end, CONNECT_TIMEOUT_MS);
        signal.addEventListener('abort', end, { once: true });
        try {
          await ready;
        } finally {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
        }
      });
    } finally {
      opening -= 1;
      queue.shift()?.();
    }
  };
  const open: OpenMachine = async (host, signal) => {
    try {
      await connect(host, signal);
    } catch (error) {
      return { problem: `${messageOf(error)}; ssh ${host} shows what it asks` };
    }
    const machine = hosts.machine(host);
    const gone = Promise.withResolvers<string>();
    lost.set(host, gone.resolve);
    return {
      ...{ machine, directory: machine.home, root: hosts.isRoot(host), lost: gone.promise },
      ask: (code) => hosts.ask(host, code),
      async close() {
        lost.delete(host);
        await hosts.forget(host).catch(() => []);
      },
    } satisfies FleetMachine;
  };
  return Object.assign(open, {
    close() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  });
}

type OpenOptions = ContainerOptions & {
  /** Whether the user is connected to this host with `:host`. */
  readonly isUsers: (host: string) => boolean;
};

/** Connects with a separate connection. */
export type OpenFleetMachine = OpenMachine & {
  /**
   * The same through Ansible; containers keep their own clients.
   * @param seconds a command's time limit
   */
  byAnsible(seconds: number): OpenMachine;
  has(host: string): boolean;
  close(): void;
};

/**
 * Connects to a fleet's machine by its name: a container or pod, or else an ssh host. A name has only one connection
 * at a time, so that a judgement for it applies to no other connection.
 */
export function openMachine(options: OpenOptions): OpenFleetMachine {
  const overSsh = openOverSsh(options);
  const byAnsible = carrierByAnsible(options);
  const taken = new Set<string>();
  const opening = (further: OpenMachine): OpenMachine => {
    const connect: OpenMachine = async (host, signal) => {
      const client = clientFor(host);
      if (client) return openContainer(host, client, signal, options);
      // A name in the form of a container's is never treated as an ssh host.
      return /^(?:docker|podman|k8s):/.test(host) ? { problem: `${host} names no container` } : further(host, signal);
    };
    return async (host, signal) => {
      if (options.isUsers(host))
        return { problem: `you have it by :host; :host forget ${host} lets a fleet work there` };
      taken.add(host);
      const machine = await connect(host, signal);
      if ('problem' in machine) {
        taken.delete(host);
        return machine;
      }
      const close = async () => {
        await machine.close();
        taken.delete(host);
      };
      return { ...machine, close };
    };
  };
  return Object.assign(opening(overSsh), {
    byAnsible: (seconds: number) => opening(byAnsible.open(seconds)),
    has: (host: string) => taken.has(host),
    close() {
      overSsh.close();
      byAnsible.close();
    },
  });
}
