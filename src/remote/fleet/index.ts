export {
  type AnsibleHost,
  aliasOf,
  ansibleArguments,
  ansibleEnvironment,
  ansibleFiles,
  askLine,
  type Carried,
  CLOSE_CODE,
  endingCode,
  MAX_FORKS,
  MAX_OUTPUT_BYTES,
  MAX_REPORT_BYTES,
  readCarried,
  readRun,
  runLine,
  SETUP_CODE,
  whyOf,
} from './ansible.ts';
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
  fleetEventOf,
  type HostStatus,
  hasEnded,
  mayAsk,
  NO_FLEET,
  reduceFleet,
} from './controller.ts';
export { groupHalts } from './halt-key.ts';
export { inventoryHosts, sshHosts } from './inventory.ts';
export { joinKnown, type Known, resolveHosts } from './names.ts';
export { identityCode, probeScript, readProbe } from './probe.ts';
