import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCostMeter } from '../../src/app/models.ts';
import { SessionBus } from '../../src/app/session-bus.ts';
import { createBroker, presetInfo } from '../../src/broker/index.ts';
import { DEFAULTS } from '../../src/config/config.ts';
import { Forms } from '../../src/engine/forms.ts';
import type { Question } from '../../src/session/question.ts';
import { type Bench, startEngine } from '../support/engine.ts';
import { type ScriptedServer, say, startScriptedServer } from '../support/scripted-server.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aish-meter-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const usage = { usage: { prompt: 1000, completion: 0 } };

/** An engine whose model `fast` costs a dollar per thousand tokens, with these limits. */
function metered(
  server: ScriptedServer,
  cost: { warn_at_dollars?: number; stop_at_dollars?: number },
  prices = { input: 1000, output: 0 },
) {
  const preset = { name: 'fast', baseUrl: server.baseUrl, model: 'm' };
  const broker = createBroker({
    presets: [preset],
    prepare: (name, messages, { counted, maxTokens }) => {
      const why = meter.refusal(name, { messages, ...(counted && { counted }), ...(maxTokens && { maxTokens }) });
      return why === undefined ? { messages } : { refused: why };
    },
  });
  const bus = new SessionBus();
  const meter = createCostMeter({
    config: {
      ...DEFAULTS,
      cost,
      models: { fast: { base_url: server.baseUrl, prices } },
    },
    configFile: join(dir, 'config.jsonc'),
    stateDir: dir,
    session: 's1',
    presets: [presetInfo(preset)],
    bus,
  });
  const bench = startEngine(preset, { services: { models: meter.metered(broker), spending: meter.spending } });
  bus.connect(bench.engine, new Forms(bench.engine));
  return { bench, meter, models: meter.metered(broker) };
}

async function ask({ engine, until }: Bench, text: string): Promise<void> {
  void engine.dispatch({ type: 'asked', line: engine.newLineId(), text });
  await until(() => ['idle', 'awaitingSpend'].includes(engine.conversation.phase.kind));
}

const notices = ({ engine }: Bench) =>
  engine.transcript.entries.flatMap(({ entry }) => (entry.kind === 'notice' ? [entry.text] : []));

describe('the spending meter', () => {
  it('counts each call when it ends, warns once, and adds the call’s cost to the total of all sessions', async () => {
    await using server = await startScriptedServer([say('a', usage), say('b', usage), say('c', usage)]);
    const { bench, meter } = metered(server, { warn_at_dollars: 1.5 });
    await using running = bench;
    for (const text of ['one', 'two', 'three']) await ask(running, text);
    expect(running.engine.state.costs.rows).toMatchObject([{ category: 'chat', calls: 3, dollars: 3 }]);
    expect(notices(running)).toEqual(['[aish] this session has cost $2.00 (cost.warn_at_dollars is $1.50)']);
    expect(await meter.days()).toMatchObject([{ model: 'm', calls: 3, dollars: 3 }]);
    expect(running.journal.filter(({ type }) => type === 'callCounted')).toHaveLength(3);
    meter.close();
  });

  it('lets a session spend one more allowance after a yes, and refuses calls that can’t ask the user', async () => {
    await using server = await startScriptedServer([say('a', usage), say('b', usage)]);
    const { bench, meter } = metered(server, { stop_at_dollars: 0.75 });
    await using running = bench;
    await ask(running, 'one');
    expect(meter.refusal('fast')).toBe(
      'the session has cost $1.00 of $0.75 (cost.stop_at_dollars), and calls to fast cost money',
    );
    await ask(running, 'two');
    const [question] = running.engine.state.questions;
    expect(question).toMatchObject({ kind: 'spend', spent: 1, limit: 0.75 });
    const { allowance } = question as Extract<Question, { kind: 'spend' }>;
    expect(allowance).toBeGreaterThanOrEqual(0.75);
    void running.engine.dispatch({ type: 'answered', question: question?.id ?? '', answer: { kind: 'proceed' } });
    await running.until(() => running.engine.conversation.phase.kind === 'idle');
    expect(running.engine.state).toMatchObject({ allowedDollars: 1 + allowance });
    meter.close();
  });

  it('with a limit of 0 asks before the first paid call, and makes it after a yes', async () => {
    await using server = await startScriptedServer([say('a', usage)]);
    const { bench, meter } = metered(server, { stop_at_dollars: 0 });
    await using running = bench;
    await ask(running, 'one');
    const [question] = running.engine.state.questions;
    expect(question).toMatchObject({ kind: 'spend', spent: 0, limit: 0 });
    expect(server.requests).toHaveLength(0);
    void running.engine.dispatch({ type: 'answered', question: question?.id ?? '', answer: { kind: 'proceed' } });
    await running.until(() => running.engine.conversation.phase.kind === 'idle');
    expect(server.requests).toHaveLength(1);
    meter.close();
  });

  it('asks before a call that could exceed the limit, for an allowance of at least the call’s possible cost', async () => {
    await using server = await startScriptedServer([say('a', usage), say('b', usage)], { window: 8000 });
    const { bench, meter } = metered(server, { stop_at_dollars: 0.1 }, { input: 0, output: 1000 });
    await using running = bench;
    await ask(running, 'one');
    expect(server.requests).toHaveLength(0);
    const [question] = running.engine.state.questions;
    expect(question).toMatchObject({ kind: 'spend', spent: 0, limit: 0.1 });
    void running.engine.dispatch({ type: 'answered', question: question?.id ?? '', answer: { kind: 'proceed' } });
    await running.until(() => running.engine.conversation.phase.kind === 'idle');
    const most = Number(server.requests[0]?.body.max_tokens);
    expect(question).toMatchObject({ estimate: most / 1000, allowance: most / 1000 });
    meter.close();
  });

  it('refuses the program’s own calls if they could exceed the limit', async () => {
    await using server = await startScriptedServer([say('a', usage)]);
    const { bench, meter, models } = metered(server, { stop_at_dollars: 2 }, { input: 0, output: 1000 });
    await using _running = bench;
    const options = { signal: new AbortController().signal, category: 'norris-preplan' } as const;
    const plan = (maxTokens: number) =>
      models.chat('fast', [{ role: 'user', content: 'x' }], { ...options, maxTokens });
    expect((await plan(2001)).failure?.message).toContain('the next call to fast may cost up to $2.00');
    expect((await plan(2000)).text).toBe('a');
    meter.close();
  });
});
