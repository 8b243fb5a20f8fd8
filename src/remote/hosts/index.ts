export { absentHost } from './absent.ts';
export type { HostOptions, KeepingThere } from './host.ts';
export { Hosts } from './hosts.ts';
export type { KeepThere, LauncherKit, LeftThere } from './launcher.ts';
export { endMasters } from './masters.ts';
export type { SandboxThere } from './sandbox-there.ts';
export type { Standing } from './standing.ts';
