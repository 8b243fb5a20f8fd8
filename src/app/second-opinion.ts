import type { Broker } from '../contracts/models.ts';

/** Answers are one word; a thinking model needs room before it. */
const MAX_TOKENS = 256;

export type Opinion = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** The gate's second opinion over the broker (SF-4): no tools, not streamed, counted as `safety`. */
export function secondOpinion(broker: Broker, presetNow: () => string) {
  return async (system: string, user: string, signal: AbortSignal): Promise<Opinion> => {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ] as const;
    const reply = await broker.chat(presetNow(), messages, {
      signal,
      maxTokens: MAX_TOKENS,
      temperature: 0,
      category: 'safety',
    });
    if (reply.finish === 'failed' || reply.finish === 'cancelled') {
      return { ok: false, why: reply.failure?.message ?? 'cancelled' };
    }
    return { ok: true, text: reply.text };
  };
}
