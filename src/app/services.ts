/** Adapters: what the services offer → what the engine asks for. */
import { type OutputSize, sizeForModel } from '../engine/live.ts';
import type { AgentCommands, Jobs as EngineJobs } from '../engine/services.ts';
import { type Jobs, type RunningCommand, runForUser, runOnce, type UserShell } from '../executor/index.ts';
import { createPrivateTmp, lightArgv, sandboxArgv, sandboxEnvironment } from '../sandbox/index.ts';
import type { ModelJobs } from '../tools/index.ts';

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
      // The shell may have taken its time to come up; what was aborted meanwhile is not started any more.
      signal.throwIfAborted();
      const { columns: cols, rows } = sizeForModel(size());
      const common = { command, cwd, cols, rows, dataDir };
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

export type UserJobOptions = {
  readonly shell: Promise<UserShell>;
  readonly dataDir: string;
  readonly size: () => OutputSize;
};

/** Starts a background command of the user's (`:bg`): by their shell's program, where it is, with its environment. */
export async function userJob(command: string, { shell, dataDir, size }: UserJobOptions): Promise<RunningCommand> {
  const up = await shell;
  const { columns: cols, rows } = size();
  return runForUser({ command, shell: up.program, cwd: up.cwd, env: await up.environment(), cols, rows, dataDir });
}

/** @param launch starts a command in the user's name */
export function engineJobs(jobs: Jobs, launch: (command: string) => Promise<RunningCommand>): EngineJobs {
  return {
    start: async (command) => jobs.start(await launch(command), { command, owner: 'user' }),
    adopt: (run, command, by, mode) => jobs.start(run, { command, owner: by, ...(mode === undefined ? {} : { mode }) }),
    release: (id) => jobs.forget(id),
    list: () =>
      jobs
        .list()
        .filter((job) => job.result === undefined)
        .map(({ id, command, run, owner, since, mode }) => ({
          id,
          command,
          running: run,
          by: owner,
          startedAt: since,
          ...(mode === undefined ? {} : { mode }),
        })),
    kill: (id) => jobs.kill(id),
  };
}

/**
 * The model sees and stops its own jobs only.
 * @param hideEchoed puts the handles in `command` in place of what they stand for in `text`
 */
export function modelJobs(jobs: Jobs, hideEchoed: (command: string, text: string) => string): ModelJobs {
  const own = (id: number) => {
    const job = jobs.find(id);
    return job?.owner === 'model' ? job : undefined;
  };
  return {
    list: () =>
      jobs
        .list()
        .filter((job) => job.owner === 'model')
        .map((job) => ({ id: job.id, command: job.command, running: job.result === undefined })),
    read: (id) => {
      const job = own(id);
      const text = job && jobs.readSince(id);
      return text === undefined ? undefined : hideEchoed(job?.command ?? '', text);
    },
    stop: (id) => own(id) !== undefined && jobs.kill(id),
  };
}
