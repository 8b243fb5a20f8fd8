import { describe, expect, it } from 'vitest';
import { runProgram, scratch } from '../support/program.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

/** Of the shape of an access key, and a value that the environment names as a secret. */
const SECRET = 'AKIAQX7RZ5MTKPLW3VNB';
const QUESTION = `why does the upload with key ${SECRET} fail?`;

/** `fast` is down; its fallback listens. `here`: on this machine, as an address that is not this machine's otherwise. */
async function askOverFallback(cloud: Readonly<Record<string, unknown>>, here: boolean) {
  await using sound = await startScriptedServer([say('answered elsewhere')]);
  const elsewhere = `http://[::ffff:127.0.0.1]:${sound.port}/v1`;
  using place = scratch(undefined, {
    models: {
      fast: { base_url: 'http://127.0.0.1:9/v1', context: 8192, fallback: ['cloud'] },
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
  it.each([true, false])('block: nothing with a secret in it reaches it (on this machine: %s)', async (here) => {
    const { bodies, code } = await askOverFallback({ secrets: 'block' }, here);
    expect(bodies).not.toContain(SECRET);
    expect(code).toBe(6);
  });

  it('elsewhere without a word from the user: no secret reaches it', async () => {
    const { bodies } = await askOverFallback({}, false);
    expect(bodies).not.toContain(SECRET);
  });

  it('off, as the user wrote it: it is asked, and the transcript says so', async () => {
    const { bodies, said, code } = await askOverFallback({ secrets: 'off' }, false);
    expect(bodies).toContain(SECRET);
    expect(said).toMatch(/nothing answers at .*going on with cloud for this run/);
    expect(said).toContain('answered elsewhere');
    expect(code).toBe(0);
  });
});
