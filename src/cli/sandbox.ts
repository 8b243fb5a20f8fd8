import { spawn } from 'node:child_process';
import { LAUNCHER } from '../app/environment.ts';
import { projectTree } from '../app/project-tree.ts';
import { createPrivateTmp, detectSandbox, projectArgv, sandboxArgv, sandboxEnvironment } from '../sandbox/index.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';

/** `aish-tui sandbox -- cmd …` (SB-5): its exit code is the command's own. */
export async function runInSandbox(
  { argv, mode }: { readonly argv: readonly string[]; readonly mode: 'restricted' | 'project' },
  err: Writer,
): Promise<number> {
  const status = await detectSandbox({ launcher: LAUNCHER });
  if (!status.available) {
    err(`aish-tui: no kernel sandbox here: ${status.why}\n`);
    return EXIT.usage;
  }
  const project = mode === 'project' ? projectTree(process.cwd()) : undefined;
  if (mode === 'project' && (project === undefined || status.noProject !== undefined)) {
    err(`aish-tui: no Project mode here: ${status.noProject ?? 'this directory is no project'}\n`);
    return EXIT.usage;
  }
  const tmp = createPrivateTmp();
  try {
    const launch = { launcher: LAUNCHER, argv, cwd: process.cwd(), statusFile: tmp.statusFile };
    const [file = '', ...rest] =
      project === undefined ? sandboxArgv({ ...launch, tmpDir: tmp.path }) : projectArgv({ ...launch, project });
    const env = sandboxEnvironment(process.env, project === undefined ? tmp.path : '/tmp');
    const child = spawn(file, rest, { stdio: 'inherit', env });
    // The terminal sends Ctrl-C to the command as well; this process waits for its end.
    process.on('SIGINT', () => {});
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
    });
  } finally {
    tmp.dispose();
  }
}
