/** Records what the agent changes, and undoes it (EF-1 … EF-3). */

export { diskHere, diskThere } from './disk.ts';
export { behindTrial, prepareTrial, probeTrials, type TrialLaunch, viewHere } from './local-trials.ts';
export { entriesAt, seenAt, spelledBytes, waysThrough } from './paths.ts';
export { ChangeStore, type Keeping } from './store.ts';
export type { TrialStatus } from './trials.ts';
export { type OpenTrial, SHARED_PLACES, TrialStore } from './trials.ts';
