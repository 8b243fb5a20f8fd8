/** The kernel sandbox: a small launcher written in C, and the functions that use it. */
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
