export { completeShell } from './completion/complete.ts';
export { type Daemon, startDaemon } from './daemon.ts';
export { isIncomplete } from './incomplete.ts';
export { createJobs, type Job, type JobMeta, type Jobs } from './jobs.ts';
export { type OnceOptions, runOnce } from './once.ts';
export type { RunningCommand } from './running.ts';
export type { LiveOutput } from './screen.ts';
export { startUserShell, type UserShell, type UserShellOptions } from './shell.ts';
export { killTagged } from './watchdog.ts';
