import { expect, it } from 'vitest';
import { startEngine } from '../support/engine.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';
import { startWindowServer } from '../support/window-server.ts';

const PASTE = 'one line of a log that somebody pasted, with words and numbers 1234567\n'.repeat(400);

async function asked(
  preset: Parameters<typeof startEngine>[0],
  services: { maxAnswerTokens: number; tokenBudget?: number },
) {
  await using bench = startEngine(preset, { services });
  void bench.engine.dispatch({ type: 'asked', line: 'l', text: `What is wrong here?\n${PASTE}` });
  await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  const { entries } = bench.engine.transcript;
  const notices = entries.flatMap(({ entry }) => (entry.kind === 'notice' ? [entry.text] : []));
  return { notices, last: entries.at(-1)?.entry, conversation: bench.engine.conversation };
}

it('a window smaller than configured is learned from the refusal, and the request is repeated shorter, with a message of one line', async () => {
  await using server = await startWindowServer({
    window: 4096,
    tokenizer: 'cl100k',
    tells: ['usage'],
    script: () => ({ text: 'Nothing is wrong.' }),
  });
  const { notices, last } = await asked(
    { name: 'fast', model: 'm', baseUrl: server.baseUrl, context: 32_768 },
    { maxAnswerTokens: 512 },
  );
  expect(server.requests.map(({ refused }) => refused)).toEqual([true, false]);
  expect(
    notices.filter((text) =>
      /too long, \d+ tokens for a window of 4096.*; retrying with a shorter request$/.test(text),
    ),
  ).toHaveLength(1);
  expect(notices.filter((text) => /shortened/.test(text))).toEqual([
    '[aish] 1 long text was shortened to fit the window of fast (4096 tokens)',
  ]);
  expect(last).toMatchObject({ kind: 'assistant', text: 'Nothing is wrong.' });
  expect(server.requests[1]?.messages.at(-1)?.content).toMatch(/^What is wrong here\?[\s\S]*lines omitted/);
});

it.each([
  "This model's maximum context length is exceeded",
  "This model's maximum context length is 16384 tokens, which is not enough",
])('a refusal without usable numbers (%s) leads to one repeated, shorter request', async (message) => {
  const refusal = { status: 400, message };
  await using server = await startScriptedServer([{ error: refusal }, { error: refusal }, say('never')]);
  const { notices } = await asked(
    { name: 'fast', model: 'm', baseUrl: server.baseUrl, context: 16_384 },
    { maxAnswerTokens: 512 },
  );
  expect(server.requests).toHaveLength(2);
  expect(server.requests[1]?.text.length).toBeLessThan((server.requests[0]?.text.length ?? 0) * 0.8);
  expect(notices.filter((text) => /retrying with a shorter request/.test(text))).toHaveLength(1);
});

it.each([
  "This model's maximum context length is 6000 tokens. However, your messages resulted in 9500 tokens.",
  "This model's maximum context length is 6000 tokens. However, you requested 10012 tokens (9500 in the messages, 512 in the completion).",
  "You passed 9500 input tokens and requested 512 output tokens. However, the model's context length is only 6000 tokens",
])('a refusal in words is understood: %s', async (message) => {
  await using server = await startScriptedServer([{ error: { status: 400, message } }, say('fine')]);
  const preset = { name: 'fast', model: 'm', baseUrl: server.baseUrl, context: 16_384 };
  const { notices, conversation } = await asked(preset, { maxAnswerTokens: 512 });
  expect(notices.join()).toContain('9500 tokens for a window of 6000');
  expect(conversation.budget).toMatchObject({ window: 6000, source: 'learned' });
  expect(conversation.budget?.factor).toBeGreaterThanOrEqual(1);
});

it('a server that silently reads only part of the prompt is detected by its token count, and gets one shorter request', async () => {
  await using server = await startScriptedServer([
    { ...say('An answer to half of it.'), usage: { prompt: 2048, completion: 5 } },
    { ...say('An answer to what fits.'), usage: { prompt: 1400, completion: 5 } },
  ]);
  const { notices, last, conversation } = await asked(
    { name: 'fast', model: 'm', baseUrl: server.baseUrl, context: 16_384 },
    { maxAnswerTokens: 512 },
  );
  expect(notices.join('\n')).toMatch(
    /fast read only 2048 of about \d+ tokens: it cuts long conversations silently.*; retrying/,
  );
  expect(last).toMatchObject({ text: 'An answer to what fits.' });
  // Half of the configured window: one odd count does not prove more.
  expect(conversation.budget).toMatchObject({ window: 8192, source: 'learned' });
  expect(server.requests[1]?.text.length).toBeLessThan((server.requests[0]?.text.length ?? 0) * 0.9);
  // The question itself is shortened, not lost.
  expect(server.requests[1]?.messages[1]?.content).toMatch(/^What is wrong here\?[\s\S]*lines omitted/);
});

it.each([
  ['only what was not in its cache', 30],
  ['next to nothing', 900],
])('a server that counts %s is not mistaken for one that cuts the prompt', async (_what, prompt) => {
  await using server = await startScriptedServer([{ ...say('fine'), usage: { prompt, completion: 5 } }]);
  const { last, conversation } = await asked(
    { name: 'fast', model: 'm', baseUrl: server.baseUrl, context: 16_384 },
    { maxAnswerTokens: 512 },
  );
  expect(last).toMatchObject({ text: 'fine' });
  expect(conversation.budget).toMatchObject({ window: 16_384, source: 'config' });
});

it('a server that seems to cut the prompt twice is taken to count differently, and its window is trusted again', async () => {
  const answer = (prompt: number) => ({ ...say('fine'), usage: { prompt, completion: 5 } });
  await using server = await startScriptedServer([answer(5000), answer(1025), answer(1025)]);
  const preset = { name: 'fast', model: 'm', baseUrl: server.baseUrl, context: 16_384 };
  await using bench = startEngine(preset, { services: { maxAnswerTokens: 512 } });
  for (const line of ['first', 'second']) {
    void bench.engine.dispatch({ type: 'asked', line, text: `${line} ${PASTE}` });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  }
  expect(server.requests).toHaveLength(3);
  expect(bench.engine.conversation.budget).toMatchObject({ window: 16_384, source: 'config' });
});

it('token_budget limits the request to less than the window, and the answer keeps its room when it is small', async () => {
  await using server = await startWindowServer({
    window: 16_384,
    tokenizer: 'o200k',
    tells: ['props', 'usage'],
    script: () => ({ text: 'fine' }),
  });
  const preset = { name: 'fast', model: 'm', baseUrl: server.baseUrl };
  const { conversation, notices } = await asked(preset, { maxAnswerTokens: 8192, tokenBudget: 2000 });
  expect(server.requests[0]?.tokens).toBeLessThanOrEqual(2000);
  expect(server.requests[0]?.answer).toBe(4096);
  expect(conversation.budget).toMatchObject({ window: 16_384, requestLimit: 2000, source: 'server' });
  // The line names the limit that applied, which is not the window.
  expect(notices).toContain('[aish] 1 long text was shortened to fit token_budget (2000 tokens)');
});

it('a token_budget that leaves no room is named instead of the window', async () => {
  await using server = await startScriptedServer([say('never')]);
  await using bench = startEngine(
    { name: 'fast', model: 'm', baseUrl: server.baseUrl, context: 32_768 },
    { services: { systemPrompt: 'You are very careful. '.repeat(400), tokenBudget: 1000 } },
  );
  void bench.engine.dispatch({ type: 'asked', line: 'l', text: 'hello' });
  await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  const { entry } = bench.engine.transcript.entries.at(-1) ?? {};
  expect(JSON.stringify(entry)).toMatch(/token_budget \(1000 tokens\) is too small: the system prompt.*raise it/);
  expect(server.requests).toEqual([]);
});

it('a system prompt that leaves no room is reported, and nothing is sent', async () => {
  await using server = await startScriptedServer([say('never')]);
  await using bench = startEngine(
    { name: 'fast', model: 'm', baseUrl: server.baseUrl, context: 2048 },
    { services: { systemPrompt: 'You are very careful. '.repeat(400) } },
  );
  void bench.engine.dispatch({ type: 'asked', line: 'l', text: 'hello' });
  await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  const { entry } = bench.engine.transcript.entries.at(-1) ?? {};
  expect(entry).toMatchObject({ kind: 'notice', level: 'error' });
  expect(JSON.stringify(entry)).toMatch(/window of fast is too small.*of its 2048 tokens/);
  expect(server.requests).toEqual([]);
});

it('an unknown window is assumed to be small, with one message', async () => {
  await using server = await startScriptedServer([say('one'), say('two')], { window: 0 });
  await using bench = startEngine({ name: 'fast', model: 'other', baseUrl: server.baseUrl });
  for (const text of ['first', 'second']) {
    void bench.engine.dispatch({ type: 'asked', line: text, text });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  }
  const said = bench.engine.transcript.entries.filter(({ entry }) => JSON.stringify(entry).includes('is not known'));
  expect(said).toHaveLength(1);
  expect(said[0]?.entry).toMatchObject({
    text: '[aish] the window of fast is not known; 4096 tokens are assumed (models.fast.context sets it)',
  });
});
