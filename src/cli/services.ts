/** Adapters: what the services offer → what the engine asks for. */
import type { AgentCommands, Jobs as EngineJobs } from '../engine/services.ts';
import { type Jobs, runOnce } from '../executor/index.ts';
import type { ModelJobs } from '../tools/index.ts';

/** The size a model's command sees; wide enough that tables do not wrap. */
const AGENT_TERMINAL = { cols: 120, rows: 40 } as const;

/**
 * Runs the model's commands, each in a fresh bash (EX-10).
 * @param environment the exported environment of the user's shell as of its last prompt
 */
export function agentCommands(
  environment: () => Promise<Readonly<Record<string, string>>>,
  dataDir: string,
): AgentCommands {
  return {
    async run(command, { cwd }) {
      return runOnce({ command, cwd, env: await environment(), ...AGENT_TERMINAL, dataDir });
    },
  };
}

export function engineJobs(jobs: Jobs): EngineJobs {
  return {
    adopt: (run, command, by) => jobs.start(run, { command, owner: by }),
    list: () =>
      jobs
        .list()
        .filter((job) => job.result === undefined)
        .map((job) => ({ id: job.id, command: job.command, by: job.owner, startedAt: job.since })),
    kill: (id) => jobs.kill(id),
  };
}

/** The model sees and stops its own jobs only. */
export function modelJobs(jobs: Jobs): ModelJobs {
  const own = (id: number) => jobs.find(id)?.owner === 'model';
  return {
    list: () =>
      jobs
        .list()
        .filter((job) => job.owner === 'model')
        .map((job) => ({ id: job.id, command: job.command, running: job.result === undefined })),
    read: (id) => (own(id) ? jobs.readSince(id) : undefined),
    stop: (id) => own(id) && jobs.kill(id),
  };
}
