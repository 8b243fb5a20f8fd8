/** API keys of presets stay out of a model's commands and remain in the user's own shell. */
import { expect, it } from 'vitest';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const SHOW = 'echo "keys: $FAST_KEY $DEEP_KEY $APP_URL"';
const env = { FAST_KEY: 'of-fast', DEEP_KEY: 'of-deep', APP_URL: 'of-the-app' };

function place(baseUrl: string, sandbox: object): Scratch {
  const model = { base_url: baseUrl, model: 'scripted' };
  const models = { fast: { ...model, api_key_env: 'FAST_KEY' }, deep: { ...model, api_key_env: 'DEEP_KEY' } };
  const made = scratch(baseUrl, { models, sandbox, mode: 'unrestricted', safety: { llm_second_opinion: false } });
  return { ...made, env: { ...made.env, ...env } };
}

it.each([
  [{}, 'keys:   of-the-app'],
  [{ pass_keys: ['DEEP_KEY'] }, 'keys:  of-deep of-the-app'],
  [{ pass_keys: true }, 'keys: of-fast of-deep of-the-app'],
])('with the sandbox settings %j a model’s command sees %j', async (sandbox, printed) => {
  await using server = await startScriptedServer([call('bash', { command: SHOW }), say('GOAL: complete')]);
  using here = place(server.baseUrl, sandbox);
  expect((await runProgram(here, ['run', 'show it'])).code).toBe(0);
  expect(JSON.stringify(server.requests[1]?.messages)).toContain(printed);
});

it('the user’s own shell keeps all keys', async () => {
  await using server = await startScriptedServer([]);
  using here = place(server.baseUrl, {});
  await using rig = startRig(here);
  await rig.waitFor('-- UNRESTRICTED --');
  rig.type(`${SHOW}\r`);
  await rig.waitFor('keys: of-fast of-deep of-the-app');
});
