/** Secrets recognised by their own format, across lines or parts: private keys, JSON Web Tokens. */
import { type Finding, RANK } from './shape.ts';

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const END = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
/** A line of Base64 or of a key's header, with real line breaks or escaped ones (`\n`). */
const LINE =
  /(?:\\r)?(?:\\n|\r?\n)[ \t+>|'"-]{0,12}(?:[A-Za-z0-9+/=]{1,76}|[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,100}|)(?=\\|\r?\n|["']|$|-----)/y;
const MAX_BLOCK_CHARS = 32_000;
/** Lines of a truncated key. */
const MAX_LINES = 400;

/** A private key from `-----BEGIN` to `-----END`; without an end mark, as far as lines look like a key's. */
export function keyBlockAt(text: string, at: number, ends: EndLines): Finding | undefined {
  BEGIN.lastIndex = at;
  if (!BEGIN.test(text)) return undefined;
  const body = BEGIN.lastIndex;
  const end = ends.after(text, body);
  if (end !== undefined && end - at <= MAX_BLOCK_CHARS)
    return { start: at, end, kind: 'PRIVATE_KEY', rank: RANK.block };
  let reach = body;
  for (let lines = 0; lines < MAX_LINES; lines += 1) {
    LINE.lastIndex = reach;
    if (!LINE.test(text)) break;
    reach = LINE.lastIndex;
  }
  while (/[\r\n]/.test(text.charAt(reach - 1))) reach -= 1;
  return reach > body + 32 ? { start: at, end: reach, kind: 'PRIVATE_KEY', rank: RANK.block } : undefined;
}

/** The tail of a key whose beginning was cut off: its Base64 lines up to the end mark. */
export function keyTailAt(text: string, at: number): Finding | undefined {
  END.lastIndex = at;
  if (!END.test(text)) return undefined;
  const end = END.lastIndex;
  let start = at;
  for (let lines = 0; lines < MAX_LINES && start > 0; lines += 1) {
    const lead = text.slice(Math.max(0, start - 102), start - 1);
    const lineStart = start - 1 - (lead.length - lead.lastIndexOf('\n') - 1);
    if (start - lineStart > 100 || !/^[ \t+>|-]{0,12}[A-Za-z0-9+/=]{16,76}\r?\n$/.test(text.slice(lineStart, start)))
      break;
    start = lineStart;
  }
  return start < at ? { start, end, kind: 'PRIVATE_KEY', rank: RANK.block } : undefined;
}

/** Where `-----END … PRIVATE KEY-----` stands. A failed search is remembered, so that many beginnings stay linear. */
export class EndLines {
  #from = -1;
  #end: number | undefined;

  /** The place after the first end mark at or behind `at`. */
  after(text: string, at: number): number | undefined {
    if (this.#from >= 0 && at >= this.#from && (this.#end === undefined || at <= this.#end)) return this.#end;
    this.#from = at;
    this.#end = undefined;
    for (let found = text.indexOf('-----END ', at); found >= 0; found = text.indexOf('-----END ', found + 9)) {
      END.lastIndex = found;
      if (!END.test(text)) continue;
      this.#end = END.lastIndex;
      break;
    }
    return this.#end;
  }
}

const JWT =
  /eyJ[A-Za-z0-9_-]{8,2000}\.(?:eyJ)?[A-Za-z0-9_-]{4,6000}\.[A-Za-z0-9_-]{16,2000}(?:\.[A-Za-z0-9_-]{0,4000}){0,2}(?![A-Za-z0-9_-])/y;

/** A JSON web token: three parts of Base64 (five, where it is encrypted), the first one an object. */
export function jwtAt(text: string, at: number): Finding | undefined {
  const before = text.charCodeAt(at - 1);
  if (
    at > 0 &&
    ((before >= 48 && before <= 57) ||
      before === 95 ||
      (before >= 65 && before <= 90) ||
      (before >= 97 && before <= 122))
  ) {
    if (!/(?:\\[nrt]|%[0-9A-F]{2})$/.test(text.slice(Math.max(0, at - 3), at))) return undefined;
  }
  JWT.lastIndex = at;
  return JWT.test(text) ? { start: at, end: JWT.lastIndex, kind: 'JWT', rank: RANK.token } : undefined;
}

const PUTTY = /Private-Lines: (\d{1,3})\r?\n/y;

/** The body of a PuTTY key. */
export function puttyAt(text: string, at: number): Finding | undefined {
  PUTTY.lastIndex = at;
  const head = PUTTY.exec(text);
  if (!head) return undefined;
  const start = PUTTY.lastIndex;
  let end = start;
  for (let lines = Number(head[1]); lines > 0 && end >= 0; lines -= 1)
    end = text.indexOf('\n', end === start ? end : end + 1);
  const stop = end < 0 ? text.length : end;
  return stop - start > 16 && stop - start < MAX_BLOCK_CHARS
    ? { start, end: stop, kind: 'PRIVATE_KEY', rank: RANK.block }
    : undefined;
}

/** A private key encoded in Base64 again, as in a kubeconfig; its first line tells it from a certificate. */
export function encodedKeyAt(text: string, at: number): Finding | undefined {
  const head = text.slice(at, at + 64);
  if (!/^LS0tLS1CRUdJTi[A-Za-z0-9+/]{40}/.test(head) || !atob(head.slice(0, 64)).includes('PRIVATE KEY'))
    return undefined;
  let end = at;
  while (end < text.length && end - at < MAX_BLOCK_CHARS && /[A-Za-z0-9+/=]/.test(text[end] ?? '')) end += 1;
  return { start: at, end, kind: 'PRIVATE_KEY', rank: RANK.block };
}
