import { describe, expect, it } from 'vitest';
import { startPeer } from '../broker/peer.ts';
import { runProgram, scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { hold, startScriptedServer } from '../support/scripted-server.ts';

describe(':model', () => {
  it('lists presets with reachability and window, without delaying the prompt', async () => {
    await using fast = await startScriptedServer([], { window: 8192 });
    await using mute = await startPeer({ '/props': null, '/v1/models': null });
    await using vllm = await startPeer({ '/v1/models': { data: [{ id: 'big', max_model_len: 32_768 }] } });
    using place = scratch(undefined, {
      models: {
        fast: { base_url: fast.baseUrl, model: 'scripted' },
        deep: { base_url: vllm.baseUrl, model: 'big' },
        slow: { base_url: mute.baseUrl, model: 'm' },
        gone: { base_url: 'http://127.0.0.1:9/v1', model: 'm' },
      },
      model: 'fast',
    });
    await using rig = startRig(place, { columns: 120, rows: 30 });
    await rig.waitFor('[aish:fast]>');
    rig.type(':model\r');
    rig.type(':cost\r');
    await rig.waitFor('[aish] this session:');
    await rig.waitFor(/slow +m +not reachable: nothing answers/);
    const screen = rig.text();
    expect(screen).toMatch(/\* +fast +scripted +ready, window 8,192 tokens/);
    expect(screen).toMatch(/ deep +big +ready, window 32,768 tokens/);
    expect(screen).toMatch(/ gone +m +not reachable: nothing answers at http:\/\/127\.0\.0\.1:9/);
    expect(screen).toMatch(/ demo +demo +the built-in demo script, no model, window 16,384 tokens/);
    // The later command was answered before the slow server was given up.
    expect(screen.indexOf('this session:')).toBeLessThan(screen.indexOf('ready, window'));
  });
});

describe('an API key found in the environment', () => {
  it('is sent nowhere before its preset is chosen, neither by :model nor by doctor', async () => {
    await using peer = await startPeer({ '/v1/models': { data: [{ id: 'gpt-5-mini', context_window: 9000 }] } });
    using place = scratch(undefined, { model: undefined });
    // An address of this machine that the program does not recognise as its own.
    const elsewhere = `http://[::ffff:127.0.0.1]:${peer.port}/v1`;
    const env = { OPENAI_API_KEY: 'sk-test-key-of-nobody', OPENAI_BASE_URL: elsewhere };
    const doctor = await runProgram({ ...place, env: { ...place.env, ...env } }, ['doctor']);
    expect(doctor.out).toMatch(/cloud .*not contacted until you choose it/);
    await using rig = await openRig(place, '[aish:demo]>', { columns: 120, rows: 30, env });
    rig.type(':model\r');
    await rig.waitFor(/cloud +\S+ +not contacted until you choose it/);
    expect(peer.asked).toEqual([]);
    rig.type(':model cloud\r:model\r');
    await rig.waitFor(/\* +cloud +\S+ +(?:has no model|ready|answers|not reachable)/);
  });
});

describe('the prompt and the status bar', () => {
  it('show the executing model with a ⚡ while Norris is active, and how full the context is', async () => {
    await using fast = await startScriptedServer([], { window: 8192 });
    await using deep = await startScriptedServer([
      { text: ['GOAL: ', hold('end'), 'complete'], usage: { prompt: 4000, completion: 96 } },
    ]);
    using place = scratch(undefined, {
      models: { fast: { base_url: fast.baseUrl }, deep: { base_url: deep.baseUrl, context: 10_240 } },
      model: 'fast',
      norris: { executor: 'deep' },
      safety: { llm_second_opinion: false },
    });
    await using rig = startRig(place, { columns: 80, rows: 24 });
    await rig.waitFor('[aish:fast]>');
    rig.type(':norris look around\r');
    await rig.waitFor('[aish:deep ⚡]>');
    deep.release('end');
    await rig.waitFor('[aish:fast]>');
    // 4,096 tokens of a window of 10,240 less a quarter reserved for the answer.
    await rig.waitFor(/ctx \S* ?53%/);
    rig.type(':history\r');
    await rig.waitFor('context: 4096 of 7680 tokens (53.3%)');
  });
});
