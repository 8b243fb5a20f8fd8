/** `:setup` finds servers, tests only a chosen one, writes only after a yes, and uses it at once (BR-6). */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startPeer } from '../broker/peer.ts';
import { scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

it('adds a server of this machine during a session, and keeps the comments of the configuration', async () => {
  await using server = await startScriptedServer([say('At your service.')]);
  using place = scratch();
  const path = place.env.AISH_CONFIG ?? '';
  const before = '// mine\n{ "model": "demo", "memory": { "enabled": false } }\n';
  writeFileSync(path, before);
  await using rig = startRig(place, { env: { OLLAMA_HOST: `127.0.0.1:${server.port}` }, columns: 110 });
  await rig.waitFor('[aish:demo]>');
  rig.type('echo kept on the screen\r');
  await rig.waitFor(/❯ echo kept .*✓/);
  rig.type(':setup\r');
  await rig.waitFor(/setup: .*1 of \d/);
  rig.type(String(server.port));
  await rig.waitFor(/scripted +127\.0\.0\.1:\d+/);
  rig.key('enter');
  await rig.waitFor(/model scripted: ✓ ready, window 16,384 tokens\n[\s\S]*│ +"base_url": "http/);
  // :setup has not changed the configuration by listing servers.
  expect(readFileSync(path, 'utf8')).toBe(before);
  const [, name = ''] = /> :setup (\w+) yes/.exec(rig.text()) ?? [];
  rig.key('enter');
  await rig.waitFor(new RegExp(`${name} is saved in [\\s\\S]*\\[aish:${name}\\]>`));
  expect(rig.text()).toContain('kept on the screen');
  const written = readFileSync(path, 'utf8');
  expect(written).toContain('// mine');
  expect(written).toContain(`"model": "${name}"`);
  expect(written).toContain(`"base_url": "${server.baseUrl}"`);
  rig.type('?are you there\r');
  await rig.waitFor('At your service.');
});

it('asks no service before it is chosen, never writes a key, and keeps an existing preset of the same name', async () => {
  await using peer = await startPeer({ '/v1/models': { data: [{ id: 'gpt-5-mini', context_window: 9000 }] } });
  using place = scratch(undefined, { models: { cloud: { base_url: 'http://127.0.0.1:9/v1' } } });
  const elsewhere = `http://[::ffff:127.0.0.1]:${peer.port}/v1`;
  const env = { OPENAI_API_KEY: 'sk-test-key-of-nobody', OPENAI_BASE_URL: elsewhere };
  await using rig = await openRig(place, '[aish:cloud]>', { columns: 110, env });
  rig.type(':setup\r');
  await rig.waitFor('key in OPENAI_API_KEY · not contacted');
  rig.type('OpenAI');
  await rig.waitFor(/setup: OpenAI.*1 of 1/);
  expect(peer.asked).toEqual([]);
  rig.key('enter');
  await rig.waitFor('> :setup openai yes');
  expect(peer.asked.length).toBeGreaterThan(0);
  rig.key('enter');
  await rig.waitFor('[aish:openai]>');
  const written = readFileSync(place.env.AISH_CONFIG ?? '', 'utf8');
  expect(JSON.parse(written)).toMatchObject({
    model: 'openai',
    models: {
      cloud: { base_url: 'http://127.0.0.1:9/v1' },
      openai: { base_url: elsewhere, api_key_env: 'OPENAI_API_KEY' },
    },
  });
  expect(written).not.toContain('sk-test');
});

it('aish-tui setup takes a server’s address, shows what answers there, and uses it after a yes', async () => {
  await using server = await startScriptedServer([say('At your service.')]);
  using place = scratch();
  const path = place.env.AISH_CONFIG ?? '';
  writeFileSync(path, '{ "model": "demo" }');
  await using rig = await openRig(place, '[aish:demo]>', { columns: 110 });
  rig.type(':setup http://127.0.0.1:9\r');
  await rig.waitFor('nothing answers at http://127.0.0.1:9');
  rig.type(`:setup 127.0.0.1:${server.port}\r`);
  await rig.waitFor(/model scripted: ✓ ready, window 16,384 tokens[\s\S]*> :setup 127\.0\.0\.1:\d+ yes/);
  rig.key('enter');
  await rig.waitFor(/is saved in [\s\S]*\[aish:fast\]>/);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    model: 'fast',
    models: { fast: { base_url: server.baseUrl, model: 'scripted' } },
  });
});

it.each([
  ['a slash behind it', (port: number) => `http://127.0.0.1:${port}/v1/`],
  ['another name of this machine', (port: number) => `http://localhost:${port}/v1`],
  ['no /v1', (port: number) => `http://localhost:${port}`],
])(
  'aish-tui setup changes only the model of a preset whose address differs by %s, and asks the server with the preset’s key',
  async (_, as) => {
    await using server = await startScriptedServer([say('At your service.')]);
    const gate = {
      base_url: as(server.port),
      model: 'gone',
      api_key_env: 'GATE_KEY',
      secrets: 'scrub',
      context: 9000,
    };
    using place = scratch(undefined, { model: 'demo', models: { gate } });
    const path = place.env.AISH_CONFIG ?? '';
    await using rig = await openRig(place, '[aish:demo]>', { columns: 110, env: { GATE_KEY: 'key-of-the-gate' } });
    rig.type(`:setup 127.0.0.1:${server.port}\r`);
    await rig.waitFor(
      /model scripted: ✓ ready, window 9,000 tokens[\s\S]*Enter writes this into[\s\S]*only the model of gate changes[\s\S]*> :setup 127\.0\.0\.1:\d+ yes/,
    );
    expect(rig.text()).not.toContain('base_url');
    rig.key('enter');
    await rig.waitFor(/is saved in [\s\S]*\[aish:gate\]>/);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      model: 'gate',
      models: { gate: { ...gate, model: 'scripted' } },
    });
    rig.type('?are you there\r');
    await rig.waitFor('At your service.');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer key-of-the-gate');
  },
);

it('aish-tui setup does not treat a preset as the same when its address lacks a part that its server needs', async () => {
  await using peer = await startPeer({ '/v1/models': { data: [{ id: 'first' }] } });
  using place = scratch(undefined, { model: 'demo', models: { fast: { base_url: `http://127.0.0.1:${peer.port}` } } });
  await using rig = await openRig(place, '[aish:demo]>', { columns: 110 });
  rig.type(`:setup localhost:${peer.port} please\r`);
  await rig.waitFor(/use :setup localhost:\d+ to test it, then :setup localhost:\d+ yes/);
  rig.type(`:setup localhost:${peer.port}\r`);
  await rig.waitFor(/"server": \{[\s\S]*> :setup localhost:\d+ yes/);
});

it('aish-tui setup finds a preset by a name with or without dots, and keeps its model if the server has it', async () => {
  await using peer = await startPeer({
    '/v1/models': { data: [{ id: 'first' }, { id: 'second', context_window: 9000 }] },
  });
  const models = {
    small: { base_url: peer.baseUrl, model: 'first' },
    'qwen2.5': { base_url: peer.baseUrl, model: 'second' },
    'far/one': { base_url: 'http://127.0.0.1:9/v1' },
  };
  using place = scratch(undefined, { model: 'demo', models });
  await using rig = startRig(place, { columns: 110, env: { OLLAMA_HOST: `127.0.0.1:${peer.port}` } });
  await rig.waitFor('[aish:demo]>');
  rig.type(':setup far/one\r');
  await rig.waitFor('far/one is configured, and was not found on this machine: :model far/one uses it');
  rig.type(':setup qwen2.5\r');
  await rig.waitFor(/model second: ✓ ready, window 9,000 tokens[\s\S]*> :setup qwen2\.5 yes/);
});

it('aish-tui setup does not accept a remote server’s list of models as a proof that it works', async () => {
  await using peer = await startPeer({ '/v1/models': { data: [{ id: 'open' }] } });
  await using rig = await openRig(scratch(), '[aish:demo]>', { columns: 110 });
  rig.type(`:setup http://[::ffff:127.0.0.1]:${peer.port}\r`);
  await rig.waitFor('to everybody; to answer it may want a key: api_key_env');
});

it('lists what was found on the first screen where no model is configured; Enter tests one and saves it', async () => {
  await using server = await startScriptedServer([]);
  using place = scratch(undefined, { models: {} });
  await using rig = startRig(place, { columns: 100, env: { OLLAMA_HOST: `127.0.0.1:${server.port}` } });
  await rig.waitFor(/Found on this machine[\s\S]*scripted +127\.0\.0\.1:\d+ +✓ answers/);
  expect(JSON.parse(readFileSync(place.env.AISH_CONFIG ?? '', 'utf8')).models).toEqual({});
  // Servers of this machine may come first.
  while (!/❯ \S+ +scripted/.test(rig.text())) {
    const before = rig.text();
    rig.key('down');
    await rig.waitFor(() => rig.text() !== before);
  }
  rig.key('enter');
  await rig.waitFor(/is saved in [\s\S]*\[aish:\w+\]>/);
  expect(readFileSync(place.env.AISH_CONFIG ?? '', 'utf8')).toContain(`"base_url": "${server.baseUrl}"`);
});
