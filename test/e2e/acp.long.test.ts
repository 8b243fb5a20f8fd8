import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { lacks } from '../support/lacks.ts';
import { PROGRAM, type Scratch, scratch } from '../support/program.ts';
import { call, hold, say, startScriptedServer } from '../support/scripted-server.ts';

type Decide = (request: RequestPermissionRequest) => Promise<string | undefined> | string | undefined;

/** An editor, played by the protocol's own client on the program's standard input and output. */
async function editor<T>(
  place: Scratch,
  decide: Decide,
  work: (it: {
    readonly agent: ClientContext;
    readonly updates: SessionUpdate[];
    readonly asked: RequestPermissionRequest[];
    readonly child: ChildProcess;
  }) => Promise<T>,
): Promise<T> {
  ensureBuilt();
  const child = spawn(PROGRAM, ['acp'], { cwd: place.work, env: place.env, stdio: ['pipe', 'pipe', 'inherit'] });
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
  try {
    return await client({ name: 'test' })
      .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        asked.push(params);
        const optionId = await decide(params);
        return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
      })
      .connectWith(stream, async (agent) => {
        await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
        return work({ agent, updates, asked, child });
      });
  } finally {
    child.stdin.end();
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  }
}

const open = (agent: ClientContext, cwd: string) => agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
const ask = (agent: ClientContext, sessionId: string, text: string) =>
  agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
const textOf = (updates: readonly SessionUpdate[], kind: SessionUpdate['sessionUpdate']) =>
  updates
    .flatMap((update) => (update.sessionUpdate === kind && 'content' in update ? [JSON.stringify(update.content)] : []))
    .join('');

const CONFIG = { safety: { llm_second_opinion: false }, mode: 'unrestricted' };

it('aish-tui acp answers an editor’s question and lists its modes', async () => {
  await using server = await startScriptedServer([say('The answer is 42.')]);
  using place = scratch(server.baseUrl, CONFIG);
  await editor(
    place,
    () => undefined,
    async ({ agent, updates }) => {
      const { sessionId, modes } = await open(agent, place.work);
      expect(modes?.availableModes.map(({ id }) => id)).toEqual(['restricted', 'project', 'unrestricted']);
      expect(await ask(agent, sessionId, 'what is the answer?')).toMatchObject({ stopReason: 'end_turn' });
      expect(textOf(updates, 'agent_message_chunk')).toContain('The answer is 42.');
    },
  );
});

it('aish-tui acp streams an answer in whole lines, each part once', async () => {
  const text = ['First ', 'line.\n', hold('more'), 'Sec', 'ond line.\n', 'Third.'];
  await using server = await startScriptedServer([{ text }]);
  using place = scratch(server.baseUrl, CONFIG);
  await editor(
    place,
    () => undefined,
    async ({ agent, updates }) => {
      const { sessionId } = await open(agent, place.work);
      const prompt = ask(agent, sessionId, 'three lines, please');
      const said = () =>
        updates.flatMap((update) =>
          update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? [update.content.text] : [],
        );
      await expect.poll(() => said().join(''), { timeout: 20_000 }).toBe('First line.\n');
      server.release('more');
      await prompt;
      expect(said().join('')).toBe('First line.\nSecond line.\nThird.\n');
    },
  );
});

it('a line announces that an answer broke off before the answer is sent again', async () => {
  await using server = await startScriptedServer([
    { text: ['First line.\n', hold('more'), 'Sec'], cut: true },
    say('Another answer.'),
  ]);
  using place = scratch(server.baseUrl, CONFIG);
  await editor(
    place,
    () => undefined,
    async ({ agent, updates }) => {
      const { sessionId } = await open(agent, place.work);
      const prompt = ask(agent, sessionId, 'three lines, please');
      await expect.poll(() => textOf(updates, 'agent_message_chunk'), { timeout: 20_000 }).toContain('First line.');
      server.release('more');
      await prompt;
      expect(textOf(updates, 'agent_message_chunk')).toMatch(/First line\..*broke off here.*Another answer\./);
    },
  );
});

it('aish-tui acp reads a text file that the editor links to, and leaves any other link as a link', async () => {
  await using server = await startScriptedServer([say('ok')]);
  using place = scratch(server.baseUrl, CONFIG);
  const path = join(place.work, 'notes.txt');
  writeFileSync(path, 'buy milk');
  await editor(
    place,
    () => undefined,
    async ({ agent }) => {
      const { sessionId } = await open(agent, place.work);
      await agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [
          { type: 'text', text: 'what is in it?' },
          { type: 'resource_link', name: 'notes', uri: pathToFileURL(path).href },
          { type: 'resource_link', name: 'page', uri: 'https://example.com/x' },
        ],
      });
      expect(server.requests[0]?.lastUser).toContain(`${path}:\n\`\`\`\nbuy milk\n\`\`\``);
      expect(server.requests[0]?.lastUser).toContain('[page](https://example.com/x)');
    },
  );
});

it.each([
  ['proceed', false, 'completed'],
  ['skip', true, undefined],
  [undefined, true, undefined],
  ['allow_always', true, undefined],
] as const)(
  'a HALT reaches the editor as a permission request with every finding, and the answer %s is obeyed',
  async (answer, stays, status) => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -r src' }), say('Done.')]);
    using place = scratch(server.baseUrl, CONFIG);
    mkdirSync(join(place.work, 'src'));
    writeFileSync(join(place.work, 'src', 'a.txt'), 'x');
    await editor(
      place,
      () => answer,
      async ({ agent, updates, asked }) => {
        const { sessionId } = await open(agent, place.work);
        const { stopReason } = await ask(agent, sessionId, 'remove the sources');
        expect(stopReason).toBe('end_turn');
        const [request] = asked;
        expect(asked).toHaveLength(1);
        expect(request?.toolCall.rawInput).toEqual({ command: 'rm -r src' });
        expect(JSON.stringify(request?.toolCall.content)).toMatch(/deletes|removes/);
        expect(request?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once', 'reject_once']);
        expect(existsSync(join(place.work, 'src', 'a.txt'))).toBe(stays);
        const ended = updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call_update');
        expect(ended.map((update) => ('status' in update ? update.status : undefined))).toEqual(status ? [status] : []);
      },
    );
  },
);

it('a cancel by the editor at an open permission request ends the prompt, and nothing runs', async () => {
  await using server = await startScriptedServer([call('bash', { command: 'rm -r src' }), say('Done.')]);
  using place = scratch(server.baseUrl, CONFIG);
  mkdirSync(join(place.work, 'src'));
  const never = new Promise<undefined>(() => {});
  await editor(
    place,
    () => never,
    async ({ agent, asked }) => {
      const { sessionId } = await open(agent, place.work);
      const prompt = ask(agent, sessionId, 'remove the sources');
      await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(1);
      await agent.notify(methods.agent.session.cancel, { sessionId });
      expect(await prompt).toMatchObject({ stopReason: 'cancelled' });
      expect(existsSync(join(place.work, 'src'))).toBe(true);
    },
  );
});

it('an editor that disconnects at a HALT counts as a no', async () => {
  await using server = await startScriptedServer([call('bash', { command: 'rm -r src' }), say('Done.')]);
  using place = scratch(server.baseUrl, CONFIG);
  mkdirSync(join(place.work, 'src'));
  let code: number | null = null;
  const never = new Promise<undefined>(() => {});
  const working = editor(
    place,
    () => never,
    async ({ agent, asked, child }) => {
      const { sessionId } = await open(agent, place.work);
      void ask(agent, sessionId, 'remove the sources').catch(() => {});
      await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(1);
      child.stdin?.end();
      code = await new Promise((resolve) => child.once('exit', resolve));
    },
  );
  // The connection closes during the call or has just closed.
  await working.catch(() => {});
  expect(code).toBe(0);
  expect(server.requests.length).toBe(1);
  expect(existsSync(join(place.work, 'src'))).toBe(true);
});

it('two sessions in two directories are independent, and an invalid request ends neither', async () => {
  await using server = await startScriptedServer([call('bash', { command: 'pwd' }), say('First.'), say('Second.')]);
  using place = scratch(server.baseUrl, CONFIG);
  mkdirSync(join(place.work, 'other'));
  await editor(
    place,
    () => 'proceed',
    async ({ agent, updates }) => {
      const [one, two] = await Promise.all([open(agent, join(place.work, 'other')), open(agent, place.work)]);
      expect(one.sessionId).not.toBe(two.sessionId);
      await ask(agent, one.sessionId, 'where are you?');
      expect(textOf(updates, 'tool_call_update')).toContain(join(place.work, 'other'));
      await ask(agent, two.sessionId, 'and you?');
      expect(textOf(updates, 'agent_message_chunk')).toContain('Second.');
      await expect(ask(agent, 'no-such', 'hello')).rejects.toThrow();
      await expect(open(agent, 'relative')).rejects.toThrow();
      await expect(agent.request(methods.agent.session.setMode, { ...two, modeId: 'free' })).rejects.toThrow();
      await expect(open(agent, '/no/such')).rejects.toThrow();
    },
  );
});

describe.skipIf(lacks('cc'))('aish-tui acp with the kernel sandbox', () => {
  it('lets the editor’s user change the mode', async () => {
    await using server = await startScriptedServer([]);
    using place = scratch(server.baseUrl);
    await editor(
      place,
      () => undefined,
      async ({ agent }) => {
        const { sessionId, modes } = await open(agent, place.work);
        expect(modes?.currentModeId).toBe('restricted');
        await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'unrestricted' });
        await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'restricted' });
      },
    );
  });
});

it.skipIf(lacks('curl') || lacks('cc'))('the editor is asked about a network connection once per session', async () => {
  const outside = createServer((_, reply) => reply.end('from outside')).listen(0, '127.0.0.2');
  await new Promise((resolve) => outside.once('listening', resolve));
  const address = outside.address();
  const host = `127.0.0.2:${typeof address === 'object' && address ? address.port : 0}`;
  const get = call('bash', { command: `curl -sS http://${host}/` });
  await using server = await startScriptedServer([get, get, say('done')]);
  using place = scratch(server.baseUrl, { ...CONFIG, mode: 'project' });
  await editor(
    place,
    ({ options }) => options.find(({ optionId }) => optionId === 'always')?.optionId,
    async ({ agent, asked }) => {
      const { sessionId } = await open(agent, place.work);
      await ask(agent, sessionId, 'fetch twice');
      expect(asked.map(({ toolCall }) => toolCall.title)).toEqual(['curl: connects to the network']);
      expect(asked[0]?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
      expect(JSON.stringify(server.requests.at(-1)?.messages).match(/from outside/g)).toHaveLength(2);
    },
  );
  outside.close();
});
