/** A conversation with tool calls over a real llama.cpp server, measuring how much of each prompt was cached. */
import { startLlama } from '../broker/llama-server.ts';
import { startEngine } from './engine.ts';

/**
 * One call: tokens of its prompt, those processed again, those added since the last call, and whether turns were
 * evicted.
 */
export type CachedCall = {
  readonly prompt: number;
  readonly anew: number;
  readonly appended: number;
  readonly evicted: boolean;
};

/**
 * @param questions each makes two calls: one that runs a command, one that reports on it
 * @param context window in tokens
 */
export async function cacheRun(questions: number, context: number): Promise<readonly CachedCall[]> {
  await using llama = await startLlama(['-c', String(context)]);
  await using bench = startEngine(
    { name: 'fast', model: 'aish-tiny', baseUrl: llama.baseUrl },
    {
      settings: { maxTurns: 10_000 },
      services: {
        maxAnswerTokens: 256,
        systemPrompt: `You are a shell assistant. ${'Be careful and brief. '.repeat(40)}`,
      },
    },
  );
  for (let n = 0; n < questions; n += 1) {
    void bench.engine.dispatch({ type: 'asked', line: `l${n}`, text: `run \`seq ${n} ${n + 18}\`` });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  }
  const usages = bench.journal.flatMap((event) => (event.type === 'replyEnded' ? [event.reply.usage] : []));
  return usages.map((usage, index) => {
    const { promptTokens: prompt = 0, cachedTokens = 0 } = usage ?? {};
    const before = usages[index - 1]?.promptTokens ?? 0;
    // Only an eviction makes a prompt shorter.
    return { prompt, anew: prompt - cachedTokens, appended: Math.max(0, prompt - before), evicted: prompt < before };
  });
}
