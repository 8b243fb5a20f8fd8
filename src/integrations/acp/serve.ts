/**
 * `aish-tui acp` (CL-1): editors control aish-tui through the Agent Client Protocol on standard input and output.
 * Each session is a separate process in the editor's directory, because shell, trust and journal belong to one
 * session.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  type AgentContext,
  agent,
  type ContentBlock,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type SessionModeState,
} from '@agentclientprotocol/sdk';
import { readText } from '../../app/attachments/read.ts';
import type { GlobalOptions } from '../../app/options.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { withAttached } from '../../session/message.ts';
import type { FromSession, ToSession } from './messages.ts';

/** Serves until standard input ends; then every session ends, even during a question. */
export async function serveAcp({ config, model, mode }: GlobalOptions, version: string): Promise<number> {
  const options = Object.entries({ config: config && resolve(config), model, mode }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const sessions = new Map<string, EditorSession>();
  let opened = 0;
  const find = (id: string): EditorSession => {
    const session = sessions.get(id);
    if (!session) throw RequestError.invalidParams(undefined, `there is no session ${id}`);
    return session;
  };
  const app = agent({ name: 'aish-tui' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'aish-tui', version },
      agentCapabilities: { loadSession: false, promptCapabilities: { embeddedContext: true } },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      if (!isAbsolute(params.cwd) || !statSync(params.cwd, { throwIfNoEntry: false })?.isDirectory())
        throw RequestError.invalidParams(undefined, 'cwd must be the absolute path of a directory');
      // Several sessions may open at once.
      opened += 1;
      const sessionId = `aish-${opened}`;
      const session = new EditorSession(sessionId, params.cwd, options, client);
      const modes = await session.ready;
      sessions.set(sessionId, session);
      if (params.mcpServers.length > 0)
        session.say(
          'The MCP servers of the editor are not taken over; aish-tui mcp add adds one to your own configuration.',
        );
      return { sessionId, modes };
    })
    .onRequest(methods.agent.session.prompt, async ({ params }) =>
      find(params.sessionId).prompt(await textOf(params.prompt)),
    )
    .onRequest(methods.agent.session.setMode, async ({ params }) => {
      await find(params.sessionId).changeMode(params.modeId);
      return {};
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => find(params.sessionId).tell({ kind: 'cancel' }));
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  );
  const ended = Promise.withResolvers<void>();
  void connection.closed.then(() => ended.resolve());
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => ended.resolve());
  await ended.promise;
  await Promise.all([...sessions.values()].map((session) => session.end()));
  return EXIT.ok;
}

/** One session, seen from the process that speaks with the editor. */
class EditorSession {
  readonly ready: Promise<SessionModeState>;
  readonly #id: string;
  readonly #child: ChildProcess;
  readonly #client: AgentContext;
  readonly #prompts = new Map<number, PromiseWithResolvers<PromptResponse>>();
  readonly #changes = new Map<number, PromiseWithResolvers<void>>();
  readonly #begun = Promise.withResolvers<SessionModeState>();
  readonly #gone = Promise.withResolvers<void>();
  #count = 0;

  constructor(id: string, cwd: string, options: readonly string[], client: AgentContext) {
    this.#id = id;
    this.#client = client;
    this.ready = this.#begun.promise;
    const [, program = ''] = process.argv;
    // Standard output belongs to the protocol: a session must not write to it.
    this.#child = fork(program, [...options, 'acp', '--session'], {
      cwd,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message: FromSession) => this.#take(message));
    this.#child.on('error', () => this.#lost());
    this.#child.on('exit', () => this.#lost());
  }

  prompt(text: string): Promise<PromptResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<PromptResponse>();
    this.#count += 1;
    this.#prompts.set(this.#count, { promise, resolve, reject });
    this.tell({ kind: 'prompt', prompt: this.#count, text });
    return promise;
  }

  changeMode(mode: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#count += 1;
    this.#changes.set(this.#count, { promise, resolve, reject });
    this.tell({ kind: 'mode', mode, change: this.#count });
    return promise;
  }

  tell(message: ToSession): void {
    if (this.#child.connected) this.#child.send(message);
  }

  say(text: string): void {
    void this.#client
      .notify(methods.client.session.update, {
        sessionId: this.#id,
        update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: `${text}\n` } },
      })
      .catch(() => {});
  }

  /** Resolves when its process has ended. */
  end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    return this.#gone.promise;
  }

  #take(message: FromSession): void {
    switch (message.kind) {
      case 'ready':
        return this.#begun.resolve(message.modes);
      case 'problem':
        return this.#begun.reject(RequestError.internalError(undefined, message.text));
      case 'update':
        void this.#client
          .notify(methods.client.session.update, { sessionId: this.#id, update: message.update })
          .catch(() => {});
        return;
      case 'ask':
        void this.#ask(message);
        return;
      case 'ended':
        this.#prompts.get(message.prompt)?.resolve({ stopReason: message.reason });
        this.#prompts.delete(message.prompt);
        return;
      case 'changed': {
        const change = this.#changes.get(message.change);
        this.#changes.delete(message.change);
        if (message.text === undefined) change?.resolve();
        else change?.reject(RequestError.invalidParams(undefined, message.text));
      }
    }
  }

  /** Asks the editor. On any error the answer is not yes. */
  async #ask({ question, request }: Extract<FromSession, { kind: 'ask' }>): Promise<void> {
    const outcome = await this.#client
      .request(methods.client.session.requestPermission, { sessionId: this.#id, ...request })
      .then((answer) => answer.outcome)
      .catch(() => ({ outcome: 'cancelled' as const }));
    this.tell({ kind: 'answer', question, outcome });
  }

  #lost(): void {
    const error = RequestError.internalError(undefined, 'the session has ended');
    this.#begun.reject(error);
    for (const { reject } of [...this.#prompts.values(), ...this.#changes.values()]) reject(error);
    this.#prompts.clear();
    this.#changes.clear();
    this.#gone.resolve();
  }
}

/**
 * Returns texts and embedded files as they are. A link to a local text file becomes its text, any other link its
 * address.
 */
async function textOf(blocks: readonly ContentBlock[]): Promise<string> {
  const texts = await Promise.all(
    blocks.map(async (block) => {
      if (block.type === 'text') return block.text;
      if (block.type === 'resource_link') return linked(block.name, block.uri);
      if (block.type === 'resource' && 'text' in block.resource)
        return `${block.resource.uri}:\n${block.resource.text}`;
      return '';
    }),
  );
  return texts.filter((text) => text !== '').join('\n\n');
}

async function linked(name: string, uri: string): Promise<string> {
  const link = `[${name}](${uri})`;
  try {
    const path = fileURLToPath(uri);
    const read = await readText(path, path);
    return read.ok ? withAttached('', [read.attached]) : link;
  } catch {
    // The address is not on this machine.
    return link;
  }
}
