/** Requests of a login: over https or within this machine, short, and bounded. */
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Whether nobody on the way can read what is sent there. */
export function isGuarded(url: string | URL): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname));
}

/** Given up with `signal`. */
export function guardedFetch(signal: AbortSignal): FetchLike {
  return async (url, init) => {
    if (!isGuarded(url)) throw new Error(`${new URL(url).origin} is not reached over https; refused`);
    const limits = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(url, { ...init, signal: limits });
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
