import { createHash } from 'node:crypto';

/** What every model server takes as the name of a tool. */
const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAME_CHARS = 64;
const DIGEST_CHARS = 8;

/**
 * `server__tool`, legal and the same every time: it depends on the two names alone. A tool's name that had to be
 * changed ends in a digest of it, so that two of them don't become one. The server's name holds no `__` (the
 * configuration sees to it), so nothing of one server can pass for another's.
 */
export function toolName(server: string, own: string): string {
  const name = `${server}__${own}`;
  if (own !== '' && LEGAL.test(name)) return name;
  const digest = createHash('sha256').update(own).digest('hex').slice(0, DIGEST_CHARS);
  const room = MAX_NAME_CHARS - server.length - '__'.length - '_'.length - DIGEST_CHARS;
  return `${server}__${own.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, room)}_${digest}`;
}
