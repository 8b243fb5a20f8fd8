/** Turns that leave the context are summarised by a model (CX-8). */
import { describe, expect, it } from 'vitest';
import { foldEvents } from '../../src/engine/transcript.ts';
import { startEngine } from '../support/engine.ts';
import { say, startScriptedServer, type Turn, whenever } from '../support/scripted-server.ts';

const LONG = 'The build fails in src/parse.c since the table of states has a hole. '.repeat(30);
const asksForSummary = /You shorten the record/;
const SUMMARY = say('The user mends src/parse.c. Open: state 7.', { usage: { prompt: 900, completion: 40 } });

type Server = Awaited<ReturnType<typeof startScriptedServer>>;
type Change = Parameters<typeof startEngine>[1];

/** An engine in a window of 20,000 tokens, of which a request may take 3,000. */
function bench(server: Server, change: Change = {}) {
  const services = { summaries: { automatic: true }, tokenBudget: 3000, ...change?.services };
  const preset = { name: 'fast', baseUrl: server.baseUrl, model: 'm', context: 20_000 };
  return startEngine(preset, { ...change, services });
}

type Bench = ReturnType<typeof bench>;

async function ask({ engine, until }: Bench, text: string): Promise<void> {
  void engine.dispatch({ type: 'asked', line: engine.newLineId(), text });
  await until(() => engine.conversation.phase.kind === 'idle' && engine.conversation.inbox.length === 0);
}

async function askOften(running: Bench, times: number): Promise<void> {
  for (let n = 1; n <= times; n += 1) await ask(running, `Question ${n}. ${LONG}`);
}

const answers = (count: number): Turn[] => Array.from({ length: count }, (_, n) => say(`Answer ${n + 1}.`));
const notices = ({ engine }: Bench) =>
  engine.transcript.entries.flatMap(({ entry }) => (entry.kind === 'notice' ? [entry.text] : []));
const summaries = (server: Server) => server.requests.filter(({ text }) => asksForSummary.test(text));
const others = (server: Server) => server.requests.filter(({ text }) => !asksForSummary.test(text));

describe('turns that no longer fit', () => {
  it('are summarised once, and the summary replaces them in all later requests', async () => {
    await using server = await startScriptedServer([whenever(asksForSummary, SUMMARY), ...answers(8)]);
    await using running = bench(server);
    await askOften(running, 7);
    const [first, ...more] = summaries(server);
    expect(first?.lastUser).toMatch(/^Record:\nUser: Question 1\. .*Assistant: Answer 1\./s);
    expect(more.length).toBeLessThan(3);
    expect(notices(running)[0]).toMatch(/^\[aish\] \d+ turns were summarised by fast; :history shows the summary$/);
    const last = others(server).at(-1);
    expect(last?.messages[1]?.content).toContain(
      '[aish] summary (written by the model):\nThe user mends src/parse.c. Open: state 7.',
    );
    expect(last?.text).not.toContain('Question 1.');
    expect(last?.lastUser).toContain('Question 7.');
    const { summary, evictedTurns } = running.engine.conversation;
    expect(summary?.upTo).toBe(evictedTurns);
  });

  it('change the start of a request only where a summary replaces them', async () => {
    await using server = await startScriptedServer([whenever(asksForSummary, SUMMARY), ...answers(16)]);
    await using running = bench(server);
    await askOften(running, 12);
    const sent = others(server).map(({ messages }) => JSON.stringify(messages).slice(0, -1));
    const changed = sent.slice(1).filter((text, at) => !text.startsWith(sent[at] ?? ''));
    expect(changed).toHaveLength(summaries(server).length);
    expect(changed.length).toBeGreaterThan(1);
  });

  it('are summarised together with the earlier summary', async () => {
    await using server = await startScriptedServer([whenever(asksForSummary, SUMMARY), ...answers(16)]);
    await using running = bench(server);
    await askOften(running, 12);
    const [, second] = summaries(server);
    expect(second?.lastUser).toMatch(
      /^Summary of what came before:\nThe user mends src\/parse\.c\. Open: state 7\.\n\nRecord:/,
    );
    expect(second?.lastUser).not.toContain('Question 1.');
  });

  it('leave a journal from which the same conversation is rebuilt', async () => {
    await using server = await startScriptedServer([whenever(asksForSummary, SUMMARY), ...answers(8)]);
    await using running = bench(server);
    await askOften(running, 7);
    const { state } = foldEvents(running.journal, running.engine.state.root);
    expect(state.sessions[state.root]).toEqual(running.engine.conversation);
  });

  it('are summarised by another preset where one is named, in pieces that fit its window', async () => {
    await using server = await startScriptedServer(answers(8));
    await using small = await startScriptedServer([whenever(asksForSummary, SUMMARY)]);
    const presets = [{ name: 'small', baseUrl: small.baseUrl, model: 's', context: 1500 }];
    await using running = bench(server, { presets, services: { summaries: { automatic: true, preset: 'small' } } });
    await askOften(running, 7);
    expect(summaries(server)).toEqual([]);
    expect(summaries(small).length).toBeGreaterThan(1);
    for (const { text } of small.requests) expect(text.length / 3).toBeLessThan(1500);
    expect(notices(running)[0]).toContain('summarised by small');
  });

  it.each([
    ['an error', { error: { status: 500, message: 'out of memory' } }],
    ['an empty answer', say('')],
  ])('are dropped as before after %s, with one message', async (_what, turn) => {
    await using server = await startScriptedServer([whenever(asksForSummary, turn), ...answers(16)]);
    await using running = bench(server);
    await askOften(running, 12);
    expect(notices(running).filter((text) => text.startsWith('[aish] no summary was written: '))).toHaveLength(1);
    expect(running.engine.conversation.evictedTurns).toBeGreaterThan(0);
    expect(running.engine.conversation.summary).toBeUndefined();
  });

  it.each([
    ['where it is switched off', { services: { summaries: { automatic: false } } }, 20_000],
    ['in a window below 16,000 tokens', {}, 15_900],
  ])('are dropped without a request %s', async (_where, change, context) => {
    await using server = await startScriptedServer(answers(8));
    const services = {
      summaries: { automatic: true },
      tokenBudget: 3000,
      ...('services' in change && change.services),
    };
    const preset = { name: 'fast', baseUrl: server.baseUrl, model: 'm', context };
    await using running = startEngine(preset, { services });
    await askOften(running, 7);
    expect(summaries(server)).toEqual([]);
    expect(running.engine.conversation.evictedTurns).toBeGreaterThan(0);
  });
});

describe(':compact', () => {
  it('summarises everything so far at once, and the next question follows the summary', async () => {
    await using server = await startScriptedServer([whenever(asksForSummary, SUMMARY), ...answers(3)]);
    await using running = bench(server, { services: { summaries: { automatic: false } } });
    await ask(running, 'Question 1.');
    await ask(running, 'Question 2.');
    void running.engine.dispatch({ type: 'compactAsked' });
    await running.until(() => running.engine.conversation.phase.kind === 'idle');
    expect(running.engine.conversation).toMatchObject({ summary: { upTo: 4 }, evictedTurns: 4 });
    await ask(running, 'Question 3.');
    const last = others(server).at(-1);
    expect(last?.messages).toHaveLength(2);
    expect(last?.lastUser).toMatch(/summary \(written by the model\):\nThe user mends .*\n\nQuestion 3\.$/s);
  });

  it('ends with a reason when no summary comes, and changes nothing', async () => {
    await using server = await startScriptedServer([whenever(asksForSummary, say('')), ...answers(2)]);
    await using running = bench(server);
    await ask(running, 'Question 1.');
    void running.engine.dispatch({ type: 'compactAsked' });
    await running.until(() => running.engine.conversation.phase.kind === 'idle');
    expect(notices(running)).toEqual(['[aish] not summarised: fast gave an empty answer']);
    expect(running.engine.conversation.summary).toBeUndefined();
  });

  it('can be aborted', async () => {
    await using server = await startScriptedServer([
      ...answers(1),
      { when: asksForSummary, text: [{ hold: 'never' }] },
      ...answers(1),
    ]);
    await using running = bench(server);
    await ask(running, 'Question 1.');
    void running.engine.dispatch({ type: 'compactAsked' });
    await server.request(2);
    void running.engine.dispatch({ type: 'aborted' });
    await running.until(() => running.engine.conversation.phase.kind === 'idle');
    expect(running.engine.conversation.turns).toHaveLength(2);
    expect(running.engine.conversation.summary).toBeUndefined();
  });

  it('says when there is nothing to summarise yet, and the summary is forgotten with the conversation', async () => {
    await using server = await startScriptedServer([whenever(asksForSummary, SUMMARY), ...answers(1)]);
    await using running = bench(server);
    void running.engine.dispatch({ type: 'compactAsked' });
    expect(notices(running)).toEqual(['[aish] there is nothing to summarise']);
    await ask(running, 'Question 1.');
    void running.engine.dispatch({ type: 'compactAsked' });
    await running.until(() => running.engine.conversation.summary !== undefined);
    await running.until(() => running.engine.conversation.phase.kind === 'idle');
    void running.engine.dispatch({ type: 'turnsReset' });
    expect(running.engine.conversation.summary).toBeUndefined();
  });
});
