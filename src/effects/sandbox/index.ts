/** The kernel sandbox: a small launcher in C, and what the program needs to know of it. */
export { compileLauncher } from './compile.ts';
export { detectSandbox, type SandboxStatus, whyOpen } from './detect.ts';
export {
  createPrivateTmp,
  endedWith,
  findLauncher,
  type LauncherStatus,
  launcherPackage,
  lightArgv,
  type PrivateTmp,
  projectArgv,
  runsOn,
  type SandboxLimits,
  sandboxArgv,
  sandboxEnvironment,
  statusOf,
  supervisedArgv,
  trialArgv,
} from './launch.ts';
