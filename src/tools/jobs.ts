/** The built-in `jobs` tool (TO-5): the model looks after the background jobs that it started. */
import type { Jobs } from '../contracts/commands.ts';
import type { ToolOutcome } from '../contracts/tools.ts';
import type { ToolSpec } from '../session/message.ts';
import type { BuiltinTool } from './registry.ts';

const SPEC: ToolSpec = {
  name: 'jobs',
  description:
    'Your background jobs: without arguments lists them; id reads what one has printed since the last look; stop ends it.',
  parameters: {
    type: 'object',
    properties: { id: { type: 'integer', minimum: 1 }, stop: { type: 'boolean' } },
    additionalProperties: false,
  },
};

/**
 * The model sees and stops its own jobs only.
 * @param hideEchoed puts the handles in `command` in place of what they stand for in `text`
 */
export function jobsTool(jobs: Jobs, hideEchoed: (command: string, text: string) => string): BuiltinTool {
  const own = () => jobs.list().filter((job) => job.owner === 'model');

  function answer(id: unknown, stop: boolean): ToolOutcome {
    if (typeof id !== 'number') {
      const rows = own().map((job) => `${job.id}  ${job.result ? 'ended' : 'running'}  ${job.command}`);
      return { text: rows.join('\n') || 'no jobs', failed: false };
    }
    const job = own().find((candidate) => candidate.id === id);
    if (!job) return { text: `no job ${id}`, failed: true };
    const text = hideEchoed(job.command, jobs.readSince(id) ?? '');
    if (!stop) return { text: text || '(nothing new)', failed: false };
    return jobs.kill(id)
      ? { text: `${text}\n[stopping]`, failed: false }
      : { text: `job ${id} has ended`, failed: true };
  }

  return {
    spec: SPEC,
    readOnly: true,
    judge: () => ({ destructive: false, reason: 'its own background jobs only', source: 'static' }),
    onlyReads: ({ stop }) => stop !== true,
    run: ({ id, stop }) => Promise.resolve(answer(id, stop === true)),
  };
}
