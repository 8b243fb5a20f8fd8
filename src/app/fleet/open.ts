import type { OpenMachine } from '../../contracts/fleet.ts';
import { clientFor } from '../../remote/fleet/index.ts';
import { carrierByAnsible } from './ansible.ts';
import { type ContainerOptions, openContainer } from './container.ts';
import { openOverSsh } from './ssh.ts';

export type OpenOptions = ContainerOptions & {
  /** Whether the user has this host by `:host`. */
  readonly isUsers: (host: string) => boolean;
};

/** Connects over a connection of its own. */
export type OpenFleetMachine = OpenMachine & {
  /** The same with Ansible between; containers keep their vendors' clients. @param seconds what a command may take there */
  byAnsible(seconds: number): OpenMachine;
  has(host: string): boolean;
  close(): void;
};

/**
 * Connects to a machine of a fleet by its name: a container or pod, or else whatever ssh knows by that name. A name is one
 * machine at a time, whoever has it: what is judged for it runs on no other connection.
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
