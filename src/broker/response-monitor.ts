/** What the broker must know of an answer's bytes and the client library does not tell. */
export type ResponseMonitor = {
  readonly fetch: typeof fetch;
  /** The server ended its stream with `[DONE]`. */
  done(): boolean;
};

/** Bytes of one answer, overhead included; far beyond any real one. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** An answer of a kind that can't be read as a chat answer. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

/**
 * A `fetch` that tells of every byte (keep-alive comments included: a server that sends them is alive), sees `[DONE]`,
 * bounds the size, does not follow redirects (the conversation goes only where the user said), and turns a plain JSON
 * body into an event when a stream was asked for.
 */
export function createResponseMonitor(onBytes: () => void): ResponseMonitor {
  let tail = '';
  let bytes = 0;
  const decoder = new TextDecoder('latin1');

  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onBytes();
      bytes += chunk.byteLength;
      if (bytes > MAX_ANSWER_BYTES) throw new AnswerError(`more than ${MAX_ANSWER_BYTES} bytes`);
      tail = (tail + decoder.decode(chunk.subarray(-64))).slice(-64);
      controller.enqueue(chunk);
    },
  });

  return {
    done: () => /(^|\n)data:\s*\[DONE\]\s*$/.test(tail),
    async fetch(input, init) {
      const response = await fetch(input, { ...init, redirect: 'manual' });
      const body = response.body?.pipeThrough(watch) ?? null;
      const streamed = typeof init?.body === 'string' && init.body.includes('"stream":true');
      const type = response.headers.get('content-type') ?? '';
      if (response.ok && type.includes('html')) {
        void body?.cancel();
        throw new AnswerError('a web page; base_url usually ends in /v1');
      }
      if (!response.ok || !streamed || !type.includes('json')) return new Response(body, copied(response));
      const text = await new Response(body).text();
      return new Response(`data: ${text.replaceAll(/\s*\n\s*/g, ' ')}\n\n`, { status: response.status });
    },
  };
}

function copied(response: Response): ResponseInit {
  const headers = new Headers(response.headers);
  // The body is decoded already.
  headers.delete('content-encoding');
  headers.delete('content-length');
  return { status: response.status, statusText: response.statusText, headers };
}
