/** What the agent changed is kept, and can be taken back (EF-1 … EF-3). */
export { FarStore } from './far-store.ts';
export { readSteps } from './launcher.ts';
export { ChangeStore, type Keeping } from './store.ts';
export { TrialStore } from './trials.ts';
