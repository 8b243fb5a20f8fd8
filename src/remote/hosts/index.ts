export { endMasters } from './connection.ts';
export { absentHost } from './files.ts';
export type { HostOptions, KeepingThere } from './host.ts';
export type { Standing } from './hosts.ts';
export { Hosts } from './hosts.ts';
export type { KeepThere, LauncherKit, LeftThere, SandboxThere } from './launcher.ts';
