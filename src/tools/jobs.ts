/** The built-in `jobs` tool (TO-5): the model looks after the background jobs that it started. */
import type { ToolSpec } from '../session/message.ts';
import type { BuiltinTool } from './registry.ts';

const SPEC: ToolSpec = {
  name: 'jobs',
  description:
    'Background jobs: without arguments lists yours; with id reads what one has printed since you last looked; ' +
    'with id and stop ends it.',
  parameters: {
    type: 'object',
    properties: { id: { type: 'integer', minimum: 1 }, stop: { type: 'boolean' } },
    additionalProperties: false,
  },
};

/** What the tool needs of the registry of jobs. Only the model's own jobs are its to see. */
export type ModelJobs = {
  list(): readonly { readonly id: number; readonly command: string; readonly running: boolean }[];
  /** Text printed since the last look; undefined when there is no such job. */
  read(id: number): string | undefined;
  stop(id: number): boolean;
};

/** Made over the registry that the executor keeps. */
export function jobsTool(jobs: ModelJobs): BuiltinTool {
  return {
    spec: SPEC,
    readOnly: true,
    judge: () => ({ destructive: false, reason: 'its own background jobs only', source: 'static' }),
    onlyReads: ({ stop }) => stop !== true,
    run: ({ id, stop }) => Promise.resolve(answer(jobs, id, stop === true)),
  };
}

function answer(jobs: ModelJobs, id: unknown, stop: boolean): { text: string; failed: boolean } {
  if (typeof id !== 'number') {
    const rows = jobs.list().map((job) => `${job.id}  ${job.running ? 'running' : 'ended'}  ${job.command}`);
    return { text: rows.join('\n') || 'no jobs', failed: false };
  }
  const text = jobs.read(id);
  if (text === undefined) return { text: `no job ${id}`, failed: true };
  if (stop)
    return jobs.stop(id)
      ? { text: `${text}\n[stopping]`, failed: false }
      : { text: `job ${id} has ended`, failed: true };
  return { text: text || '(nothing new)', failed: false };
}
