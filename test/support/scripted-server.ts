/**
 * An OpenAI-compatible HTTP server whose model follows a script: for tests that run the whole program against it.
 *
 *     const server = await startScriptedServer([
 *       say('I look.\n\nCMD: ls'),                       // turns are used up in order …
 *       { text: ['Two ', hold('gate'), 'files.'] },       // … a hold waits for server.release('gate')
 *       whenever(/Detect destructive/, say('NO')),        // … but one that matches the request comes first, every time
 *     ]);
 *     … preset { baseUrl: server.baseUrl, model: 'scripted' } …
 *     const request = await server.request(2);            // the second one, as soon as it has come
 *     expect(request.lastUser).toContain('exit 0');
 *     await server.close();
 *
 * A request for which no turn is left is answered 400 `the script is over`, so that a test fails with a reason.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A pause in a turn that lasts until `server.release(name)`. */
export type Hold = { readonly hold: string };

export type Turn = {
  /** A turn only for requests whose JSON body matches. Matching turns are tried before the plain ones. */
  readonly when?: RegExp | ((request: ScriptedRequest) => boolean);
  /** Whether the turn answers every request that matches, instead of only one. */
  readonly always?: true;
  /** Makes the turn from the request, for answers that repeat a part of it. */
  readonly from?: (request: ScriptedRequest) => Turn;
  /** The chunks of the answer; a hold between two of them pauses the stream. */
  readonly text?: string | readonly (string | Hold)[];
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly args: unknown; readonly id?: string }[];
  /** Default: 10 per message and 5 per chunk, so that something is counted; null omits usage. */
  readonly usage?: { readonly prompt: number; readonly completion: number; readonly cost?: number } | null;
  readonly finish?: 'stop' | 'length' | 'tool_calls';
  /** The connection is closed after the text. */
  readonly cut?: true;
  /** An HTTP error instead of an answer. */
  readonly error?: { readonly status: number; readonly message: string; readonly retryAfter?: number };
};

type WireMessage = {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
};

export type ScriptedRequest = {
  /** The body exactly as it arrived. */
  readonly text: string;
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly WireMessage[];
  readonly system: string;
  /** The text of the newest user message. */
  readonly lastUser: string;
  readonly toolNames: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
  /** The client disconnected before the end of the answer. */
  aborted: boolean;
};

export type ScriptedServer = {
  /** The address, which ends in `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** All chat requests so far, in order. */
  readonly requests: readonly ScriptedRequest[];
  /**
   * Resolves to the n-th chat request, from 1, as soon as it has arrived. `matching` counts only those whose body
   * matches.
   */
  request(n: number, matching?: RegExp): Promise<ScriptedRequest>;
  /** Resolves when the client has dropped that request. */
  aborted(request: ScriptedRequest): Promise<void>;
  /** Adds turns at the end of the script. */
  add(...turns: readonly Turn[]): void;
  /** Lets a hold continue, now or when it is reached. */
  release(name: string): void;
  /** Drops every connection and stops; `await using` does it too. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A turn of text, in one chunk per word. */
export function say(text: string, more: Omit<Turn, 'text'> = {}): Turn {
  return { ...more, text: text.match(/\s*\S+\s*/g) ?? [text] };
}

/** A turn that calls one tool. */
export function call(name: string, args: unknown, text = ''): Turn {
  return { text, toolCalls: [{ name, args }] };
}

/** Returns a turn for every request that matches, for calls beside the conversation (the second opinion). */
export function whenever(when: RegExp | ((request: ScriptedRequest) => boolean), turn: Turn): Turn {
  return { ...turn, when, always: true };
}

export function hold(name: string): Hold {
  return { hold: name };
}

/** Starts the server on a free port of this machine. `window` is what `/props` reports, in tokens. */
export async function startScriptedServer(
  script: readonly Turn[],
  options: { readonly port?: number; readonly window?: number; readonly model?: string } = {},
): Promise<ScriptedServer> {
  const turns = [...script];
  const requests: ScriptedRequest[] = [];
  const released = new Set<string>();
  const waiting = new Set<() => void>();
  const changed = (): void => {
    for (const look of waiting) look();
  };
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });

  const chat = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const request = parseRequest(await bodyOf(req), req.headers);
    requests.push(request);
    res.on('close', () => {
      request.aborted = !res.writableFinished;
      changed();
    });
    changed();
    const taken = takeTurn(turns, request);
    const turn = taken?.from?.(request) ?? taken;
    if (!turn) return sendError(res, { status: 400, message: `the script is over (request ${requests.length})` });
    if (turn.error) return sendError(res, turn.error);
    const pass = (name: string): Promise<boolean> => until(() => released.has(name) || request.aborted || undefined);
    await (request.stream ? streamTurn(res, request, turn, pass) : sendTurn(res, request, turn, pass));
  };

  const model = options.model ?? 'scripted';
  const server: Server = createServer((req, res) => {
    const path = req.url ?? '';
    if (path.endsWith('/chat/completions')) void chat(req, res);
    else if (path.endsWith('/models')) sendJson(res, 200, { object: 'list', data: [{ id: model, object: 'model' }] });
    else if (path === '/props')
      sendJson(res, 200, { default_generation_settings: { n_ctx: options.window ?? 16_384 } });
    else if (path === '/health') sendJson(res, 200, { status: 'ok' });
    else sendJson(res, 404, { error: { message: `no ${path} here`, code: 404 } });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    request: (n, matching = /(?:)/) => until(() => requests.filter(({ text }) => matching.test(text))[n - 1]),
    aborted: (request) => until(() => request.aborted || undefined).then(() => undefined),
    add: (...more) => void turns.push(...more),
    release(name) {
      released.add(name);
      changed();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function takeTurn(turns: Turn[], request: ScriptedRequest): Turn | undefined {
  const matches = ({ when }: Turn): boolean =>
    when instanceof RegExp ? when.test(request.text) : Boolean(when?.(request));
  const special = turns.findIndex(matches);
  const at = special >= 0 ? special : turns.findIndex(({ when }) => when === undefined);
  const turn = turns[at];
  if (turn && !turn.always) turns.splice(at, 1);
  return turn;
}

function parseRequest(text: string, headers: IncomingMessage['headers']): ScriptedRequest {
  const body = JSON.parse(text) as Record<string, unknown>;
  const messages = (body.messages ?? []) as WireMessage[];
  const tools = (body.tools ?? []) as { function: { name: string } }[];
  return {
    text,
    body,
    headers,
    model: String(body.model),
    stream: body.stream === true,
    messages,
    system: messages.find(({ role }) => role === 'system')?.content ?? '',
    lastUser: messages.findLast(({ role }) => role === 'user')?.content ?? '',
    toolNames: tools.map((tool) => tool.function.name),
    aborted: false,
  };
}

type Pass = (name: string) => Promise<boolean>;

async function streamTurn(res: ServerResponse, request: ScriptedRequest, turn: Turn, pass: Pass): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choice: object, more: object = {}): void => {
    res.write(
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [choice], ...more })}\n\n`,
    );
  };
  send({ index: 0, delta: { role: 'assistant', content: null } });
  if (turn.reasoning) send({ index: 0, delta: { reasoning_content: turn.reasoning } });
  for (const piece of pieces(turn)) {
    if (typeof piece !== 'string') await pass(piece.hold);
    else send({ index: 0, delta: { content: piece } });
    if (request.aborted) return;
  }
  if (turn.cut) return void res.socket?.end();
  for (const [index, entry] of wireCalls(turn, request).entries())
    send({ index: 0, delta: { tool_calls: [{ index, ...entry }] } });
  send({ index: 0, delta: {}, finish_reason: finishOf(turn) });
  const usage = usageOf(turn, request);
  if (usage) res.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
  res.end('data: [DONE]\n\n');
}

async function sendTurn(res: ServerResponse, request: ScriptedRequest, turn: Turn, pass: Pass): Promise<void> {
  let content = '';
  for (const piece of pieces(turn)) {
    if (typeof piece === 'string') content += piece;
    else await pass(piece.hold);
  }
  if (request.aborted) return;
  const calls = wireCalls(turn, request);
  const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
  const usage = usageOf(turn, request);
  sendJson(res, 200, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finishOf(turn) }],
    ...(usage && { usage }),
  });
}

function pieces({ text = [] }: Turn): readonly (string | Hold)[] {
  return typeof text === 'string' ? [text].filter((piece) => piece !== '') : text;
}

function wireCalls({ toolCalls = [] }: Turn, { messages }: ScriptedRequest) {
  return toolCalls.map(({ name, args, id }, n) => ({
    id: id ?? `call_${messages.length}_${n}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
}

function finishOf({ finish, toolCalls = [] }: Turn): string {
  return finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

function usageOf(turn: Turn, { messages }: ScriptedRequest) {
  if (turn.usage === null) return undefined;
  const { prompt, completion, cost } = {
    prompt: messages.length * 10,
    completion: pieces(turn).length * 5,
    cost: undefined,
    ...turn.usage,
  };
  return { prompt_tokens: prompt, completion_tokens: completion, ...(cost !== undefined && { cost }) };
}

function sendError(res: ServerResponse, { status, message, retryAfter }: NonNullable<Turn['error']>): void {
  if (retryAfter !== undefined) res.setHeader('retry-after', String(retryAfter));
  sendJson(res, status, { error: { message, type: 'server_error', code: status } });
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
