import { expect, it } from 'vitest';
import { llamaMissing } from '../broker/llama-server.ts';
import { cacheRun } from '../support/cache-run.ts';

const missing = llamaMissing();
if (missing !== undefined) console.log(`skipped: the prompt cache of a real llama.cpp server (${missing})`);

// The long form is `npm run bench -- context`.
it.skipIf(missing !== undefined)(
  'a real server processes only the new part of each prompt, except after old turns were dropped (CX-6)',
  async () => {
    const calls = await cacheRun(14, 3072);
    expect(calls).toHaveLength(28);
    expect(calls.some((call) => call.evicted)).toBe(true);
    const steady = calls.slice(1).filter((call) => !call.evicted);
    for (const { prompt, anew } of steady) expect(anew / prompt).toBeLessThan(0.15);
    // No text is processed twice: the server processes only the appended text.
    for (const { anew, appended } of steady) expect(anew).toBeLessThanOrEqual(appended + 4);
    for (const { prompt } of calls) expect(prompt + 256).toBeLessThanOrEqual(3072);
  },
);
