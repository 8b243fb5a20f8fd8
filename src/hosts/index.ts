export { absentHost, lacksSandbox } from './absent.ts';
export { Hosts } from './hosts.ts';
export type { LauncherKit, LeftThere } from './launcher.ts';
