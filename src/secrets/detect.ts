/** Finds the secrets in a text: one pass finds anchors, and rules read only the text around them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  authorizationAt,
  basicAt,
  bearerAt,
  callAt,
  cookiesAt,
  cryptedAt,
  identifiedAt,
  pgpassAt,
  pipedAt,
  signatureAt,
} from './command-line.ts';
import { nameAround, namedValue } from './context.ts';
import { PROGRAMS, TOKEN_RULES, type TokenRule, VENDORS } from './rules/table.ts';

import { type Finding, isUuid, mixed, RANK, random, settle } from './shape.ts';
import { isPlaceholder } from './vault.ts';

// Secrets with their own format across lines or parts: private keys, JSON Web Tokens.

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const END = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
/** A line of Base64 or of a key's header, with real or escaped line breaks (`\n`). */
const LINE =
  /(?:\\r)?(?:\\n|\r?\n)[ \t+>|'"-]{0,12}(?:[A-Za-z0-9+/=]{1,76}|[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,100}|)(?=\\|\r?\n|["']|$|-----)/y;
const MAX_BLOCK_CHARS = 32_000;
/** The maximum lines of a key without its end mark. */
const MAX_LINES = 400;

/** A private key from `-----BEGIN` to `-----END`; without an end mark, as far as the lines look like a key. */
function keyBlockAt(text: string, at: number, ends: EndLines): Finding | undefined {
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

/** The end of a key without its beginning: its Base64 lines up to the end mark. */
function keyTailAt(text: string, at: number): Finding | undefined {
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

/** Finds `-----END … PRIVATE KEY-----`. Remembers a failed search, so that many beginnings take linear time. */
class EndLines {
  #from = -1;
  #end: number | undefined;

  /** Returns the position after the first end mark at or after `at`. */
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

/** A JSON web token: three parts of Base64 (five if encrypted), the first one an object. */
function jwtAt(text: string, at: number): Finding | undefined {
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

/** Finds the body of a PuTTY key. */
function puttyAt(text: string, at: number): Finding | undefined {
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

/** A private key encoded in Base64 again, as in a kubeconfig; its first line distinguishes it from a certificate. */
function encodedKeyAt(text: string, at: number): Finding | undefined {
  const head = text.slice(at, at + 64);
  if (!/^LS0tLS1CRUdJTi[A-Za-z0-9+/]{40}/.test(head) || !atob(head.slice(0, 64)).includes('PRIVATE KEY'))
    return undefined;
  let end = at;
  while (end < text.length && end - at < MAX_BLOCK_CHARS && /[A-Za-z0-9+/=]/.test(text[end] ?? '')) end += 1;
  return { start: at, end, kind: 'PRIVATE_KEY', rank: RANK.block };
}

// Passwords and tokens in URLs: `scheme://user:password@host`, `scheme://token@host`.

const AUTHORITY = /[^\s"'<>`\\/?#]{1,600}/y;
/** A password that contains a slash or similar, in URLs whose paths rarely contain `@`. */
const LOOSE = /[^\s"'<>`\\:@/]{0,100}:[^\s"'<>`\\@]{3,300}@[\w.-]{1,200}(?::\d{2,5})?(?:[/?\s"']|$)/y;

/**
 * Finds a password in an address.
 * @param at the end of `//`
 */
function addressAt(text: string, at: number): Finding | undefined {
  AUTHORITY.lastIndex = at;
  const authority = AUTHORITY.exec(text)?.[0];
  if (authority === undefined) return undefined;
  let info = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  if (info === '') {
    if (/https?:(?:\\?\/){2}$/i.test(text.slice(Math.max(0, at - 10), at))) return undefined;
    LOOSE.lastIndex = at;
    const loose = LOOSE.exec(text)?.[0];
    if (loose === undefined) return undefined;
    info = loose.slice(0, loose.lastIndexOf('@'));
  }
  const colon = info.indexOf(':');
  const value = colon < 0 ? info : info.slice(colon + 1);
  const start = at + (colon < 0 ? 0 : colon + 1);
  // A default password equal to the user name protects nothing.
  if (isPlaceholder(value) || value.length < 4 || info === `${value}:${value}`) return undefined;
  if (colon < 0 && !(random(value, 20) || isUuid(value))) return undefined;
  // A port and a path, not a password.
  if (/^\d{1,5}$/.test(value) && colon >= 0 && value.length < 6) return undefined;
  return { start, end: start + value.length, kind: colon < 0 ? 'URL_TOKEN' : 'URL_PASSWORD', rank: RANK.url };
}

const ORACLE = /thin:[\w.-]{1,60}\/([^\s"'@]{3,100})@/y;

/** `jdbc:oracle:thin:user/password@host`. */
function oracleAt(text: string, at: number): Finding | undefined {
  ORACLE.lastIndex = at;
  const value = ORACLE.exec(text)?.[1];
  if (value === undefined || isPlaceholder(value)) return undefined;
  const end = ORACLE.lastIndex - 1;
  return { start: end - value.length, end, kind: 'URL_PASSWORD', rank: RANK.url };
}

// Tokens with a known prefix: each table row is tried where its prefix occurs.

/** The maximum length of a token that is joined across lines. */
const MAX_BROKEN_CHARS = 1200;
/** A shorter line is a word, not half a token. */
const MIN_LINE_CHARS = 20;
/** How many characters before a prefix may belong to the token. */
const MAX_LEAD_CHARS = 40;
/** A complete token continues on the next line only if its line fills the page width. */
const LONG_LINE_CHARS = 60;

type TokenReader = (text: string, at: number) => { start: number; end: number; kind: string; rank: number } | undefined;

/** Returns a reader for one row and one of its prefixes. */
function tokenReader(rule: TokenRule, start: string): TokenReader {
  const stop = rule.stop ?? '[A-Za-z0-9]';
  const source = `${start.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?:${rule.rest})(?!${stop})`;
  const before = rule.before === undefined ? undefined : new RegExp(`(?:${rule.before})$`);
  let pattern: RegExp | undefined;
  const read = (text: string, at: number): number => {
    pattern ??= new RegExp(source, 'y');
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : -1;
  };
  return (text, at) => {
    const from = before ? beginning(text, at, before) : at;
    if (from < 0 || !beginsHere(text, from)) return undefined;
    let end = read(text, at);
    let value = end < 0 ? '' : text.slice(from, end);
    if (end < 0 || (isLineEnd(text, end) && isLong(text, end))) {
      const joined = unwrapped(text, at, start);
      const length = joined === undefined ? -1 : read(joined.text, 0);
      if (end < 0 && (!joined || length < 0)) return undefined;
      if (joined && length > end - at) {
        value = joined.text.slice(0, length);
        end = (joined.places[length - 1] ?? at) + 1;
      }
    }
    const body = value.slice(start.length);
    if (isPlaceholder(value) || isPlaceholder(body) || (rule.loose && !(mixed(body) && /\d/.test(body))))
      return undefined;
    return { start: from, end, kind: rule.kind, rank: RANK.token };
  };
}

function beginning(text: string, at: number, before: RegExp): number {
  const found = before.exec(text.slice(Math.max(0, at - MAX_LEAD_CHARS), at));
  return found ? at - found[0].length : -1;
}

/**
 * Returns whether a token can begin here: not after a letter or digit, except those of an escape: `
 * `, `%3D`, `\u003d`.
 */
function beginsHere(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  if (at === 0 || !isWord(code)) return true;
  const back = text.slice(Math.max(0, at - 6), at);
  return /(?:\\[nrtbf0]|%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\x1b\[[\d;]{0,3}m|\/bot)$/.test(back);
}

function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

const BREAK = /\\?\r?\n[ \t]{0,40}/y;

/** A line that is only the rest of a token: not a word, nor the next token of a list. */
function goesOn(text: string, at: number, start: string): boolean {
  REST.lastIndex = at;
  const rest = REST.exec(text)?.[0] ?? '';
  return rest !== '' && !rest.startsWith(start) && mixed(rest) && /\d/.test(rest) && rest.length >= 6;
}

const REST = /[A-Za-z0-9_.=+/-]{6,400}(?=["'`)\]},;\\]|\s|$)/y;

function isLineEnd(text: string, at: number): boolean {
  return /[\r\n\\]/.test(text.charAt(at));
}

function isLong(text: string, end: number): boolean {
  return end >= LONG_LINE_CHARS && !text.slice(end - LONG_LINE_CHARS, end).includes('\n');
}

/** Joins a token that a narrow page broke into lines; `places` are the original offsets. */
function unwrapped(text: string, at: number, start: string): { text: string; places: number[] } | undefined {
  const places: number[] = [];
  let joined = '';
  let line = 0;
  let from = at;
  for (let index = at; index < text.length && index - at < MAX_BROKEN_CHARS; index += 1) {
    const code = text.charCodeAt(index);
    if (isWord(code) || code === 45 || code === 95 || code === 46 || code === 61 || code === 43 || code === 47) {
      places.push(index);
      line += 1;
      continue;
    }
    BREAK.lastIndex = index;
    if (line < MIN_LINE_CHARS || !BREAK.test(text) || !goesOn(text, BREAK.lastIndex, start)) break;
    joined += text.slice(from, index);
    from = BREAK.lastIndex;
    index = from - 1;
    line = 0;
  }
  if (joined === '') return undefined;
  const last = places.at(-1) ?? at;
  return { text: joined + text.slice(from, Math.max(from, last + 1)), places };
}

// Finds short literal anchors in one pass: a prefilter that makes text without secrets cheap.

/** Three characters of five bits each; five bits ignore upper and lower case. */
const SLOTS = 1 << 15;

type Hit<T> = (at: number, found: T) => void;

type Anchor<T> = { readonly text: string; readonly exact: boolean; readonly value: T };

class Scanner<T> {
  readonly #flags = new Uint8Array(SLOTS);
  readonly #slots = new Map<number, Anchor<T>[]>();

  /** @param text at least three characters; with `exact` false in lower case, and any case matches */
  add(text: string, value: T, exact: boolean): void {
    const slot = slotOf(text);
    this.#flags[slot] = 1;
    const anchors = this.#slots.get(slot);
    const anchor = { text, exact, value };
    if (anchors) anchors.push(anchor);
    else this.#slots.set(slot, [anchor]);
  }

  /**
   * Calls `hit` for every anchor from left to right, in linear time. `from`, `to`: only anchors whose third character
   * is in this range, so that adjacent pieces find the same as the whole.
   */
  scan(text: string, hit: Hit<T>, from = 0, to = text.length): void {
    const flags = this.#flags;
    const first = Math.max(2, from);
    let hash = 0;
    for (let at = Math.max(0, from - 2); at < to; at += 1) {
      hash = ((hash << 5) | (text.charCodeAt(at) & 31)) & (SLOTS - 1);
      if (flags[hash] === 0 || at < first) continue;
      for (const anchor of this.#slots.get(hash) ?? []) {
        if (begins(text, at - 2, anchor)) hit(at - 2, anchor.value);
      }
    }
  }
}

function slotOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < 3; at += 1) hash = (hash << 5) | (text.charCodeAt(at) & 31);
  return hash;
}

function begins<T>(text: string, at: number, { text: wanted, exact }: Anchor<T>): boolean {
  if (exact) return text.startsWith(wanted, at);
  for (let index = 0; index < wanted.length; index += 1) {
    const code = text.charCodeAt(at + index);
    const folded = code >= 65 && code <= 90 ? code | 0x20 : code;
    if (folded !== wanted.charCodeAt(index)) return false;
  }
  return true;
}

/** State for one text, so that nothing is read twice. */
type Pass = {
  readonly text: string;
  readonly found: Finding[];
  readonly ends: EndLines;
  /** The ends of the last name and the last call that were read. */
  nameEnd: number;
  callEnd: number;
  blockEnd: number;
};

type Matcher = (pass: Pass, at: number) => void;

/** How many characters are searched per turn of the event loop: about a millisecond, the first time. */
const TURN_CHARS = 32 * 1024;

/** Words that occur in names of secrets. */
const NAME_WORDS =
  'password passwd passwort phrase mnemonic passcode pass pwd psw pw_ _pw psk secret token apikey api_key api-key key auth credential creds bearer jwt _pat cookie session sid sig';

const one =
  (read: (text: string, at: number) => Finding | undefined): Matcher =>
  (pass, at) => {
    const found = read(pass.text, at);
    if (found) pass.found.push(found);
  };

/** Returns a matcher that skips what begins inside a long finding, since it belongs to that finding. */
const block =
  (read: (text: string, at: number, ends: EndLines) => Finding | undefined): Matcher =>
  (pass, at) => {
    const found = at < pass.blockEnd ? undefined : read(pass.text, at, pass.ends);
    if (!found) return;
    pass.found.push(found);
    pass.blockEnd = found.end;
  };

const name =
  (length: number): Matcher =>
  (pass, at) => {
    if (at < pass.nameEnd) return;
    const named = nameAround(pass.text, at, length);
    pass.nameEnd = named.to;
    const found = namedValue(pass.text, named);
    if (found) pass.found.push(found);
  };

const call =
  (program: string): Matcher =>
  (pass, at) => {
    if (at < pass.callEnd) return;
    const { found, end } = callAt(pass.text, at, program);
    pass.found.push(...found);
    pass.callEnd = Math.max(pass.callEnd, end);
  };

let scanner: Scanner<Matcher> | undefined;

/** Built at first use, to keep it out of the start-up time. */
function ready(): Scanner<Matcher> {
  if (scanner) return scanner;
  const made = new Scanner<Matcher>();
  for (const rule of TOKEN_RULES) {
    for (const start of rule.starts.split(' ')) made.add(start, one(tokenReader(rule, start)), true);
  }
  for (const word of NAME_WORDS.split(' ')) made.add(word, name(word.length), false);
  for (const program of Object.keys(PROGRAMS)) made.add(program.padEnd(3), call(program), true);
  for (const vendor of VENDORS) made.add(vendor, name(vendor.length), false);
  for (const [start, look] of SHAPES) made.add(start, look, false);
  made.add('eyJ', block(jwtAt), true);
  scanner = made;
  return made;
}

const SHAPES: readonly (readonly [string, Matcher])[] = [
  ['-----begin ', block(keyBlockAt)],
  ['-----end ', block(keyTailAt)],
  ['ls0tls1crudjti', block(encodedKeyAt)],
  ['private-lines: ', block(puttyAt)],
  ['://', one((text, at) => addressAt(text, at + 3))],
  [':\\/\\/', one((text, at) => addressAt(text, at + 5))],
  ['thin:', one(oracleAt)],
  ['bearer ', one(bearerAt)],
  ['basic ', one(basicAt)],
  ['authorization', one(authorizationAt)],
  ['signature=', one(signatureAt)],
  ['cookie', (pass, at) => pass.found.push(...cookiesAt(pass.text, at))],
  ['echo ', one(pipedAt)],
  ['printf ', one(pipedAt)],
  [':5432:', one(pgpassAt)],
  [':5433:', one(pgpassAt)],
  [':6432:', one(pgpassAt)],
  [':*:', one(pgpassAt)],
  ['identified ', one(identifiedAt)],
  ['$2a$', one(cryptedAt)],
  ['$2b$', one(cryptedAt)],
  ['$2y$', one(cryptedAt)],
  ['$5$', one(cryptedAt)],
  ['$apr1$', one(cryptedAt)],
  ['{ssha', one(cryptedAt)],
  ['{sha}', one(cryptedAt)],
  ['$6$', one(cryptedAt)],
  ['$y$', one(cryptedAt)],
  ['$argon2', one(cryptedAt)],
];

function passOver(text: string): Pass {
  return { text, found: [], ends: new EndLines(), nameEnd: 0, callEnd: 0, blockEnd: 0 };
}

/** Returns the secrets that the rules find in a text, in order and without overlap. Linear time. */
export function detect(text: string): readonly Finding[] {
  const pass = passOver(text);
  ready().scan(text, (at, look) => look(pass, at));
  return settle(pass.found, text);
}

/** The same, one piece per turn of the event loop. */
export async function detectInTurns(text: string): Promise<readonly Finding[]> {
  const pass = passOver(text);
  for (let from = 0; from < text.length; from += TURN_CHARS) {
    await nextTurn();
    ready().scan(text, (at, look) => look(pass, at), from, Math.min(from + TURN_CHARS, text.length));
  }
  return settle(pass.found, text);
}
