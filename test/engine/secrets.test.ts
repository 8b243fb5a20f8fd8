import { describe, expect, it } from 'vitest';
import { engineSecrets } from '../../src/app/secrets-filter.ts';
import { DEFAULTS } from '../../src/config/config.ts';
import { createGate } from '../../src/safety/index.ts';
import { SecretsFilter } from '../../src/secrets/index.ts';
import { BASH, createTools } from '../../src/tools/index.ts';
import { startEngine } from '../support/engine.ts';
import { filled, seeded } from '../support/fake-values.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const preset = (server: { baseUrl: string }) => ({ name: 'fast', model: 'test', baseUrl: server.baseUrl });

describe('outside of the messages', () => {
  it('a second opinion gets a handle, even for a value that only the conversation reveals as a secret', async () => {
    const secrets = engineSecrets(new SecretsFilter(), DEFAULTS);
    const handle = /⟦\w+⟧/.exec(secrets.hide('password: "correcthorse"'))?.[0] ?? '';
    const told: string[] = [];
    const gate = createGate({
      enabled: true,
      secondOpinion: async (_system, user) => {
        told.push(user);
        return { ok: true, text: 'NO' };
      },
    });
    await using server = await startScriptedServer([say(`CMD: frobnicate ${handle}`), say('GOAL: complete')]);
    await using bench = startEngine(preset(server), { gate, services: { secrets } });
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'go' });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
    expect(told.map((text) => text.split('\n--- data')[0])).toEqual([`Goal: go\nCommand:\nfrobnicate ${handle}`]);
  });

  it('a command’s output of its own secret becomes a handle again', async () => {
    const secrets = engineSecrets(new SecretsFilter(), DEFAULTS);
    const handle = /⟦\w+⟧/.exec(secrets.hide('password: "correcthorse"'))?.[0] ?? '';
    await using server = await startScriptedServer([say(`CMD: printf 'it is %s.' ${handle}`), say('GOAL: complete')]);
    await using bench = startEngine(preset(server), { services: { secrets } });
    void bench.engine.dispatch({ type: 'norrisStarted', goal: 'go' });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
    expect(JSON.stringify(server.requests[1]?.body)).toContain(`it is ${handle}.`);
    expect(JSON.stringify(bench.journal)).not.toContain('correcthorse');
  });

  it('a secret in the description of a tool is a handle in the request', async () => {
    const token = filled('ghp_<36w>', seeded(5));
    const spec = {
      name: 'db__query',
      description: `asks https://me:${token}@db.example`,
      parameters: { type: 'object' },
    };
    await using server = await startScriptedServer([say('hello')]);
    await using bench = startEngine(preset(server), { services: { tools: createTools([BASH, spec], [], [], []) } });
    void bench.engine.dispatch({ type: 'asked', line: 'l1', text: 'hi' });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toMatch(/asks https:\/\/me:⟦\w+⟧@db\.example/);
    expect(sent).not.toContain(token);
  });
});

it('long replies and arguments are searched for secrets in several turns of the event loop before the state machine gets them', async () => {
  const filter = engineSecrets(new SecretsFilter(), DEFAULTS);
  const looked: number[] = [];
  const lookThrough = (text: string) => {
    looked.push(text.length);
    return filter.lookThrough(text);
  };
  const secrets = { ...filter, lookThrough };
  const command = `: ${'words '.repeat(20_000)} password: "correcthorse"`;
  await using server = await startScriptedServer([call('bash', { command }), say('GOAL: complete')]);
  await using bench = startEngine(preset(server), { services: { secrets } });
  void bench.engine.dispatch({ type: 'norrisStarted', goal: 'go' });
  await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  expect(looked).toEqual([JSON.stringify({ command }).length]);
  expect(JSON.stringify(bench.journal)).not.toContain('correcthorse');
});

it('a long answer is free of secrets to its end', async () => {
  const long = 'words '.repeat(50_000);
  await using server = await startScriptedServer([say(`${long}\x1b]0;title\x07\x1b[31mred\u202e`)]);
  await using bench = startEngine(preset(server));
  void bench.engine.dispatch({ type: 'asked', text: 'hello', line: 'line-1' });
  await bench.until(() => bench.journal.some(({ type }) => type === 'replyEnded'));
  expect(bench.journal.find((event) => event.type === 'replyEnded')?.reply.text).toBe(`${long}red`);
});
