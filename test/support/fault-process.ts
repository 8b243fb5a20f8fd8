/**
 * `fork`ed with a fault's name: a fault server in a process of its own, which reports each chat request to its parent.
 */
import { type FaultName, startFaultServer } from './fault-server.ts';

const LOOK_EVERY_MS = 1;

const server = await startFaultServer(process.argv[2] as FaultName);
let told = -1;
setInterval(() => {
  if (server.calls() === told) return;
  told = server.calls();
  process.send?.({ baseUrl: server.baseUrl, calls: told });
}, LOOK_EVERY_MS);
process.on('disconnect', () => process.exit());
