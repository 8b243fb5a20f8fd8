import type { OpenMachine } from '../../contracts/fleet.ts';
import { clientFor } from '../../fleet/index.ts';
import { type ContainerOptions, openContainer } from './container.ts';
import { openOverSsh } from './ssh.ts';

/** Connects to a machine of a fleet by its name: a container or pod, or else whatever ssh knows by that name. */
export function openMachine(options: ContainerOptions): OpenMachine & { close(): void } {
  const overSsh = openOverSsh(options);
  const open: OpenMachine = async (host, signal) => {
    const client = clientFor(host);
    if (client) return openContainer(host, client, signal, options);
    // A name in the form of a container's is never taken for one of ssh's.
    return /^(?:docker|podman|k8s):/.test(host) ? { problem: `${host} names no container` } : overSsh(host, signal);
  };
  return Object.assign(open, { close: () => overSsh.close() });
}
