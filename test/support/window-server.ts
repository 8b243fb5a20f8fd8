/**
 * A model server with a window: counts every request with a real tokenizer, as a chat template would lay it out, refuses
 * what does not fit as llama.cpp does, and answers with the script's next turn.
 *
 *     const server = await startWindowServer({ window: 4096, tokenizer: 'cl100k', tells: ['props', 'tokenize', 'usage'] });
 *     … run a session against server.baseUrl …
 *     expect(server.requests.every(({ tokens, answer }) => tokens + answer <= 4096)).toBe(true);
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type WireMessage = {
  readonly role: string;
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
};

export type WindowRequest = {
  readonly messages: readonly WireMessage[];
  /** The number of tokens of the whole prompt, as the server's tokenizer counts them. */
  readonly tokens: number;
  /** The request's `max_tokens`. */
  readonly answer: number;
  readonly refused: boolean;
};

/** Returns the model's reply to the n-th accepted request, from 0. */
type Script = (
  nth: number,
  messages: readonly WireMessage[],
) => {
  readonly text: string;
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
};

export type WindowOptions = {
  readonly window: number;
  readonly tokenizer: 'o200k' | 'cl100k' | 'r50k';
  /** The information that the server offers: its window, a tokenizer, its counts. */
  readonly tells: readonly ('props' | 'tokenize' | 'usage')[];
  readonly script: Script;
};

export type WindowServer = {
  readonly baseUrl: string;
  readonly requests: readonly WindowRequest[];
  [Symbol.asyncDispose](): Promise<void>;
};

const LOADERS = {
  o200k: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k: () => import('gpt-tokenizer/encoding/cl100k_base'),
  r50k: () => import('gpt-tokenizer/encoding/r50k_base'),
} as const;

/** Starts it on a free port of this machine. */
export async function startWindowServer(options: WindowOptions): Promise<WindowServer> {
  const { window, tells, script } = options;
  const { countTokens } = await LOADERS[options.tokenizer]();
  const count = (text: string) => countTokens(text, { disallowedSpecial: new Set() });
  const requests: WindowRequest[] = [];
  let answered = 0;

  const chat = (body: Record<string, unknown>, res: ServerResponse): void => {
    const messages = body.messages as readonly WireMessage[];
    const tokens = count(chatMl(messages, body.tools as readonly unknown[] | undefined));
    const answer = Number(body.max_tokens);
    const refused = tokens + answer > window;
    requests.push({ messages, tokens, answer, refused });
    if (refused) {
      const error = { code: 400, type: 'exceed_context_size_error', message: 'too long', n_prompt_tokens: tokens };
      return send(res, 400, { error: { ...error, n_ctx: window } });
    }
    const { text, calls = [] } = script(answered, messages);
    answered += 1;
    const tool_calls = calls.map(({ name, args }, index) => ({
      index,
      id: `call_${answered}_${index}`,
      function: { name, arguments: JSON.stringify(args) },
    }));
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = (value: object) => res.write(`data: ${JSON.stringify(value)}\n\n`);
    event({ choices: [{ delta: { content: text, ...(calls.length > 0 && { tool_calls }) } }] });
    event({ choices: [{ delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }] });
    const usage = { prompt_tokens: tokens, completion_tokens: count(text + JSON.stringify(tool_calls)) };
    if (tells.includes('usage')) event({ choices: [], usage });
    res.end('data: [DONE]\n\n');
  };

  const server = createServer(async (req, res) => {
    const body = (await jsonOf(req)) as Record<string, unknown>;
    if (req.url === '/v1/chat/completions') return chat(body, res);
    if (req.url === '/v1/models') return send(res, 200, { data: [{ id: 'windowed' }] });
    if (req.url === '/props' && tells.includes('props'))
      return send(res, 200, { default_generation_settings: { n_ctx: window } });
    if (req.url === '/tokenize' && tells.includes('tokenize'))
      return send(res, 200, { tokens: Array(count(String(body.content))).fill(0) });
    send(res, 404, { error: { message: 'not here' } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    baseUrl: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`,
    requests,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns the prompt in the widespread ChatML format. */
function chatMl(messages: readonly WireMessage[], tools: readonly unknown[] = []): string {
  const signatures = tools.map((tool) => JSON.stringify(tool)).join('\n');
  const preamble = `\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n${signatures}\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>`;
  const parts = messages.map(({ role, content, tool_calls = [] }, index) => {
    const calls = tool_calls.map(
      (call) =>
        `\n<tool_call>\n{"name": "${call.function.name}", "arguments": ${call.function.arguments}}\n</tool_call>`,
    );
    const text = role === 'tool' ? `<tool_response>\n${content}\n</tool_response>` : content;
    const head = index === 0 && tools.length > 0 ? preamble : '';
    return `<|im_start|>${role === 'tool' ? 'user' : role}\n${text}${head}${calls.join('')}<|im_end|>\n`;
  });
  return `${parts.join('')}<|im_start|>assistant\n`;
}

function send(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

async function jsonOf(req: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString('utf8') || '{}');
}
