import { plainText } from '../../text/sanitize.ts';
import type { ServerConfig } from './types.ts';

/** Shorter values stand in many texts by chance. */
const MIN_SECRET_CHARS = 6;
const MAX_LINE_CHARS = 300;

export type Redactor = {
  /** The text without what the configuration hands to the server. */
  text(text: string): string;
  /** The same as one clean line. */
  line(text: string): string;
};

/**
 * Takes out of texts what may be secret in a server's configuration: the values of headers and variables, and whatever
 * its address holds beside host and path; and what a login has brought (`learned`).
 */
export function redactorFor(config: ServerConfig, learned: () => readonly string[]): Redactor {
  const own = secretsOf(config);
  const text = (given: string) =>
    [...new Set([...own, ...learned()])]
      .filter((value) => value.length >= MIN_SECRET_CHARS)
      .sort((a, b) => b.length - a.length)
      .reduce((shown, secret) => shown.replaceAll(secret, '…'), given);
  return {
    text,
    line(given) {
      const line = plainText(text(given)).replace(/\s+/g, ' ').trim();
      return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
    },
  };
}

function secretsOf(config: ServerConfig): readonly string[] {
  const values = Object.values(('url' in config ? config.headers : config.env) ?? {});
  // `Bearer …`: the scheme is none.
  const bare = values.flatMap((value) => [value, value.replace(/^\w+ +/, '')]);
  if (!('url' in config) || !URL.canParse(config.url)) return bare;
  const { search, searchParams, username, password, hash } = new URL(config.url);
  return [...bare, search.slice(1), ...searchParams.values(), username, password, hash.slice(1)];
}

/** Host and path. */
export function addressOf(url: string): string {
  if (!URL.canParse(url)) return 'its address';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
