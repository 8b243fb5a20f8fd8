import { describe, expect, it } from 'vitest';
import { createPreplanner, createSecondOpinion, watched } from '../../src/app/models.ts';
import { createBroker } from '../../src/broker/index.ts';
import { hold, say, startScriptedServer } from '../support/scripted-server.ts';

const brokerAt = (baseUrl: string) => createBroker({ presets: [{ name: 'cloud', baseUrl, model: 'm' }] });

describe('the planning call', () => {
  it('asks for a limited number of TASK: lines, without tools and streaming', async () => {
    await using server = await startScriptedServer([say('TASK: a')]);
    const { signal } = new AbortController();
    const planned = await createPreplanner(brokerAt(server.baseUrl), undefined).plan('cloud', 'tidy', 7, signal);
    expect(planned.text).toBe('TASK: a');
    const [request] = server.requests;
    expect(request?.system).toMatch(/TASK: <imperative sentence, at most 80 characters>/);
    expect(request?.system).toContain('At most 7 tasks');
    expect(request).toMatchObject({ stream: false, lastUser: 'tidy', toolNames: [] });
    expect(request?.body.max_tokens).toBe(800);
  });

  it('uses the user’s own prompt if there is one', async () => {
    await using server = await startScriptedServer([say('TASK: a')]);
    const { signal } = new AbortController();
    await createPreplanner(brokerAt(server.baseUrl), 'Plan in Latin.').plan('cloud', 'tidy', 7, signal);
    expect(server.requests[0]?.system).toBe('Plan in Latin.');
  });

  it('fails when it takes too long, and can be cancelled', async () => {
    await using server = await startScriptedServer([{ text: [hold('a')] }, { text: [hold('b')] }]);
    const slow = createPreplanner(brokerAt(server.baseUrl), undefined, 100);
    const late = await slow.plan('cloud', 'tidy', 7, new AbortController().signal);
    expect(late).toMatchObject({ finish: 'failed', failure: { message: 'cloud returned no plan within 0.1 s' } });
    const user = new AbortController();
    const patient = createPreplanner(brokerAt(server.baseUrl), undefined);
    const pending = patient.plan('cloud', 'tidy', 7, user.signal);
    await server.request(2);
    user.abort();
    expect((await pending).finish).toBe('cancelled');
  });
});

describe('a watched second opinion', () => {
  const NEVER = new AbortController().signal;

  it('reports a call that throws, and passes its error on', async () => {
    const told: unknown[] = [];
    const broken = () => Promise.reject(new Error('no such thing'));
    await expect(watched(broken, (failed) => told.push(failed))('', '', NEVER)).rejects.toThrow('no such thing');
    expect(told).toEqual([{ short: 'asking failed', why: 'no such thing' }]);
  });
});

describe('the second opinion', () => {
  const NEVER = new AbortController().signal;
  const opinionAt = (baseUrl: string, model: string, fields = {}) => {
    const broker = createBroker({ presets: [{ name: 'fast', baseUrl, model, fields }] });
    return createSecondOpinion(broker, () => 'fast');
  };

  it.each([
    ['Qwen3-8B', { chat_template_kwargs: { enable_thinking: false } }],
    ['deepseek-v3.1', { chat_template_kwargs: { thinking: false } }],
    ['gpt-oss:20b', { reasoning_effort: 'low' }],
    ['gpt-5-mini', { reasoning_effort: 'minimal' }],
  ])('asks %s not to think', async (model, fields) => {
    await using server = await startScriptedServer([say('NO')]);
    expect(await opinionAt(server.baseUrl, model)('judge', 'ls', NEVER)).toEqual({ ok: true, text: 'NO' });
    expect(server.requests[0]?.body).toMatchObject(fields);
  });

  it('adds no parameter against thinking for an unknown model family, and keeps the user’s own setting', async () => {
    await using server = await startScriptedServer([say('NO'), say('NO')]);
    await opinionAt(server.baseUrl, 'llama-3.1-8b')('judge', 'ls', NEVER);
    await opinionAt(server.baseUrl, 'gpt-oss', { reasoning_effort: 'high' })('judge', 'ls', NEVER);
    expect(server.requests[0]?.text).not.toMatch(/reasoning_effort|chat_template_kwargs/);
    expect(server.requests[1]?.body).toMatchObject({ reasoning_effort: 'high' });
  });

  it('reports once that a model spends its whole answer on thinking, and what to configure', async () => {
    await using server = await startScriptedServer([{ reasoning: 'hm, ', finish: 'length' }]);
    const ask = opinionAt(server.baseUrl, 'thinker');
    const first = await ask('judge', 'ls', NEVER);
    expect(first).toMatchObject({
      ok: false,
      short: expect.stringMatching(/safety\.llm_model.*models\.fast\.extra_body/),
    });
    expect(await ask('judge', 'ls', NEVER)).toEqual(first);
    expect(server.requests).toHaveLength(1);
  });
});
