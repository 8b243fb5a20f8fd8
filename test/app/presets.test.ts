/** How a preset's configuration shapes its requests (BR-7). */
import { describe, expect, it } from 'vitest';
import { choosePresets } from '../../src/app/presets.ts';
import { createBroker } from '../../src/broker/index.ts';
import { DEFAULTS } from '../../src/config/config.ts';
import type { ModelConfig } from '../../src/config/index.ts';
import { converse } from '../broker/talk.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

type Environment = Readonly<Record<string, string>>;

async function brokerOf(base_url: string, model: Partial<ModelConfig>, env: Environment = {}) {
  const config = { ...DEFAULTS, models: { fast: { base_url, ...model } } };
  return createBroker({ presets: (await choosePresets(config, env, undefined)).list });
}

describe('the parameters of a preset', () => {
  it('are in each request, under the names that the server uses', async () => {
    await using server = await startScriptedServer([say('Yes.')]);
    const broker = await brokerOf(server.baseUrl, {
      temperature: 0.2,
      top_p: 0.9,
      reasoning_effort: 'low',
      max_answer_tokens: 900,
      extra_body: { provider: { order: ['a', 'b'] }, chat_template_kwargs: { enable_thinking: false } },
    });
    await converse(broker, { maxTokens: 2048 });
    expect(server.requests[0]?.body).toMatchObject({
      temperature: 0.2,
      top_p: 0.9,
      reasoning_effort: 'low',
      max_tokens: 900,
      provider: { order: ['a', 'b'] },
      chat_template_kwargs: { enable_thinking: false },
      stream: true,
    });
  });

  it('are overridden by what a call needs: a second opinion has a temperature of 0', async () => {
    await using server = await startScriptedServer([say('NO')]);
    const broker = await brokerOf(server.baseUrl, { temperature: 0.7, max_answer_tokens: 900 });
    await converse(broker, { temperature: 0, maxTokens: 256, category: 'safety' });
    expect(server.requests[0]?.body).toMatchObject({ temperature: 0, max_tokens: 256 });
  });

  it('leave a request unchanged where none are set', async () => {
    await using server = await startScriptedServer([say('Yes.')]);
    await converse(await brokerOf(server.baseUrl, {}));
    expect(Object.keys(server.requests[0]?.body ?? {})).toEqual([
      'model',
      'messages',
      'tools',
      'stream',
      'stream_options',
    ]);
  });

  it('that limit an answer’s length also count in the token budget', async () => {
    await using server = await startScriptedServer([]);
    const broker = await brokerOf(server.baseUrl, { max_answer_tokens: 900 });
    const signal = AbortSignal.timeout(10_000);
    expect(await broker.measure('fast', { head: 'x', texts: [], signal })).toMatchObject({ maxAnswer: 900 });
  });
});

describe('headers and extra_body', () => {
  const MODEL = {
    headers: { 'X-Team': `team-\${TEAM}`, Authorization: `Token \${GATEWAY_TOKEN}` },
    extra_body: { user: `\${TEAM}`, metadata: { plain: 'as it is: $TEAM' } },
  };

  it('take values from the environment, also for calls outside the conversation', async () => {
    await using server = await startScriptedServer([say('Yes.')]);
    const broker = await brokerOf(server.baseUrl, MODEL, { TEAM: 'blue', GATEWAY_TOKEN: 'abc' });
    expect((await converse(broker)).reply.text).toBe('Yes.');
    const [request] = server.requests;
    expect(request?.headers).toMatchObject({ 'x-team': 'team-blue', authorization: 'Token abc' });
    expect(request?.body).toMatchObject({ user: 'blue', metadata: { plain: 'as it is: $TEAM' } });
  });

  it('stop the request when a variable is not set, and name the variable', async () => {
    await using server = await startScriptedServer([say('Yes.')]);
    const { failure } = (await converse(await brokerOf(server.baseUrl, MODEL, { TEAM: 'blue' }))).reply;
    expect(failure?.message).toBe(
      'nothing was sent to fast (fast): models.fast.headers.Authorization needs the environment variable GATEWAY_TOKEN, which is not set',
    );
    expect(server.requests).toEqual([]);
  });
});
