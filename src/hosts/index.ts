export { absentHost } from './absent.ts';
export { Hosts } from './hosts.ts';
