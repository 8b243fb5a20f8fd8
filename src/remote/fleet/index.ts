export {
  type AnsibleHost,
  aliasOf,
  ansibleArguments,
  ansibleEnvironment,
  ansibleFiles,
  type Carried,
  MAX_FORKS,
  MAX_REPORT_BYTES,
  readCarried,
  whyOf,
} from './ansible.ts';
export { askLine, CLOSE_THERE, endingCode, MAX_OUTPUT_BYTES, readRun, runLine, SETUP_THERE } from './ansible-there.ts';
export {
  askWords,
  type Client,
  type ContainerEnd,
  clientFor,
  endCode,
  killCode,
  readEnd,
  readFacts,
  runWords,
  SETUP,
} from './container.ts';
export {
  type FleetEffect,
  type FleetEvent,
  type FleetState,
  type HostStatus,
  hasEnded,
  mayAsk,
  NO_FLEET,
  reduceFleet,
} from './controller.ts';
export { fleetEventOf } from './events.ts';
export { groupHalts } from './halt-key.ts';
export { inventoryHosts } from './inventory.ts';
export { joinKnown, type Known, resolveHosts } from './names.ts';
export { identityCode, probeScript, readProbe } from './probe.ts';
export { sshHosts } from './ssh-config.ts';
