import type { Broker, Preplanner } from '../contracts/models.ts';

/** What a plan may take (PP-1). */
const MAX_TOKENS = 800;
const MOST_MS = 60_000;

/** The system prompt of the planning call. */
function promptFor(tasksMax: number): string {
  return `You split a goal into tasks for another, smaller model that works in a shell, one task at a time.
Answer with one task a line, in the order they are to be done, each exactly of this form:

TASK: <imperative sentence, at most 80 characters>

At most ${tasksMax} tasks, as few as the goal needs. No prose, no numbering, nothing beside TASK: lines.`;
}

/** Asks a preset once for the tasks of a goal: not streamed, no tools, counted as `norris-preplan`. */
export function createPreplanner(broker: Broker, system: string | undefined, most = MOST_MS): Preplanner {
  return {
    async plan(preset, goal, tasksMax, signal) {
      const limit = AbortSignal.timeout(most);
      const messages = [
        { role: 'system', content: system ?? promptFor(tasksMax) },
        { role: 'user', content: goal },
      ] as const;
      const reply = await broker.chat(preset, messages, {
        signal: AbortSignal.any([signal, limit]),
        maxTokens: MAX_TOKENS,
        category: 'norris-preplan',
      });
      // What the user has aborted stays an abort, however long it took.
      if (reply.finish !== 'cancelled' || signal.aborted) return reply;
      const message = `${preset} gave no plan within ${most / 1000} s`;
      return { ...reply, finish: 'failed', failure: { kind: 'timeout', message } };
    },
  };
}
