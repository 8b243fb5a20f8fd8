import { describe, expect, test } from 'vitest';
import { createBroker } from '../../src/broker/index.ts';
import { countByLibrary, estimateTokens } from '../../src/broker/tokens/count.ts';
import { createCalibration, featuresOf } from '../../src/broker/tokens/meter.ts';

import { startPeer } from './peer.ts';
import { presetAt } from './talk.ts';

const signal = new AbortController().signal;

const SAMPLES: Readonly<Record<string, string>> = {
  prose: 'The quick brown fox jumps over the lazy dog, and nobody minds.\n'.repeat(40),
  code: "const found = rows.find(({ id }) => id === wanted)?.name ?? '';\n".repeat(40),
  listing: '-rwxr-xr-x 1 root root   142144 2026-04-05 12:33:14 /usr/bin/[\n'.repeat(40),
  digits: Array.from({ length: 500 }, (_, n) => String(n * 7919)).join('\n'),
  hexadecimal: '7f454c46020101000000000000000000030003000100000 '.repeat(40),
  chinese: '日志文件已经很大了请检查磁盘空间。\n'.repeat(40),
  emoji: '🚀 done ✅ failed ❌ '.repeat(40),
  empty: '',
};

describe('the token library', () => {
  test('counts like the encoding itself, at most a little more, for any kind of text', async () => {
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
    const texts = [...Object.values(SAMPLES), 'say <|endoftext|> and <|im_end|>'];
    const counts = (await countByLibrary(texts)) ?? [];
    for (const [index, text] of texts.entries()) {
      const exact = countTokens(text, { disallowedSpecial: new Set() });
      expect(counts[index]).toBeGreaterThanOrEqual(exact);
      expect(counts[index]).toBeLessThanOrEqual(exact * 1.03 + 2);
    }
  });

  test('works in a thread of its own: 64,000 equal characters delay nothing else', async () => {
    const before = process.threadCpuUsage();
    const [count] = (await countByLibrary(['='.repeat(64_000)])) ?? [];
    const { user } = process.threadCpuUsage(before);
    expect(count).toBeGreaterThan(500);
    // Counting on this thread would take seconds, and the table alone a quarter of one. In microseconds.
    expect(user).toBeLessThan(200_000);
  });
});

test.each(Object.entries(SAMPLES))('the estimate is not below the encoding’s count: %s', async (_name, text) => {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text) * 0.98);
});

describe('a calibration by the server’s counts', () => {
  const learned = (key: string, text: string, ours: number, theirs: number) => {
    const calibration = createCalibration();
    const features = featuresOf(text);
    const counted = ours + calibration.surcharge(key, features);
    calibration.learn(key, counted, features, theirs);
    return (more: string, count: number) =>
      (count + calibration.surcharge(key, featuresOf(more))) * calibration.factor(key);
  };

  test('gives for the same request the server’s count', () => {
    for (const [text, ours, theirs] of [
      ['plain words', 1000, 1200],
      ['日'.repeat(800), 600, 1500],
      ['1234567890'.repeat(100), 400, 1000],
      ['plain words', 1000, 800],
    ] as const) {
      const again = learned('fast', text, ours, theirs)(text, ours);
      expect(again).toBeGreaterThanOrEqual(theirs * 0.99);
      expect(again).toBeLessThanOrEqual(Math.max(theirs, ours) * 1.01);
    }
  });

  test('does not raise the count of words when the vocabulary has no digit tokens', () => {
    const count = learned('fast', '1234567890'.repeat(100), 400, 1000);
    expect(count('only words', 1000)).toBeLessThan(1050);
  });

  test('ignores a count that excludes cached tokens', () => {
    expect(learned('fast', 'words', 4000, 30)('words', 4000)).toBe(4000);
  });
});

describe('the tokens of a preset are counted', () => {
  const request = { head: 'You are aish.', texts: ['one two three', 'four'], signal };
  const long = { ...request, texts: ['one two three '.repeat(1000), 'four'] };

  test('by llama.cpp’s tokenizer, each text once, and with the server’s context window', async () => {
    await using peer = await startPeer({
      '/props': { default_generation_settings: { n_ctx: 4096 } },
      '/v1/models': { data: [] },
      '/tokenize': { tokens: [1, 2, 3] },
    });
    const broker = createBroker({ presets: [presetAt(peer.baseUrl)] });
    const measured = await broker.measure('fast', request);
    expect(measured).toMatchObject({ window: 4096, source: 'server', counter: 'fast/server' });
    expect(new Set(measured?.tokens).size).toBe(1);
    await broker.measure('fast', { ...request, texts: [...request.texts, 'five'] });
    expect(peer.asked.filter((line) => line === 'POST /tokenize')).toHaveLength(4);
  });

  test('by llama.cpp’s tokenizer, each text once even in the longest conversation', async () => {
    await using peer = await startPeer({
      '/props': { default_generation_settings: { n_ctx: 4096 } },
      '/v1/models': { data: [] },
      '/tokenize': { tokens: [1, 2, 3] },
    });
    const broker = createBroker({ presets: [presetAt(peer.baseUrl)] });
    const texts = Array.from({ length: 600 }, (_, n) => `message ${n}`);
    let calls = 0;
    // A busy machine does not answer all of them within one call; unfinished ones are asked again.
    const byServer = async (texts: readonly string[]) => {
      for (let counter: string | undefined; counter !== 'fast/server'; calls += 1)
        counter = (await broker.measure('fast', { ...request, texts }))?.counter;
    };
    for (const at of [600, 599, 598]) await byServer(texts.slice(0, at));
    await byServer([...texts, 'one more']);
    expect(peer.asked.filter((line) => line === 'POST /tokenize').length).toBeLessThanOrEqual(602 + calls - 4);
  });

  test('by vLLM’s tokenizer', async () => {
    await using peer = await startPeer({
      '/v1/models': { data: [{ id: 'tiny', max_model_len: 8192 }] },
      '/tokenize': { count: 5, max_model_len: 8192 },
    });
    const broker = createBroker({ presets: [presetAt(peer.baseUrl)] });
    expect(await broker.measure('fast', request)).toMatchObject({ window: 8192, counter: 'fast/server' });
  });

  test('by the library where the server has no tokenizer, which is not asked again', async () => {
    await using peer = await startPeer({ '/v1/models': { data: [{ id: 'tiny' }] } });
    const broker = createBroker({ presets: [presetAt(peer.baseUrl, { context: 2000 })] });
    for (let round = 0; round < 2; round += 1) {
      expect(await broker.measure('fast', long)).toMatchObject({
        window: 2000,
        source: 'config',
        counter: 'library',
      });
    }
    expect(peer.asked.filter((line) => line === 'POST /tokenize')).toHaveLength(1);
  });

  test('by the library where not everything may be sent to the server', async () => {
    await using peer = await startPeer({ '/v1/models': { data: [] }, '/tokenize': { tokens: [1] } });
    const broker = createBroker({ presets: [presetAt(peer.baseUrl, { context: 2000, secrets: 'scrub' })] });
    expect(await broker.measure('fast', long)).toMatchObject({ counter: 'library' });
    expect(peer.asked).toEqual([]);
  });

  test('for a small window if a local server reports none, for a larger one if a remote server does, and not at all if no server answers', async () => {
    await using peer = await startPeer({ '/v1/models': { data: [{ id: 'tiny' }] } });
    const elsewhere = `http://[::ffff:127.0.0.1]:${peer.port}/v1`;
    const broker = createBroker({
      presets: [
        presetAt(peer.baseUrl),
        presetAt(elsewhere, { name: 'cloud' }),
        presetAt('http://127.0.0.1:9/v1', { name: 'gone' }),
      ],
    });
    expect(await broker.measure('fast', request)).toMatchObject({ window: 4096, source: 'assumed' });
    expect(await broker.measure('cloud', request)).toMatchObject({ window: 32_768, source: 'assumed' });
    expect(await broker.measure('gone', request)).toBeUndefined();
    expect(await broker.measure('nobody', request)).toBeUndefined();
  });

  test('after its model has loaded, since nothing too long may be sent before', async () => {
    const loading = { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } };
    const answers: Record<string, unknown> = { '/props': [503, loading], '/v1/models': [503, loading] };
    await using peer = await startPeer(answers);
    const notices: string[] = [];
    const sleep = async (): Promise<void> => {
      answers['/props'] = { default_generation_settings: { n_ctx: 1024 } };
      answers['/v1/models'] = { data: [] };
    };
    const broker = createBroker({ presets: [presetAt(peer.baseUrl)], sleep });
    const measured = await broker.measure('fast', { ...request, onNotice: (line) => notices.push(line) });
    expect(measured).toMatchObject({ window: 1024 });
    expect(notices).toEqual(['fast is still loading its model; waiting']);
  });
});
