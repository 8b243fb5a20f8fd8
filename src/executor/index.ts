export { completeShell } from './completion/complete.ts';
export { type Daemon, startDaemon } from './daemon.ts';
export { editText } from './external-editor.ts';
export { isIncomplete } from './incomplete.ts';
export { JobRegistry } from './jobs.ts';
export { saveOutput } from './output-file.ts';
export { type OnceOptions, runForUser, runOnce } from './run-once.ts';
export { startUserShell, type UserShell, type UserShellOptions } from './shell.ts';
export { asCompanion, killTagged } from './watchdog.ts';
