/**
 * A server that misbehaves on the wire in exactly one way, each seen at a real server.
 *
 *     const server = await startFaultServer('early-end');
 *     const reply = await broker.chatStream(…preset at server.baseUrl…);
 *
 * `server.calls()` counts chat requests; a fault that passes (loading, rate limits) answers properly afterwards.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';

type Call = { readonly res: ServerResponse; readonly nth: number; readonly body: Readonly<Record<string, unknown>> };
type Act = (call: Call) => void;

/** Returns one `data:` event. */
const event = (value: unknown): string => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const delta = (value: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
const content = (text: string): string => delta({ content: text });
const calls = (...entries: readonly object[]): string => delta({ tool_calls: entries });
const stop = (reason = 'stop'): string => delta({}, reason);
const DONE = event('[DONE]');
const USAGE = event({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } });

const stream =
  (...parts: readonly string[]): Act =>
  ({ res }) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(parts.join(''));
  };
/** Sends a text and then neither continues nor ends. */
const openStream =
  (...parts: readonly string[]): Act =>
  ({ res }) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(parts.join(''));
  };
/** Sends `before`, and then the same text until the client disconnects. */
const forEver =
  (text: string, before = ''): Act =>
  ({ res }) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(before);
    pour(res, text);
  };
function pour(res: ServerResponse, text: string): void {
  if (!res.destroyed) res.write(text, () => setImmediate(pour, res, text));
}
/** Sends `text` this many times between a beginning and an end, and ends. */
const flood =
  (text: string, times: number, before = '', after = ''): Act =>
  ({ res }) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(before);
    const more = (left: number): void => {
      if (res.destroyed) return;
      if (left === 0) res.end(after);
      else res.write(text, () => setImmediate(more, left - 1));
    };
    more(times);
  };
const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Act =>
  ({ res }) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(JSON.stringify(body));
  };
const error = (
  status: number,
  message: string,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Act => json(status, { error: { message, code: status, ...more } }, headers);
/** Fails `times` times, then answers. */
const first =
  (times: number, bad: Act): Act =>
  (call) =>
    (call.nth <= times ? bad : WELL)(call);

const WELL = stream(content('fine'), stop(), USAGE, DONE);
/** The start and end of an event, between which the text of an answer is put. */
const OPEN_EVENT = 'data: {"choices":[{"delta":{"content":"';
const CLOSED_EVENT = '"}}]}\n\n';
const LOADING = error(503, 'Loading model', { type: 'unavailable_error' });
const bash = (args: unknown): object => ({ name: 'bash', arguments: args });

const FAULTS = {
  none: WELL,
  'no-usage': stream(content('fine'), stop(), DONE),
  'usage-on-every-chunk': stream(
    event({ choices: [{ delta: { content: 'fi' } }], usage: { prompt_tokens: 11, completion_tokens: 1 } }),
    event({
      choices: [{ delta: { content: 'ne' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 11, completion_tokens: 2 },
    }),
    DONE,
  ),
  'missing-ids': stream(calls({ index: 0, function: bash('{"command":"ls"}') }), stop('tool_calls'), DONE),
  'no-ids-no-indexes': stream(
    calls({ function: bash('{"command":"ls"}') }, { function: bash('{"command":"pwd"}') }),
    stop('tool_calls'),
    DONE,
  ),
  'seventy-calls': stream(
    ...Array.from({ length: 70 }, (_, index) => calls({ index, id: `c${index}`, function: bash('{"command":"ls"}') })),
    stop('tool_calls'),
    DONE,
  ),
  'object-arguments': stream(calls({ index: 0, id: 'a', function: bash({ command: 'ls' }) }), stop('tool_calls'), DONE),
  'double-encoded-arguments': stream(
    calls({ index: 0, id: 'a', function: bash(JSON.stringify('{"command":"ls"}')) }),
    stop('tool_calls'),
    DONE,
  ),
  'arguments-in-pieces': stream(
    calls({ index: 0, id: 'a', type: 'function', function: bash('') }),
    calls({ index: 0, function: { name: null, arguments: '{"comm' } }),
    calls({ index: 0, id: '', function: { name: '', arguments: 'and":"ls"}' } }),
    stop('tool_calls'),
    DONE,
  ),
  'no-arguments': stream(calls({ index: 0, id: 'a', function: { name: 'jobs' } }), stop('tool_calls'), DONE),
  'broken-arguments': stream(calls({ index: 0, id: 'a', function: bash('{"command":') }), stop('tool_calls'), DONE),
  'index-always-zero': stream(
    calls({ index: 0, id: 'a', function: bash('{"command":"ls"}') }),
    calls({ index: 0, id: 'b', function: bash('{"command":"pwd"}') }),
    stop('stop'),
    DONE,
  ),
  'index-always-zero-no-ids': stream(
    calls({ index: 0, function: bash('{"command":"ls"}') }),
    calls({ index: 0, function: bash({ command: 'pwd' }) }),
    stop('tool_calls'),
    DONE,
  ),
  'same-id-twice': stream(
    calls(
      { index: 0, id: 'a', function: bash('{"command":"ls"}') },
      { index: 1, id: 'a', function: bash('{"command":"pwd"}') },
    ),
    stop('tool_calls'),
    DONE,
  ),
  'announced-calls-missing': stream(content('I will.'), stop('tool_calls'), DONE),
  'reasoning-content': stream(delta({ reasoning_content: 'hm' }), content('fine'), stop(), DONE),
  'reasoning-field': stream(delta({ reasoning: 'hm' }), content('fine'), stop(), DONE),
  'think-tags-in-pieces': stream(...['<th', 'ink>h', 'm</thi', 'nk>\n\nfi', 'ne'].map(content), stop(), DONE),
  'lone-think-end': stream(content('hm\n</think>\n\nfine'), stop(), DONE),
  'content-parts': stream(
    delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
    delta({ content: [{ type: 'text', text: 'fine' }] }),
    stop(),
    DONE,
  ),
  'only-thinking': stream(delta({ reasoning_content: 'hm hm' }), stop('length'), DONE),
  'empty-answer': stream(stop(), DONE),
  'no-body': (({ res }) => res.writeHead(200, { 'content-type': 'application/json' }).end()) as Act,
  'keep-alive': stream(':\n\n', ': still at it\n\n', content('fi'), ':\n\n', content('ne'), stop(), DONE),
  'done-without-finish': stream(content('fine'), DONE),
  'finish-without-done': stream(content('fine'), stop()),
  'error-in-mid-stream': stream(content('half'), event({ error: { code: 500, message: 'out of memory' } })),
  'error-as-text': stream(content('half'), event({ error: 'out of memory' })),
  'error-event': stream(content('half'), `event: error\n${event({ error: { code: 500, message: 'out of memory' } })}`),
  'finish-error': stream(content('half'), stop('error')),
  'early-end': stream(content('half')),
  'empty-end': stream(),
  'cut-command': stream(content('I do it.\n\nCMD: touch mark\n'), content('CMD: touch mark-two')),
  killed({ res }: Call) {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(content('half'), () => res.destroy());
  },
  'killed-at-once'({ res }: Call) {
    res.destroy();
  },
  garbage: stream(content('half'), event('{"choices":[{"del'), DONE),
  stall: openStream(content('half')),
  'stall-before-anything': openStream(),
  'long-keep-alive'({ res }: Call) {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    let left = 60;
    const timer = setInterval(() => {
      if (left-- > 0) return void res.write(':\n\n');
      clearInterval(timer);
      res.end(content('fine') + stop() + DONE);
    }, 10);
    res.on('close', () => clearInterval(timer));
  },
  'never-ends': forEver(content('on and on '.repeat(500)).repeat(5)),
  'line-never-ends': forEver('x'.repeat(64 * 1024), OPEN_EVENT),
  'event-never-ends': forEver('data: [\n'.repeat(8 * 1024)),
  'ten-megabytes-in-one-line': flood(content('word '.repeat(2000)), 1000, '', stop() + DONE),
  'ten-megabytes-in-one-event': flood('word '.repeat(2000), 1000, OPEN_EVENT, CLOSED_EVENT),
  'ten-megabytes-without-a-line-end': flood('word '.repeat(2000), 1000),
  // The stream has no end of a paragraph, and stays just below the accepted size.
  'stops-short-of-a-megabyte': openStream(content('word '.repeat(2000)).repeat(95)),
  'line-of-64-megabytes': flood('x'.repeat(64 * 1024), 1024, OPEN_EVENT, CLOSED_EVENT),
  'arguments-never-end': forEver(calls({ index: 0, id: 'c', function: { name: 'bash', arguments: 'x'.repeat(9000) } })),
  'deep-event': stream(content('half'), event(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), DONE),
  'deep-arguments': stream(
    calls({ index: 0, id: 'a', function: bash(`{"command":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) }),
    stop('tool_calls'),
    DONE,
  ),
  'error-never-ends': ({ res }: Call) => {
    res.writeHead(500, { 'content-type': 'text/plain' });
    pour(res, 'it is broken '.repeat(5000));
  },
  'line-ends-of-old': stream(content('fine').replaceAll('\n', '\r'), stop().replaceAll('\n', '\r\n'), DONE),
  'no-last-line-end': stream(content('fine'), `${stop().trimEnd()}`),
  loading: first(2, LOADING),
  'loading-for-ever': LOADING,
  'rate-limited': first(1, error(429, 'slow down', {}, { 'retry-after': '2' })),
  'rate-limited-for-ever': error(429, 'slow down'),
  'rate-limited-for-an-hour': error(429, 'slow down', {}, { 'retry-after': '3600' }),
  'busy-for-ever': error(503, 'all slots are taken'),
  'no-credit': error(429, 'You exceeded your current quota', { type: 'insufficient_quota' }),
  'server-error': error(500, 'something broke'),
  'template-error': error(500, 'Jinja Exception: System message must be at the beginning.'),
  'not-json-error': (({ res }) =>
    res.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>')) as Act,
  unauthorised: error(401, 'Incorrect API key provided: sk-secret-1234'),
  'no-such-model': error(404, "model 'x' not found"),
  overflow: error(400, 'the request exceeds the available context size', {
    type: 'exceed_context_size_error',
    n_prompt_tokens: 9000,
    n_ctx: 4096,
  }),
  'overflow-openai': error(400, "This model's maximum context length is 8192 tokens.", {
    code: 'context_length_exceeded',
  }),
  'error-with-200': json(200, { error: { message: 'no provider', code: 502 } }),
  'json-instead-of-stream': json(200, {
    choices: [{ message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7 },
  }),
  'web-page': (({ res }) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>')) as Act,
  redirect: (({ res }) => res.writeHead(307, { location: 'http://127.0.0.1:9/v1/chat/completions' }).end()) as Act,
  'cut-call': stream(calls({ index: 0, id: 'a', function: bash('{') }), stop('length'), USAGE, DONE),
  'cut-second-call': stream(
    calls({ index: 0, id: 'a', function: bash('{"command":"ls"}') }, { index: 1, id: 'b', function: bash('{"comm') }),
    stop('length'),
    DONE,
  ),
  'raw-tool-call': stream(
    ...['Let me look.\n<tool', '_call>{"name": "bash", "argum', 'ents": {"command": "ls"}}</tool_call>'].map(content),
    stop(),
    DONE,
  ),
  'raw-tool-call-xml': stream(
    content('<tool_call>\n<function=bash>\n<parameter=command>\nls -l\n</parameter>\n</function>\n</tool_call>'),
    stop(),
    DONE,
  ),
  'wants-max-completion-tokens'(call: Call) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    ('max_tokens' in call.body ? error(400, message, { type: 'invalid_request_error' }) : WELL)(call);
  },
  'knows-no-tools'(call: Call) {
    ('tools' in call.body ? error(400, 'registry.ollama.ai/library/gemma3 does not support tools') : WELL)(call);
  },
} satisfies Readonly<Record<string, Act>>;

export type FaultName = keyof typeof FAULTS;

/** Returns what a server with this fault does to a request. */
export function actOf(fault: FaultName): Act {
  return FAULTS[fault];
}

export type FaultServer = {
  /** The address, which ends in `/v1`. */
  readonly baseUrl: string;
  /** Returns how many chat requests came. */
  calls(): number;
  /** The bodies of the chat requests, in order. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  /** Resolves when a client has dropped a connection before the end of the answer. */
  dropped(): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts a server with one fault on a free port of this machine. */
export async function startFaultServer(fault: FaultName): Promise<FaultServer> {
  const bodies: Readonly<Record<string, unknown>>[] = [];
  const { promise: dropped, resolve: onDropped } = Promise.withResolvers<void>();
  const act: Act = FAULTS[fault];
  const server = createServer(async (req, res) => {
    const body = JSON.parse((await textOf(req)) || '{}') as Readonly<Record<string, unknown>>;
    if (!req.url?.endsWith('/chat/completions'))
      return json(404, { error: { message: 'not here' } })({ res, nth: 0, body });
    res.on('close', () => !res.writableFinished && onDropped());
    bodies.push(body);
    act({ res, nth: bodies.length, body });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls: () => bodies.length,
    bodies,
    dropped: () => dropped,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Starts it in a process of its own, so that its output does not burden the process that measures. */
export async function forkFaultServer(
  fault: FaultName,
): Promise<Pick<FaultServer, 'baseUrl' | 'calls'> & AsyncDisposable> {
  const child = fork(fileURLToPath(new URL('fault-process.ts', import.meta.url)), [fault]);
  let told = { baseUrl: '', calls: 0 };
  child.on('message', (message) => {
    told = message as typeof told;
  });
  await once(child, 'message');
  return {
    baseUrl: told.baseUrl,
    calls: () => told.calls,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}

async function textOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
