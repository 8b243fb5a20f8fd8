import { expect, test } from 'vitest';
import { createBroker, DEMO_PRESET, silenceOf } from '../../src/broker/index.ts';
import { startPeer } from './peer.ts';
import { presetAt } from './talk.ts';

const NEVER = new AbortController().signal;
const models = (more: object = {}) => ({
  data: [
    { id: 'other', max_model_len: 1 },
    { id: 'tiny', ...more },
  ],
});

test.each([
  [
    'llama.cpp, one slot',
    { '/props': { default_generation_settings: { n_ctx: 4096 } }, '/v1/models': models({ meta: { n_ctx: 9 } }) },
    4096,
  ],
  ['vLLM', { '/v1/models': models({ max_model_len: 32_768 }) }, 32_768],
  ['OpenRouter', { '/v1/models': models({ context_length: 128_000 }) }, 128_000],
  ['a llama.cpp without /props', { '/v1/models': models({ meta: { n_ctx: 8192 } }) }, 8192],
  ['LM Studio', { '/v1/models': models(), '/api/v0/models': models({ loaded_context_length: 6000 }) }, 6000],
  ['Ollama, loaded', { '/v1/models': models(), '/api/ps': { models: [{ name: 'tiny', context_length: 4096 }] } }, 4096],
  ['Ollama, not loaded', { '/v1/models': models(), '/api/show': { parameters: 'stop "x"\nnum_ctx   2048' } }, 2048],
  ['no server that reports one', { '/v1/models': models() }, undefined],
  [
    'nonsense',
    { '/props': { default_generation_settings: { n_ctx: -4 } }, '/v1/models': { data: [null, 'x', { id: 7 }] } },
    undefined,
  ],
])('the window is read from %s', async (_who, answers, window) => {
  await using peer = await startPeer(answers);
  const broker = createBroker({ presets: [presetAt(peer.baseUrl)] });
  expect(broker.window('fast')).toBeUndefined();
  const probe = await broker.probe('fast', NEVER);
  expect(probe).toMatchObject({ reachable: true });
  expect(probe.window).toBe(window);
  expect(broker.window('fast')).toBe(window);
});

test('the user’s window setting wins over the server’s, and needs no server', async () => {
  await using peer = await startPeer({
    '/props': { default_generation_settings: { n_ctx: 4096 } },
    '/v1/models': models(),
  });
  const broker = createBroker({ presets: [presetAt(peer.baseUrl, { context: 2000 })] });
  expect(broker.window('fast')).toBe(2000);
  expect((await broker.probe('fast', NEVER)).window).toBe(2000);
});

test('a probe’s result is cached for a few seconds, and simultaneous probes are joined into one', async () => {
  await using peer = await startPeer({
    '/props': { default_generation_settings: { n_ctx: 4096 } },
    '/v1/models': models(),
  });
  const broker = createBroker({ presets: [presetAt(peer.baseUrl)] });
  await Promise.all([broker.probe('fast', NEVER), broker.probe('fast', NEVER)]);
  await broker.probe('fast', NEVER);
  expect(peer.asked.toSorted()).toEqual(['GET /props', 'GET /v1/models']);
});

test('a server that is down, is loading, refuses the key or has another model is reported in one line', async () => {
  await using loading = await startPeer({ '/props': [503, {}], '/v1/models': [503, {}] });
  await using locked = await startPeer({ '/v1/models': [401, {}] });
  await using wrong = await startPeer({ '/v1/models': { data: [{ id: 'a' }, { id: 'b\u001b[2J' }] } });
  const broker = createBroker({
    presets: [
      DEMO_PRESET,
      presetAt('http://127.0.0.1:9/v1', { name: 'down' }),
      presetAt(loading.baseUrl, { name: 'loading' }),
      presetAt(locked.baseUrl, { name: 'locked', apiKey: async () => 'old' }),
      presetAt(wrong.baseUrl, { name: 'wrong' }),
    ],
  });
  const detail = async (name: string) => (await broker.probe(name, NEVER)).detail;
  expect(await detail('demo')).toBe('the built-in demo script, no model');
  expect(await detail('down')).toBe('nothing answers at http://127.0.0.1:9/v1');
  expect(await detail('loading')).toBe('loading its model');
  expect(await detail('locked')).toMatch(/does not accept the API key/);
  expect(await detail('wrong')).toBe('has no model tiny; it offers a, b [2J');
  expect(await detail('none')).toBe('there is no preset called none');
});

test('a hanging key command delays nobody', async () => {
  await using peer = await startPeer({ '/v1/models': models({ max_model_len: 4096 }) });
  const broker = createBroker({ presets: [presetAt(peer.baseUrl, { apiKey: () => new Promise(() => {}) })] });
  expect((await broker.probe('fast', NEVER)).window).toBe(4096);
});

test('a server that never answers delays nobody', async () => {
  await using peer = await startPeer({ '/props': null, '/v1/models': null });
  const broker = createBroker({ presets: [presetAt(peer.baseUrl)] });
  const stop = new AbortController();
  const probe = broker.probe('fast', stop.signal);
  stop.abort();
  expect((await probe).reachable).toBe(false);
});

test('the check whether a server answers sends no key, and accepts any answer', async () => {
  await using closed = await startPeer({ '/v1/models': [401, {}] });
  await using silent = await startPeer({ '/v1/models': null });
  const apiKey = (): Promise<string> => Promise.reject(new Error('a key was fetched'));
  const look = (baseUrl: string, signal = NEVER) => silenceOf({ ...presetAt(baseUrl), apiKey }, signal);
  expect(await look(closed.baseUrl)).toBeUndefined();
  expect(closed.asked).toEqual(['GET /v1/models']);
  expect(await look('http://127.0.0.1:9/v1/')).toBe('nothing answers at http://127.0.0.1:9/v1');
  // The probe ends together with its screen, not at its own time limit.
  const stop = new AbortController();
  const pending = look(silent.baseUrl, stop.signal);
  stop.abort();
  expect(await pending).toMatch(/nothing answers/);
  expect(await silenceOf(DEMO_PRESET, NEVER)).toBeUndefined();
});
