import { expect, test } from 'vitest';
import { discover, lookAtAddress } from '../../src/broker/index.ts';
import { startPeer } from './peer.ts';

const LIMIT = { timeoutMs: 2000 };

test('discovery finds the servers that list models, and nothing else', async () => {
  await using llama = await startPeer({ '/v1/models': { data: [{ id: 'qwen.gguf', owned_by: 'llamacpp' }] } });
  await using ollama = await startPeer({
    '/v1/models': {
      data: [
        { id: 'nomic-embed-text', owned_by: 'library' },
        { id: 'llama3:8b', owned_by: 'library' },
      ],
    },
  });
  await using loading = await startPeer({ '/v1/models': [503, { error: { type: 'unavailable_error', code: 503 } }] });
  await using website = await startPeer({ '/v1/models': { hello: 'world' } });
  const ports = [llama, ollama, website, loading].map(({ port }) => port);
  const found = await discover({ env: {}, ports: [...ports, 9], ...LIMIT });
  expect(found.map(({ label, preset }) => [label, preset.name, preset.model, preset.baseUrl])).toEqual([
    ['llama.cpp', 'fast', 'qwen.gguf', llama.baseUrl],
    ['Ollama', 'ollama', 'llama3:8b', ollama.baseUrl],
    ['llama.cpp', 'llamacpp', 'default', loading.baseUrl],
  ]);
  expect(found[1]?.detail).toBe(`Ollama at 127.0.0.1:${ollama.port}, model llama3:8b and 1 more`);
  expect(found[2]?.detail).toMatch(/still loading/);
});

test('discovery finds keys in the environment without sending them anywhere', async () => {
  const env = {
    OPENAI_API_KEY: 'sk-one',
    OPENAI_BASE_URL: 'https://gate.example.com/v1',
    OPENROUTER_API_KEY: 'two',
    GROQ_API_KEY: ' ',
  };
  const found = await discover({ env, ports: [], ...LIMIT });
  expect(found.map(({ kind, preset, keyVariable }) => [kind, preset.name, preset.baseUrl, keyVariable])).toEqual([
    ['key', 'cloud', 'https://gate.example.com/v1', 'OPENAI_API_KEY'],
    ['key', 'openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'],
  ]);
  expect(await found[0]?.preset.apiKey?.()).toBe('sk-one');
  expect(JSON.stringify(found)).not.toContain('sk-one');
});

test('discovery uses OLLAMA_HOST when it names this machine', async () => {
  await using ollama = await startPeer({ '/v1/models': { data: [{ id: 'llama3:8b', owned_by: 'library' }] } });
  const found = await discover({ env: { OLLAMA_HOST: `localhost:${ollama.port}` }, ...LIMIT });
  expect(found.map(({ preset }) => preset.baseUrl)).toContain(ollama.baseUrl);
});

test('discovery ends at its time limit', async () => {
  await using silent = await startPeer({ '/v1/models': null });
  // The peer never answers: without the limit there would be no end.
  expect(await discover({ env: {}, ports: [silent.port], timeoutMs: 150 })).toEqual([]);
});

test('discovery accepts an address as people write it, or explains what is wrong with it', async () => {
  await using vllm = await startPeer({ '/v1/models': { data: [{ id: 'qwen', owned_by: 'vllm' }] } });
  await using closed = await startPeer({ '/v1/models': [401, {}] });
  await using website = await startPeer({ '/': { hello: 'world' } });
  const look = (text: string) => lookAtAddress(text, { signal: AbortSignal.timeout(5000), timeoutMs: 2000 });
  for (const text of [vllm.baseUrl, `${vllm.baseUrl}/`, `http://127.0.0.1:${vllm.port}`, `127.0.0.1:${vllm.port}`])
    expect(await look(text)).toMatchObject({ label: 'vLLM', preset: { baseUrl: vllm.baseUrl, model: 'qwen' } });
  expect(await look(`:${vllm.port}`)).toMatchObject({ preset: { baseUrl: vllm.baseUrl } });
  expect(await look('http://127.0.0.1:9')).toMatchObject({ problem: expect.stringContaining('nothing answers at') });
  expect(await look(closed.baseUrl)).toMatchObject({ problem: expect.stringMatching(/wants a key: .*api_key_env/) });
  expect(await look(`127.0.0.1:${website.port}`)).toMatchObject({
    problem: expect.stringContaining('no model server'),
  });
  const secret = await look(`http://me:hunter2@127.0.0.1:${vllm.port}`);
  expect(secret).toMatchObject({ problem: expect.stringContaining('leave keys and passwords out') });
  expect(JSON.stringify(secret)).not.toContain('hunter2');
  expect(await look('ftp://host')).toMatchObject({ problem: expect.stringContaining('is not an address') });
});
