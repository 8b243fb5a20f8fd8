/** Runs commands: the model's in a fresh shell, the user's background commands beside their shell. */
import type { AgentCommands, UserCommands } from '../contracts/commands.ts';
import { type OutputSize, sizeForModel } from '../engine/live.ts';
import { runForUser, runOnce, type UserShell } from '../executor/index.ts';
import { createPrivateTmp, lightArgv, sandboxArgv, sandboxEnvironment } from '../sandbox/index.ts';

export type AgentOptions = {
  /** The exported environment of the user's shell as of its last prompt. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** For full-output files. */
  readonly dataDir: string;
  readonly size: () => OutputSize;
  /** The sandbox launcher, where the sandbox is available. */
  readonly launcher?: string;
  /** Commands in Unrestricted run under the light profile. */
  readonly light: boolean;
};

/** Runs the model's commands, each in a fresh bash (EX-10), in Restricted behind the kernel sandbox (MO-2). */
export function agentCommands({ environment, dataDir, size, launcher, light }: AgentOptions): AgentCommands {
  return {
    async run(command, { cwd, restricted, signal, env: extra = {} }) {
      const env = await environment();
      // The shell may have started slowly; a command aborted meanwhile is not started.
      signal.throwIfAborted();
      const common = { command, cwd, ...sizeForModel(size()), dataDir };
      if (!restricted) {
        const wrap =
          launcher !== undefined && light
            ? { launcher: (argv: readonly string[]) => lightArgv({ launcher, argv, cwd }) }
            : {};
        return runOnce({ ...common, env: { ...env, ...extra }, ...wrap });
      }
      // Fail closed: what was judged under Restricted never runs without it.
      if (launcher === undefined) throw new Error('the kernel sandbox is not available');
      const tmp = createPrivateTmp();
      const wrap = (argv: readonly string[]) =>
        sandboxArgv({ launcher, argv, cwd, tmpDir: tmp.path, statusFile: tmp.statusFile });
      const running = runOnce({ ...common, env: { ...sandboxEnvironment(env, tmp.path), ...extra }, launcher: wrap });
      void running.result.finally(() => tmp.dispose());
      return running;
    },
  };
}

export type UserCommandOptions = Pick<AgentOptions, 'dataDir' | 'size'> & { readonly shell: Promise<UserShell> };

/** Runs the user's `:bg` commands: with their shell's program, directory and environment. */
export function userCommands({ shell, dataDir, size }: UserCommandOptions): UserCommands {
  return {
    async run(command) {
      const up = await shell;
      const env = await up.environment();
      return runForUser({ command, shell: up.program, cwd: up.cwd, env, ...size(), dataDir });
    },
  };
}
