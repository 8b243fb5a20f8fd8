/** A server over streamable HTTP. Redirects to another origin are not followed: headers may hold secrets. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { LongAnswers } from './long-json.ts';
import type { Authorization } from './oauth/authorization.ts';

/** The longest answer taken to one request, in bytes. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
/** How long a server may take to be told of the end. In ms. */
const CLOSE_TIMEOUT_MS = 1000;

export class HttpTransport extends StreamableHTTPClientTransport {
  /** @param authorization of a server that may want a login */
  constructor(url: string, headers: Readonly<Record<string, string>>, authorization?: Authorization) {
    const bounded = authorization?.fetch(boundedFetch) ?? boundedFetch;
    const answers = new LongAnswers();
    const fetch: FetchLike = async (from, init) => answers.of(await bounded(from, init));
    super(new URL(url), { requestInit: { headers }, fetch });
    // The client sets its own later; what it is handed is the message, not what stood for it.
    let take: typeof this.onmessage;
    Object.defineProperty(this, 'onmessage', {
      get: () => take,
      set: (next: typeof this.onmessage) => {
        take = next && ((message: JSONRPCMessage) => next(answers.restored(message)));
      },
    });
  }

  /** Ends the session on the server as well, where it answers soon. */
  override async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([this.terminateSession().catch(() => {}), late]).finally(() => clearTimeout(timer));
    await super.close();
  }
}

/** Each answer is bounded; the long-lived stream of a GET carries many and is not. */
const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (!response.body || init?.method === 'GET') return response;
  let left = MAX_ANSWER_BYTES;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      left -= piece.length;
      if (left < 0) controller.error(new Error(`it answered more than ${MAX_ANSWER_BYTES / 1024 / 1024} MB`));
      else controller.enqueue(piece);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
};
