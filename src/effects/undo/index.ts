/** Records what the agent changes, and undoes it (EF-1 … EF-3). */

export { FarStore } from './far-store.ts';
export { FarTrialDisk } from './far-trials.ts';
export { ranFar } from './launcher.ts';
export { behindTrial, LocalTrialDisk, prepareTrial, type TrialLaunch } from './local-trials.ts';
export { entriesAt, seenAt, spelledBytes, waysThrough } from './paths.ts';
export { ChangeStore, type Keeping } from './store.ts';
export type { TrialStatus } from './trials.ts';
export { type OpenTrial, TrialStore } from './trials.ts';
