/** The program's own model calls, one question each: the plan of a run (PP-1), the gate's second opinion (SF-4). */
import type { Broker, Preplanner } from '../contracts/models.ts';
import type { CallFailure } from '../session/message.ts';
import { messageOf } from '../text/errors.ts';

const PLAN_MAX_TOKENS = 800;
const PLAN_TIMEOUT_MS = 60_000;
/** Answers are one word; a thinking model needs room before it. */
const OPINION_MAX_TOKENS = 256;

/** The system prompt of the planning call. */
function promptFor(tasksMax: number): string {
  return `You split a goal into tasks for another, smaller model that works in a shell, one task at a time.
Answer with one task a line, in the order they are to be done, each exactly of this form:

TASK: <imperative sentence, at most 80 characters>

At most ${tasksMax} tasks, as few as the goal needs. No prose, no numbering, nothing beside TASK: lines.`;
}

/** Asks a preset once for the tasks of a goal: not streamed, no tools, counted as `norris-preplan`. */
export function createPreplanner(
  broker: Pick<Broker, 'chat'>,
  system: string | undefined,
  timeoutMs = PLAN_TIMEOUT_MS,
): Preplanner {
  return {
    async plan(preset, goal, tasksMax, signal) {
      const limit = AbortSignal.timeout(timeoutMs);
      const messages = [
        { role: 'system', content: system ?? promptFor(tasksMax) },
        { role: 'user', content: goal },
      ] as const;
      const reply = await broker.chat(preset, messages, {
        signal: AbortSignal.any([signal, limit]),
        maxTokens: PLAN_MAX_TOKENS,
        category: 'norris-preplan',
      });
      // A call that the user aborted counts as aborted, not as timed out.
      if (reply.finish !== 'cancelled' || signal.aborted) return reply;
      const message = `${preset} returned no plan within ${timeoutMs / 1000} s`;
      return { ...reply, finish: 'failed', failure: { kind: 'timeout', message } };
    },
  };
}

type Opinion =
  | { readonly ok: true; readonly text: string }
  /** `short`: a few words of our own; `why`: the whole line, for the log. */
  | { readonly ok: false; readonly short: string; readonly why: string };

/**
 * Why there is no second opinion. The words are ours: it is told beside questions about what a model wants to run. Only what was
 * refused has its own, one clean line, since often nothing was sent.
 */
const SHORT: Readonly<Record<Exclude<CallFailure['kind'], 'refused'>, string>> = {
  unreachable: 'nothing answers at its address',
  auth: 'its key is not accepted',
  loading: 'its model is still loading',
  busy: 'its server is busy',
  overflow: 'its window is too small',
  server: 'its server failed',
  protocol: 'its server sends what is no answer',
  timeout: 'it takes too long',
  cut: 'its answer ended early',
  'unknown-preset': 'there is no such preset',
};

/** The gate's second opinion: no tools, not streamed, counted as `safety`. */
export function createSecondOpinion(broker: Pick<Broker, 'chat'>, presetNow: () => string) {
  return async (system: string, user: string, signal: AbortSignal): Promise<Opinion> => {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ] as const;
    const reply = await broker.chat(presetNow(), messages, {
      signal,
      maxTokens: OPINION_MAX_TOKENS,
      temperature: 0,
      category: 'safety',
    });
    if (reply.finish === 'failed' || reply.finish === 'cancelled') {
      const { kind, message } = reply.failure ?? { message: 'cancelled' };
      return { ok: false, short: kind === undefined || kind === 'refused' ? message : SHORT[kind], why: message };
    }
    return { ok: true, text: reply.text };
  };
}

type Failed = Pick<Extract<Opinion, { ok: false }>, 'short' | 'why'>;

/** The same, where `onEnd` is told why each call failed or what it threw, or undefined. One that was cancelled says nothing. */
export function watched(
  ask: (system: string, user: string, signal: AbortSignal) => Promise<Opinion>,
  onEnd: (failed: Failed | undefined) => void,
): typeof ask {
  return async (system, user, signal) => {
    const opinion = await ask(system, user, signal).catch((error: unknown) => {
      if (!signal.aborted) onEnd({ short: 'asking failed', why: messageOf(error) });
      throw error;
    });
    const timedOut = signal.aborted && signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
    if (opinion.ok) onEnd(undefined);
    else if (!signal.aborted || timedOut) onEnd(timedOut ? { short: SHORT.timeout, why: 'it took too long' } : opinion);
    return opinion;
  };
}
