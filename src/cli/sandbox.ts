import { spawn } from 'node:child_process';
import { LAUNCHER } from '../app/environment.ts';
import { overlapsThisProgram } from '../app/own-places.ts';
import { projectTree } from '../app/project-tree.ts';
import {
  createPrivateTmp,
  detectSandbox,
  projectArgv,
  sandboxArgv,
  sandboxEnvironment,
} from '../effects/sandbox/index.ts';
import { ownedPrefix } from '../executor/index.ts';
import { NO_TREE } from '../session/mode.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';

export type SandboxWish = {
  readonly argv: readonly string[];
  readonly mode: 'restricted' | 'project';
  readonly cwd: string;
  /** A time limit in seconds; then everything is killed. */
  readonly wallSeconds?: number;
};

/** A command in the kernel sandbox, ready to start; call `dispose` at its end. */
export type Sandboxed = {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly dispose: () => void;
};

/** Returns the command, or the reason why there is no sandbox. */
export async function prepareSandbox({ argv, mode, cwd, wallSeconds }: SandboxWish): Promise<Sandboxed | string> {
  const status = await detectSandbox({ launcher: LAUNCHER });
  if (!status.available) return `no kernel sandbox here: ${status.why}`;
  const project = mode === 'project' ? projectTree(cwd, overlapsThisProgram()) : undefined;
  if (mode === 'project' && status.noProject !== undefined) return `no Project mode here: ${status.noProject}`;
  if (mode === 'project' && project === undefined) return NO_TREE;
  const tmp = createPrivateTmp(ownedPrefix('sandbox'));
  const launch = { launcher: LAUNCHER, argv, cwd, statusFile: tmp.statusFile, tmpDir: tmp.path };
  const held = status.projectMissing !== undefined;
  const limits = wallSeconds === undefined ? {} : { limits: { wallSeconds } };
  return {
    argv: project === undefined ? sandboxArgv({ ...launch, ...limits }) : projectArgv({ ...launch, project, held }),
    env: sandboxEnvironment(process.env, project === undefined || held ? tmp.path : '/tmp'),
    dispose: () => tmp.dispose(),
  };
}

/** `aish-tui sandbox -- cmd …` (SB-5): returns the command's exit code. */
export async function runInSandbox(wish: Omit<SandboxWish, 'cwd'>, err: Writer): Promise<number> {
  const sandboxed = await prepareSandbox({ ...wish, cwd: process.cwd() });
  if (typeof sandboxed === 'string') {
    err(`aish-tui: ${sandboxed}\n`);
    return EXIT.usage;
  }
  try {
    const [file = '', ...rest] = sandboxed.argv;
    const child = spawn(file, rest, { stdio: 'inherit', env: sandboxed.env });
    // The terminal sends Ctrl-C to the command as well; this process waits for its end.
    process.on('SIGINT', () => {});
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
    });
  } finally {
    sandboxed.dispose();
  }
}
