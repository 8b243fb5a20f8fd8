import { type Command, CommandError } from './command.ts';

/** `:jobs` (EX-8). */
export const jobs: Command = {
  name: 'jobs',
  usage: ':jobs',
  summary: 'list the background jobs',
  run({ engine }) {
    const { now } = engine.services;
    const rows = engine.services.jobs
      .list()
      .map(
        (job) =>
          `${job.id}  ${job.by.padEnd(5)}  ${(job.mode ?? '').padEnd(12)}  ${Math.round((now() - job.startedAt) / 1000)} s  ${job.command}`,
      );
    return rows.join('\n') || 'no jobs';
  },
};

/** `:kill N` (EX-8). */
export const kill: Command = {
  name: 'kill',
  usage: ':kill <job>',
  summary: 'end a background job',
  arguments: ({ engine }) =>
    engine.services.jobs.list().map(({ id, command }) => ({ word: String(id), note: command })),
  run({ engine }, rest) {
    const id = Number(rest);
    if (!Number.isInteger(id) || !engine.services.jobs.kill(id))
      throw new CommandError(`no job ${rest}; :jobs lists them`);
    return undefined;
  },
};
