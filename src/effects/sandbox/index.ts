/** The kernel sandbox: a small launcher in C, and what the program needs to know of it. */
export { compileLauncher } from './compile.ts';
export { detectSandbox, type SandboxStatus, whyOpen } from './detect.ts';
export { sandboxEnvironment } from './environment.ts';
export { findLauncher, launcherPackage, runsOn } from './find.ts';
export {
  createPrivateTmp,
  type LauncherStatus,
  lightArgv,
  type PrivateTmp,
  projectArgv,
  type SandboxLimits,
  sandboxArgv,
  statusOf,
  supervisedArgv,
  trialArgv,
} from './launch.ts';
