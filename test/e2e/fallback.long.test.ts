import { describe, expect, it } from 'vitest';
import { startFaultServer } from '../support/fault-server.ts';
import { runProgram, scratch } from '../support/program.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

/** A value with the form of an access key, in a variable whose name says that it is secret. */
const SECRET = 'AKIAQX7RZ5MTKPLW3VNB';
const QUESTION = `why does the upload with key ${SECRET} fail?`;

/**
 * Runs a question where `fast` is broken and its fallback answers. `here` puts the fallback on this machine; otherwise
 * its address counts as remote.
 */
async function askOverFallback(cloud: Readonly<Record<string, unknown>>, here: boolean) {
  await using broken = await startFaultServer('server-error');
  await using sound = await startScriptedServer([say('answered elsewhere')]);
  const elsewhere = `http://[::ffff:127.0.0.1]:${sound.port}/v1`;
  using place = scratch(undefined, {
    models: {
      fast: { base_url: broken.baseUrl, context: 8192, fallback: ['cloud'] },
      cloud: { base_url: here ? sound.baseUrl : elsewhere, context: 8192, ...cloud },
    },
    model: 'fast',
    safety: { llm_second_opinion: false },
  });
  const { out, err, code } = await runProgram({ ...place, env: { ...place.env, UPLOAD_ACCESS_KEY: SECRET } }, [
    'ask',
    QUESTION,
  ]);
  return { said: out + err, code, bodies: sound.requests.map(({ text }) => text).join('\n') };
}

describe('a fallback keeps the secrets policy of its preset (BR-4)', () => {
  it.each([true, false])(
    'sends nothing with a secret to a fallback with the policy block (on this machine: %s)',
    async (here) => {
      const { bodies, code } = await askOverFallback({ secrets: 'block' }, here);
      expect(bodies).not.toContain(SECRET);
      expect(code).toBe(6);
    },
  );

  it('sends no secret to a remote fallback without a stated policy', async () => {
    const { bodies } = await askOverFallback({}, false);
    expect(bodies).not.toContain(SECRET);
  });

  it('asks a fallback whose policy the user set to off, and says so in the transcript', async () => {
    const { bodies, said, code } = await askOverFallback({ secrets: 'off' }, false);
    expect(bodies).toContain(SECRET);
    expect(said).toMatch(/500, something broke.*continuing with cloud for this run/);
    expect(said).toContain('answered elsewhere');
    expect(code).toBe(0);
  });
});

it('each call is counted at its own preset when a fallback takes over: the broken answer and the complete one', async () => {
  await using broken = await startFaultServer('early-end');
  await using sound = await startScriptedServer([{ ...say('Well.'), usage: { prompt: 1000, completion: 100 } }]);
  using place = scratch(undefined, {
    models: {
      fast: {
        base_url: broken.baseUrl,
        model: 'small',
        context: 8192,
        fallback: ['deep'],
        prices: { input: 1, output: 2 },
      },
      deep: { base_url: sound.baseUrl, model: 'large', context: 8192, prices: { input: 10, output: 20 } },
    },
    model: 'fast',
  });
  const { out } = await runProgram(place, [], { input: '?how are you\n:cost detail\n' });
  expect(out).toMatch(/ended early.*continuing with deep for this run/);
  expect(out).toMatch(/small +chat +2 calls, +\d+ \/ +2 tokens, \$0\.00\d+ .*tokens of 2 of 2 calls estimated/);
  expect(out).toMatch(/large +chat +1 calls, +1000 \/ +100 tokens, \$0\.012000/);
});
