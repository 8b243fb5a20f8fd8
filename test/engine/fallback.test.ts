import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Message, Reply } from '../../src/session/message.ts';
import { startEngine } from '../support/engine.ts';
import { type FaultName, startFaultServer } from '../support/fault-server.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const NOWHERE = 'http://127.0.0.1:9/v1';
const PATIENCE = { firstByteTimeoutMs: 250, idleTimeoutMs: 250, retry: { baseMs: 5, maxMs: 50, loadingMs: 60 } };

/** Runs a goal of two steps, with `fast` at `baseUrl` and `deep` as its fallback. */
async function runOverFallback(baseUrl: string) {
  await using sound = await startScriptedServer([
    { ...call('bash', { command: 'echo hi' }), usage: { prompt: 70, completion: 7 } },
    { ...say('GOAL: complete'), usage: { prompt: 90, completion: 3 } },
  ]);
  const fast = { name: 'fast', model: 'tiny', baseUrl, context: 8192, fallback: ['deep'] };
  const deep = { name: 'deep', model: 'large', baseUrl: sound.baseUrl };
  await using bench = startEngine(fast, { presets: [deep], broker: PATIENCE });
  void bench.engine.dispatch({ type: 'norrisStarted', goal: 'greet' });
  await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  const entries = bench.engine.transcript.entries.map(({ entry }) => entry);
  const replies: Reply[] = bench.journal.flatMap((event) => (event.type === 'replyEnded' ? [event.reply] : []));
  const notices = entries.flatMap((entry) => (entry.kind === 'notice' ? [entry.text] : []));
  const marked = existsSync(join(bench.cwd, 'mark')) || existsSync(join(bench.cwd, 'mark-two'));
  return { entries, replies, notices, marked, turns: bench.engine.conversation.turns, requests: sound.requests };
}

type Case = readonly [what: string, fault: FaultName | 'refuses', says: RegExp];

const CASES: readonly Case[] = [
  ['refuses', 'refuses', /nothing answers at .*; continuing with deep for this run/],
  ['never answers', 'stall-before-anything', /sent nothing for 0\.3 s.*; continuing with deep/],
  ['is busy', 'rate-limited-for-ever', /the server is busy.*429.*tried 2 times; continuing with deep/],
  ['asks to retry in an hour', 'rate-limited-for-an-hour', /asks to wait 3600 s; continuing with deep/],
  ['breaks', 'server-error', /500, something broke.*tried 2 times; continuing with deep/],
  ['never finishes loading', 'loading-for-ever', /still loading.*; continuing with deep/],
];

describe('a run whose model fails continues with the fallback (BR-4)', () => {
  it.each(CASES)('when it %s', async (_what, fault, says) => {
    await using broken = fault === 'refuses' ? undefined : await startFaultServer(fault);
    const { entries, replies, notices, requests } = await runOverFallback(broken?.baseUrl ?? NOWHERE);
    expect(entries.at(-1)).toMatchObject({ kind: 'norrisEnded', status: 'done', steps: 2 });
    expect(notices.filter((text) => says.test(text))).toHaveLength(1);
    // The run stays with the fallback: the broken preset is asked for the first step only.
    expect(replies.map(({ preset }) => preset)).toEqual(['fast', 'deep', 'deep']);
    expect(replies.map(({ usage }) => usage?.promptTokens)).toEqual([undefined, 70, 90]);
    expect(requests).toHaveLength(2);
  });

  it('when it breaks off during an answer, which is kept as interrupted with none of its actions run', async () => {
    await using broken = await startFaultServer('cut-command');
    const { entries, turns, marked, notices, requests } = await runOverFallback(broken.baseUrl);
    expect(entries.at(-1)).toMatchObject({ kind: 'norrisEnded', status: 'done' });
    expect(marked).toBe(false);
    expect(entries).toContainEqual(expect.objectContaining({ kind: 'assistant', preset: 'fast', partial: true }));
    expect(turns.find((turn) => turn.kind === 'assistant')).toMatchObject({ partial: true, toolCalls: [] });
    expect(notices.join()).toMatch(/ended early.*continuing with deep for this run/);
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(requests[0]?.lastUser).toMatch(/interrupted: nothing that it asked for has run/);
  });

  it('in the middle of the run, with everything done so far', async () => {
    await using broken = await startScriptedServer([
      call('bash', { command: 'echo found it' }),
      { error: { status: 500, message: 'out of memory' } },
      { error: { status: 500, message: 'out of memory' } },
    ]);
    const { entries, replies, requests } = await runOverFallback(broken.baseUrl);
    expect(entries.at(-1)).toMatchObject({ kind: 'norrisEnded', status: 'done', steps: 3, commands: 2 });
    expect(replies.map(({ preset, finish }) => `${preset} ${finish}`)).toEqual([
      'fast tools',
      'fast failed',
      'deep tools',
      'deep stop',
    ]);
    expect(requests[0]?.messages.at(-1)?.content).toMatch(/\$ echo found it\nfound it\n\[exit 0/);
  });

  it('after the next one where several fail, each after its second failure, and reports when none is left', async () => {
    await using broken = await startFaultServer('server-error');
    await using worse = await startFaultServer('early-end');
    const fast = { name: 'fast', model: 'a', baseUrl: broken.baseUrl, context: 8192, fallback: ['deep', 'cloud'] };
    const presets = [
      { name: 'deep', model: 'b', baseUrl: worse.baseUrl, context: 8192, fallback: ['fast'] },
      { name: 'cloud', model: 'c', baseUrl: NOWHERE, context: 8192 },
    ];
    await using bench = startEngine(fast, { presets, broker: PATIENCE });
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'greet' });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
    expect(bench.engine.transcript.entries.at(-1)?.entry).toMatchObject({ kind: 'norrisEnded', status: 'failed' });
    expect([broken.calls(), worse.calls()]).toEqual([2, 2]);
  });

  it('in chat for that question alone, and the next one goes to the chosen model again', async () => {
    await using broken = await startFaultServer('server-error');
    await using sound = await startScriptedServer([say('one'), say('two')]);
    const fast = { name: 'fast', model: 'a', baseUrl: broken.baseUrl, context: 8192, fallback: ['deep'] };
    await using bench = startEngine(fast, {
      presets: [{ name: 'deep', model: 'b', baseUrl: sound.baseUrl }],
      broker: PATIENCE,
    });
    for (const text of ['first', 'second']) {
      void bench.engine.dispatch({ type: 'asked', line: text, text });
      await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
    }
    expect(broken.calls()).toBe(4);
    expect(sound.requests).toHaveLength(2);
    expect(bench.engine.conversation.preset).toBe('fast');
  });

  it('but sends nothing to a fallback whose policy forbids it', async () => {
    await using sound = await startScriptedServer([say('leaked')]);
    const fast = { name: 'fast', model: 'a', baseUrl: NOWHERE, context: 8192, fallback: ['cloud'] };
    const cloud = { name: 'cloud', model: 'b', baseUrl: sound.baseUrl, secrets: 'block' as const };
    const prepare = (name: string, messages: readonly Message[]) =>
      name === 'cloud' ? { refused: 'a secret may not leave this machine' } : { messages };
    await using bench = startEngine(fast, { presets: [cloud], broker: { ...PATIENCE, prepare } });
    void bench.engine.dispatch({ type: 'asked', line: 'l', text: 'hello' });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
    expect(sound.requests).toEqual([]);
  });
});
