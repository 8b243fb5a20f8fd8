/** Requests of a login: over https or within this machine, short, and bounded. */
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Whether nobody on the way can read what is sent there. */
export function isGuarded(url: string | URL): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname));
}

/** Where a description may have moved to, at most this often. */
const MAX_REDIRECTS = 5;

/** Given up with `signal`. */
export function guardedFetch(signal: AbortSignal): FetchLike {
  return async (url, init) => {
    const limits = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await followed(url, { ...init, signal: limits });
    if (!response.body) return response;
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > MAX_BYTES) throw new Error(`${new URL(url).origin} answered more than ${MAX_BYTES / 1024} kB`);
      pieces.push(piece);
    }
    const { status, statusText, headers } = response;
    return new Response(Buffer.concat(pieces), { status, statusText, headers });
  };
}

/** Each address on the way is guarded. What carries a code or a token goes to the address that it is for, and no other. */
async function followed(url: string | URL, init: RequestInit): Promise<Response> {
  let at = new URL(url);
  for (let left = MAX_REDIRECTS; ; left -= 1) {
    if (!isGuarded(at)) throw new Error(`${at.origin} is not reached over https; refused`);
    const response = await fetch(at, { ...init, redirect: 'manual' });
    const to = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (to === null) return response;
    await response.body?.cancel();
    if ((init.method ?? 'GET') !== 'GET' || left === 0)
      throw new Error(`${at.origin} sends the request elsewhere; refused`);
    at = new URL(to, at);
  }
}
