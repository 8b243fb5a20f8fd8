import type { OpenMachine } from '../../contracts/fleet.ts';
import { clientFor } from '../../fleet/index.ts';
import { type ContainerOptions, openContainer } from './container.ts';

/** Connects to a machine of a fleet by its name. */
export function openMachine(options: ContainerOptions): OpenMachine {
  return async (host, signal) => {
    const client = clientFor(host);
    return client
      ? openContainer(host, client, signal, options)
      : { problem: `${host} is none of docker:NAME, podman:NAME, k8s:NAMESPACE/POD` };
  };
}
