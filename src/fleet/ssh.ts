/** Hosts of a fleet over ssh: connections of its own, beside those that the user opened with `:host`. */
import { rmSync } from 'node:fs';
import type { FleetMachine, OpenMachine } from '../contracts/fleet.ts';
import { sizeForModel } from '../engine/live.ts';
import { asCompanion, openElsewhere, processEnvironment, runElsewhere, socketFolder } from '../executor/index.ts';
import { clientFor } from '../remote/fleet/index.ts';
import { Hosts, type LauncherKit } from '../remote/hosts/index.ts';
import { messageOf } from '../text/errors.ts';
import { carrierByAnsible } from './ansible.ts';
import { type ContainerOptions, openContainer } from './container.ts';

/** Nobody is there to answer what ssh may ask. In ms. */
const CONNECT_TIMEOUT_MS = 20_000;
/** A server refuses some of many that come at once (sshd's MaxStartups), so they come a few at a time. */
const AT_ONCE = 4;

const NO_LAUNCHERS: LauncherKit = {
  program: () => undefined,
  whyOpen: () => 'a fleet has no launcher',
  restricted: () => [],
  kept: () => [],
  project: () => [],
  trial: () => [],
};

/** Connects over ssh as it is configured. What would need an answer of the user's is no connection. */
function openOverSsh({ dataDir, size, left }: ContainerOptions): OpenMachine & { close(): void } {
  const env = processEnvironment();
  const lost = new Map<string, (why: string) => void>();
  const isLost = (host: string) => lost.get(host)?.('the connection was lost; what ran there then is not known');
  const queue: (() => void)[] = [];
  let opening = 0;
  let folder: string | undefined;
  const hosts = new Hosts({
    // A fleet runs in Unrestricted: nothing is put there.
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
    // Its connection may be told as lost later than its conversation would go on.
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
  /** Whether the user has this host by `:host`. */
  readonly isUsers: (host: string) => boolean;
};

/** Connects over a connection of its own. */
export type OpenFleetMachine = OpenMachine & {
  /**
   * The same with Ansible between; containers keep their vendors' clients. @param seconds what a command may take there
   */
  byAnsible(seconds: number): OpenMachine;
  has(host: string): boolean;
  close(): void;
};

/**
 * Connects to a machine of a fleet by its name: a container or pod, or else whatever ssh knows by that name. A name is
 * one machine at a time, whoever has it: what is judged for it runs on no other connection.
 */
export function openMachine(options: OpenOptions): OpenFleetMachine {
  const overSsh = openOverSsh(options);
  const byAnsible = carrierByAnsible(options);
  const taken = new Set<string>();
  const opening = (further: OpenMachine): OpenMachine => {
    const connect: OpenMachine = async (host, signal) => {
      const client = clientFor(host);
      if (client) return openContainer(host, client, signal, options);
      // A name in the form of a container's is never taken for one of ssh's.
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
