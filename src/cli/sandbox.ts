import { spawn } from 'node:child_process';
import { LAUNCHER } from '../app/environment.ts';
import { createPrivateTmp, detectSandbox, sandboxArgv, sandboxEnvironment } from '../sandbox/index.ts';
import { EXIT } from './exit-codes.ts';
import type { Writer } from './print.ts';

/** `aish-tui sandbox -- cmd …` (SB-5): its exit code is the command's own. */
export async function runInSandbox(argv: readonly string[], err: Writer): Promise<number> {
  const status = await detectSandbox({ launcher: LAUNCHER });
  if (!status.available) {
    err(`aish-tui: no kernel sandbox here: ${status.why}\n`);
    return EXIT.usage;
  }
  const tmp = createPrivateTmp();
  try {
    const [file = '', ...rest] = sandboxArgv({
      launcher: LAUNCHER,
      argv,
      cwd: process.cwd(),
      tmpDir: tmp.path,
      statusFile: tmp.statusFile,
    });
    const child = spawn(file, rest, { stdio: 'inherit', env: sandboxEnvironment(process.env, tmp.path) });
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
